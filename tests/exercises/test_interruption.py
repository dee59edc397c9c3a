"""An interrupt: a card, the end of the cell, and nothing left half done, whenever it comes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from types import SimpleNamespace

import psutil
import pytest

import gpuedu
from gpuedu.exercises import capture, examine, isolation, registry, session
from gpuedu.exercises.guard import play_guarded
from gpuedu.exercises.interruption import interrupts_heard
from gpuedu.interrupts import NOTE
from tests.exercises.live_kernel import live_kernel, text_of
from tests.notebook_kernels import runner


def interrupt():
    signal.raise_signal(signal.SIGINT)


def right(n, itemsize):
    return 2 * n * itemsize


def stopped(n, itemsize):
    interrupt()
    return 2 * n * itemsize


@pytest.fixture(autouse=True)
def _default_handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def attempts():
    return session.store().attempts("first-check")


def before_it(monkeypatch, owner, name):
    """Have a function interrupted as it starts."""
    original = getattr(owner, name)

    def begin(*args, **kwargs):
        interrupt()
        return original(*args, **kwargs)

    monkeypatch.setattr(owner, name, begin)


@pytest.mark.parametrize(
    ("owner", "name", "call"),
    [
        (registry, "load_judge", lambda: gpuedu.check("first-check", right)),
        (examine, "play_cases", lambda: gpuedu.check("first-check", right)),
        (examine, "judge_outcomes", lambda: gpuedu.check("first-check", right)),
        (session, "report_card", lambda: gpuedu.check("first-check", right)),
        (registry, "load_judge", lambda: gpuedu.hint("first-check")),
        (registry, "load_prediction", lambda: gpuedu.predict("launch-bound", 3)),
        (registry, "load_picture", lambda: gpuedu.see("why-gpus/stack")),
        (session, "draw_figure", lambda: gpuedu.see("why-gpus/stack")),
        (registry, "load_measure", lambda: gpuedu.measure("bandwidth")),
        (session, "store", gpuedu.progress),
    ],
)
def test_at_any_moment_it_is_a_card_and_ends_the_cell(monkeypatch, capsys, owner, name, call):
    registry.load.cache_clear()
    with monkeypatch.context() as patched:
        before_it(patched, owner, name)
        with pytest.raises(KeyboardInterrupt):
            call()
    out = capsys.readouterr().out
    assert out.startswith("Interrupted") and "Nothing was counted" in out
    assert attempts() == ()
    assert gpuedu.check("first-check", right) == 2.0


def test_in_the_learners_code_it_counts_nothing(capsys):
    with pytest.raises(KeyboardInterrupt) as ended:
        gpuedu.check("first-check", stopped)
    assert "Stopped while checking `first-check`" in capsys.readouterr().out
    assert ended.value._render_traceback_() == [NOTE]
    assert attempts() == ()


def test_one_that_the_learners_code_swallows_is_no_verdict(capsys):
    def swallows(n, itemsize):
        try:
            interrupt()
        except:  # noqa: E722
            return 0

    with pytest.raises(KeyboardInterrupt):
        gpuedu.check("first-check", swallows)
    assert capsys.readouterr().out.startswith("Interrupted")
    assert attempts() == ()


def test_a_verdict_is_kept_and_shown_or_neither(monkeypatch, capsys):
    before_it(monkeypatch, session.store(), "record_attempt")
    with pytest.raises(KeyboardInterrupt) as ended:
        gpuedu.check("first-check", right)
    out = capsys.readouterr().out
    assert "first-check: 2 of 2" in out and "Interrupted" not in out
    assert len(attempts()) == 1
    assert ended.value._render_traceback_() == [NOTE]


def test_the_streams_are_put_back_before_it_lands(monkeypatch, capfd):
    closed = []

    def close(descriptor):
        interrupt()
        closed.append(descriptor)
        os.close(descriptor)

    standin = SimpleNamespace(dup=os.dup, dup2=os.dup2, close=close)
    monkeypatch.setattr(capture, "os", standin)
    with pytest.raises(KeyboardInterrupt), interrupts_heard():
        play_guarded(lambda: None, 5)
    assert len(closed) == 2
    os.write(1, b"seen again")
    assert capfd.readouterr().out == "seen again"


def test_an_import_is_finished_first(tmp_path, monkeypatch):
    (tmp_path / "cut_off.py").write_text(
        "import signal\nsignal.raise_signal(signal.SIGINT)\nis_whole = True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def imports(n, itemsize):
        import cut_off  # noqa: F401

        while True:  # until it lands
            time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        gpuedu.check("first-check", imports)
    assert sys.modules.pop("cut_off").is_whole


@pytest.fixture
def _no_warm_worker():
    """None is left of an earlier check: the one that follows starts its own."""
    isolation.end_workers()


@pytest.mark.usefixtures("_no_warm_worker")
def test_the_process_that_a_check_started_is_ended(monkeypatch):
    started = []
    ask = isolation.Worker.ask

    def remember(worker, *request):
        started.append(worker._process)
        interrupt()
        return ask(worker, *request)

    monkeypatch.setattr(isolation.Worker, "ask", remember)
    with pytest.raises(KeyboardInterrupt):
        gpuedu.check("parallel-cpu", lambda a, x, y, out: None)
    assert [process.returncode for process in started] == [-signal.SIGKILL]
    assert not isolation._warm


@pytest.mark.usefixtures("_no_warm_worker")
def test_a_process_that_is_being_started_is_ended(monkeypatch):
    started = []
    popen = isolation.subprocess.Popen

    def start(*args, **kwargs):
        started.append(popen(*args, **kwargs))
        interrupt()
        return started[-1]

    with monkeypatch.context() as patched:
        patched.setattr(isolation.subprocess, "Popen", start)
        with pytest.raises(KeyboardInterrupt):
            gpuedu.check("parallel-cpu", lambda a, x, y, out: None)
    assert [process.returncode for process in started] == [-signal.SIGKILL]


def test_a_script_ends_as_usual_behind_the_card():
    code = """
        import os, signal
        import gpuedu

        def copied_bytes(n, itemsize):
            os.kill(os.getpid(), signal.SIGINT)

        gpuedu.check("first-check", copied_bytes)
        print("went on")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("Interrupted") and "went on" not in done.stdout
    assert done.returncode != 0 and done.stderr.rstrip().endswith("KeyboardInterrupt")


