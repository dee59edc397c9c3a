"""Threads on a virtual clock: one at a time, and none left behind."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import contextmanager
from importlib import import_module

import pytest

from gpuedu.clock import VirtualClock
from gpuedu.errors import DeadlockError


def alive(name):
    return [one for one in threading.enumerate() if one.name == name]


def joined(name):
    for one in alive(name):
        one.join(timeout=5)
    return not alive(name)


def test_threads_take_turns_where_they_wait():
    seen = []
    with VirtualClock() as clock:

        def work(name, pause_s):
            for round_ in range(3):
                seen.append((name, round_))
                clock.sleep(pause_s)

        first = clock.start_thread(lambda: work("a", 1.0), "a")
        clock.start_thread(lambda: work("b", 1.5), "b")
        clock.wait(first.ended)
        assert clock.settle() == ()
    assert seen == [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2), ("b", 2)]
    assert clock.now() == 4.5


def test_generators_and_threads_share_a_clock():
    with VirtualClock() as clock:
        moment = clock.moment("the post")

        def post():
            yield clock.after(3.0)
            moment.happen("letter")

        clock.start(post(), "post")
        thread = clock.start_thread(lambda: clock.wait(moment), "reader")
        assert clock.wait(thread.ended) == "letter"


def test_a_deadlock_tells_of_a_thread_that_died():
    def die():
        raise ValueError("no such file")

    with VirtualClock() as clock:
        clock.start_thread(die, "reader")
        with pytest.raises(
            DeadlockError, match="main waits for a batch; reader had ended with Value"
        ):
            clock.wait(clock.moment("a batch"))
        clock.sleep(1.0)  # who catches it may go on
        assert clock.now() == 1.0
    assert [name for name, _ in clock.failures] == ["reader"]


def test_who_is_left_at_the_end_is_named_and_ended():
    cleaned = []
    with VirtualClock() as clock:

        def forget():
            try:
                clock.wait(clock.moment("somebody to come"))
            finally:
                cleaned.append("up")

        clock.start_thread(forget, "forgotten thread")
        clock.sleep(1.0)
        (left,) = clock.settle()
        assert (left.name, left.what, left.since_s) == ("forgotten thread", "somebody to come", 0.0)
    assert joined("forgotten thread")
    assert cleaned == ["up"]


def test_a_thread_that_polls_for_ever_is_left_too():
    with VirtualClock() as clock:

        def poll():
            while True:
                clock.sleep(0.1)

        clock.start_thread(poll, "polling thread")
        clock.sleep(0.05)
        (left,) = clock.settle(limit_s=2.0)
        assert left.name == "polling thread"
        assert clock.now() == 2.0
    assert joined("polling thread")


def test_a_thread_that_never_had_its_turn_is_not_started():
    ran = []
    with VirtualClock() as clock:
        clock.start_thread(lambda: ran.append(1), "late")
    assert ran == []


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(),
    reason="signals reach the main thread",
)
def test_an_interruption_ends_a_thread_that_computes_for_ever():
    def spin():
        signal.raise_signal(signal.SIGINT)
        while True:
            pass

    with interrupts_raised(), pytest.raises(KeyboardInterrupt), VirtualClock() as clock:
        clock.start_thread(spin, "spinning thread")
        clock.sleep(1.0)
    assert joined("spinning thread")


@pytest.mark.skipif(
    threading.current_thread() is not threading.main_thread(),
    reason="signals reach the main thread",
)
def test_an_interruption_lets_a_thread_finish_its_import(tmp_path, monkeypatch):
    text = "import signal, time\nsignal.raise_signal(signal.SIGINT)\n"
    (tmp_path / "long_import.py").write_text(text + "for _ in range(40): time.sleep(0.01)\n")
    monkeypatch.syspath_prepend(tmp_path)

    def load():
        import_module("long_import")
        while True:
            pass

    with interrupts_raised(), pytest.raises(KeyboardInterrupt), VirtualClock() as clock:
        clock.start_thread(load, "loading thread")
        clock.sleep(1.0)
    assert joined("loading thread")
    assert sys.modules.pop("long_import", None)


@contextmanager
def interrupts_raised():
    """A signal raises KeyboardInterrupt in the main thread, whoever catches signals meanwhile."""

    def interrupt(_number, _frame):
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)
