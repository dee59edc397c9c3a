"""The sign of life: who sees it, when, and that nothing of it stays."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from contextlib import suppress

import pytest

import gpuedu
from gpuedu.exercises import display, session, sign
from gpuedu.exercises.guard import Outcome
from gpuedu.exercises.patience import USUAL_LIMIT_S
from gpuedu.exercises.sign import NotebookPlace, Sign
from tests.exercises.live_kernel import live_kernel, text_of


class Recorder:
    """A place that remembers what it showed."""

    def __init__(self, display_id="here"):
        self.display_id, self.lines, self.is_closed = display_id, [], False

    def show(self, line):
        self.lines.append(line)

    def clear(self):
        self.lines.append("")

    def close(self):
        self.is_closed = True


def ticks(count):
    """A wait that is over after so many periods, and a clock that goes with it."""
    waited = []

    def wait(seconds):
        waited.append(seconds)
        return len(waited) > count

    return wait, lambda: float(sum(waited))


@pytest.fixture(autouse=True)
def _no_sign_left():
    yield
    assert sign._signs == []


def shown_in(count, **how):
    place, (wait, now) = Recorder(), ticks(count)
    line = Sign("checking `tiled`", place, now=now, **how)
    line.run(wait)
    return place, line


def test_it_counts_the_seconds():
    place, _ = shown_in(3)
    assert place.lines == [f"checking `tiled` ... {s} s" for s in (1, 2, 3)]


def test_what_ends_within_a_second_shows_nothing():
    place, line = shown_in(0)
    line.end()
    assert (place.lines, place.is_closed) == ([], True)


def test_beside_a_measurement_it_wakes_up_once():
    place, _ = shown_in(10, is_ticking=False)
    assert place.lines == ["checking `tiled` ..."]


def test_it_is_cleared_where_nothing_took_its_place():
    place, line = shown_in(1)
    line.end()
    assert place.lines[1:] == [""]


def test_what_is_shown_next_takes_its_place_once():
    place, line = shown_in(1)
    assert (line.take(), line.take()) == ("here", "")
    line.end()
    line.run(ticks(3)[0])
    assert place.lines == ["checking `tiled` ... 1 s"]


def test_a_terminals_line_is_erased_before_something_else_is_printed():
    place, (wait, now) = Recorder(display_id=""), ticks(1)
    line = Sign("drawing", place, now=now)
    line.run(wait)
    assert line.take() == ""
    assert place.lines[1:] == [""]


def test_in_a_notebook_it_is_one_output_that_changes():
    said = []
    place = NotebookPlace(lambda data, **how: said.append((data, how)))
    for line in ("checking `<b>` ... 1 s", "checking `<b>` ... 2 s"):
        place.show(line)
    place.clear()
    assert [how["update"] for _, how in said] == [False, True, True]
    assert {how["transient"]["display_id"] for _, how in said} == {place.display_id}
    assert "<code>&lt;b&gt;</code> ... 1 s" in said[0][0]["text/html"]
    assert "stops it" in said[0][0]["text/plain"]
    assert set(said[2][0].values()) == {""}


def test_where_nobody_looks_there_is_no_thread(monkeypatch, capsys):
    def begin(*_, **__):
        raise AssertionError("a sign of life")

    monkeypatch.setattr(sign, "Sign", begin)
    assert gpuedu.check("first-check", lambda n, itemsize: 2 * n * itemsize) == 2.0
    assert "first-check: 2 of 2" in capsys.readouterr().out


def test_a_text_takes_the_place_of_the_line(monkeypatch):
    put = []
    monkeypatch.setattr(display, "take_place", lambda: "here")
    monkeypatch.setattr(display, "_display", lambda *what, **how: put.append((what, how)))
    display.draw_text("a listing")
    assert put == [(({"text/plain": "a listing"}, "here"), {"raw": True})]


def test_a_picture_of_the_course_alone_has_no_time_limit(monkeypatch, capsys):
    limits = []

    def play(run, limit_s):
        limits.append(limit_s)
        return Outcome("a text")

    monkeypatch.setattr(session, "play_guarded", play)
    gpuedu.see("why-gpus/stack")
    gpuedu.see("honest-timer", lambda launch, sync, warmup, repeats, now: 0.0)
    assert limits == [float("inf"), USUAL_LIMIT_S]


TERMINAL = """
import sys, gpuedu
from gpuedu.exercises import sign
sign.PERIOD_S = 0.001

def copied_bytes(n, itemsize):
    while not sign._signs[-1]._is_shown:
        pass
    print("the learner's own")
    return 2 * n * itemsize