WAITS = """
import time
from pathlib import Path
import gpuedu

def copied_bytes(n, itemsize):
    Path({path!r}).touch()
    while True:
        time.sleep(0.01)
"""


@pytest.fixture(scope="module")
def kernel():
    with live_kernel() as running:
        running.run("import gpuedu")
        yield running


def test_a_notebook_shows_the_card_and_a_line_and_runs_nothing_more(kernel, tmp_path):
    kernel.run(WAITS.format(path=str(tmp_path / "inside")))
    cell = kernel.send('gpuedu.check("first-check", copied_bytes)')
    queued = kernel.send("print('went on')")
    kernel.interrupt_when((tmp_path / "inside").exists)
    *_, card, error = kernel.shown_by(cell)  # a slow machine says first that it is checking
    assert text_of(card).startswith("Interrupted") and "gpuedu-card" in str(card["content"])
    assert (error["msg_type"], error["content"]["ename"]) == ("error", "KeyboardInterrupt")
    assert text_of(error) == NOTE
    assert kernel.reply_to(cell)["status"] == "error"
    assert kernel.reply_to(queued)["status"] == "aborted"
    *_, points = kernel.run('gpuedu.check("first-check", lambda n, itemsize: 2 * n * itemsize)')
    assert text_of(points) == "2.0"


def test_what_runs_in_another_process_is_ended_from_the_notebook(kernel, tmp_path):
    kernel.run(WAITS.format(path=str(tmp_path / "inside")))
    cell = kernel.send('gpuedu.check("parallel-cpu", lambda a, x, y, out: copied_bytes(x, y))')
    kernel.interrupt_when((tmp_path / "inside").exists)
    *_, card, _ = kernel.shown_by(cell)
    assert text_of(card).startswith("Interrupted")
    children = psutil.Process(kernel.manager.provisioner.pid).children(recursive=True)
    assert not [child for child in children if "gpuedu.exercises.worker" in child.cmdline()]


def ranks_of(kernel):
    """Processes below a kernel that are not Python's own, which it keeps for all launches."""
    below = psutil.Process(kernel.manager.provisioner.pid).children(recursive=True)
    servers = {one.pid for one in below if one.ppid() == kernel.manager.provisioner.pid}
    return [one for one in below if one.pid not in servers]


def test_the_ranks_of_a_launch_are_ended_from_the_notebook(kernel):
    cell = kernel.send("gpuedu.measure('scaling')")
    kernel.interrupt_when(lambda: ranks_of(kernel))
    *_, card, error = kernel.shown_by(cell)
    assert text_of(card).startswith("Interrupted")
    assert text_of(error) == NOTE
    assert ranks_of(kernel) == []


def test_a_cell_that_nbgrader_stopped_has_no_points(monkeypatch):
    from nbclient.exceptions import CellExecutionError
    from nbformat import v4
    from nbgrader.utils import determine_grade

    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    code = "import os, signal, gpuedu\ngpuedu.check('first-check', lambda n, i: os.kill(os.getpid(), signal.SIGINT))"
    settings = {"grade": True, "solution": False, "points": 2, "schema_version": 3}
    cell = v4.new_code_cell(code, metadata={"nbgrader": {"grade_id": "a", **settings}})
    with pytest.raises(CellExecutionError):
        runner(v4.new_notebook(cells=[cell]), timeout=120).execute()
    assert cell.outputs[-1].traceback == [NOTE]
    assert determine_grade(cell) == (0, 2)