gpuedu.check("first-check", copied_bytes)
"""


def read_to_the_end(terminal):
    """All that was written to it; a read gives what is there, and fails when nobody writes."""
    said = bytearray()
    with suppress(OSError):
        while part := os.read(terminal, 4096):
            said += part
    os.close(terminal)
    return said.decode()


def test_in_a_terminal_it_is_a_line_of_stderr():
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", TERMINAL],
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        check=True,
    )
    os.close(theirs)
    said = read_to_the_end(ours)
    assert re.match(r"\rchecking `first-check` \.\.\. \d+ s \(Ctrl-C stops it\)\x1b\[K", said)
    assert said.endswith("\r\x1b[K")
    assert "first-check: 2 of 2" in done.stdout
    assert "the learner's own" in done.stdout and "checking" not in done.stdout


SLOW = """
import gpuedu
from pathlib import Path
from gpuedu.exercises import sign
sign.PERIOD_S = 0.01

def copied_bytes(n, itemsize):
    print("printed")
    while not Path({path!r}).exists():
        pass
    return 2 * n * itemsize
"""


@pytest.fixture(scope="module")
def kernel():
    with live_kernel() as running:
        running.run("import gpuedu")
        yield running


def go_on_after(count, path):
    """Let the learner's code end when the front end has seen so many messages."""
    seen = []

    def look(message):
        seen.append(message)
        if len(seen) == count:
            path.touch()

    return look


def watched(kernel, tmp_path, call, count=3, **how):
    path = tmp_path / "go-on"
    kernel.run(SLOW.format(path=str(path)))
    return kernel.shown_by(kernel.send(call, **how), go_on_after(count, path))


def require_one_place(messages):
    """All are states of one output; the last shows nothing of the line."""
    kinds = [message["msg_type"] for message in messages]
    assert kinds == ["display_data"] + ["update_display_data"] * (len(kinds) - 1)
    assert len({m["content"]["transient"]["display_id"] for m in messages}) == 1
    assert not any("stops it" in text for text in messages[-1]["content"]["data"].values())


def test_the_card_takes_its_place_in_the_cell(kernel, tmp_path):
    *messages, points = watched(kernel, tmp_path, "gpuedu.check('first-check', copied_bytes)")
    require_one_place(messages)
    assert all("checking `first-check` ..." in text_of(line) for line in messages[:3])
    assert text_of(messages[-1]).startswith("first-check: 2 of 2")
    printed = text_of(messages[-1]).split("your code printed:")[1]
    assert "printed" in printed and "checking" not in printed
    assert (points["msg_type"], text_of(points)) == ("execute_result", "2.0")


def test_the_picture_takes_its_place_in_the_cell(kernel, tmp_path):
    slow = "lambda launch, rate, n: copied_bytes(1, 1) / 4"
    call = f"gpuedu.see('launch-bound', {slow}, lambda launch, rate, share: 1000)"
    messages = watched(kernel, tmp_path, call)
    require_one_place(messages)
    assert "<img" in messages[-1]["content"]["data"]["text/html"]


def test_of_a_measurement_nothing_is_seen_afterwards(kernel, tmp_path):
    planted = "gpuedu.exercises.registry.load_measure = lambda name: copied_bytes_once"
    kernel.run(f"import gpuedu.exercises.registry\n{planted}")
    kernel.run("copied_bytes_once = lambda: {'bytes': copied_bytes(1, 1)}")
    *messages, figures = watched(kernel, tmp_path, "gpuedu.measure('x')", count=1)
    require_one_place(messages)
    assert [text_of(message) for message in messages[1:]] == [""]
    assert text_of(messages[0]).startswith("measuring `x` ... (")
    assert text_of(figures) == "bytes: 2"


def test_the_card_of_an_interrupt_takes_its_place(kernel, tmp_path):
    kernel.run(SLOW.format(path=str(tmp_path / "never")))
    cell = kernel.send("gpuedu.check('first-check', copied_bytes)")
    count = iter(range(100_000))

    def stop(message):
        if next(count) == 3:
            kernel.manager.interrupt_kernel()

    *messages, error = kernel.shown_by(cell, stop)
    require_one_place(messages)
    assert text_of(messages[-1]).startswith("Interrupted")
    assert error["msg_type"] == "error"


def test_a_notebook_that_only_runs_through_has_none(kernel, tmp_path):
    path = tmp_path / "go-on"
    kernel.run(SLOW.format(path=str(path)))
    call = "from threading import Timer; Timer(0.5, Path({!r}).touch).start()\n{}"
    check = "gpuedu.check('first-check', copied_bytes)"
    shown = kernel.run(call.format(str(path), check), allow_stdin=False)
    assert [message["msg_type"] for message in shown] == ["display_data", "execute_result"]
