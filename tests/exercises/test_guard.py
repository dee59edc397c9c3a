"""The learner's code within limits: whatever it does becomes an Outcome."""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
import time

import pytest

from gpuedu.clock import VirtualClock
from gpuedu.errors import AnswerError, MissingPackageError
from gpuedu.exercises.guard import play_guarded, require_nothing_missing
from gpuedu.simt.host.numba_names import Uncompiled


def forever():
    while True:
        pass


def forever_deaf():
    while True:
        try:  # noqa: SIM105
            sum(range(100))
        except:  # noqa: E722
            pass


def test_a_result_is_kept_with_what_was_printed():
    def play():
        print("to stdout")
        print("to stderr", file=sys.stderr)
        os.write(1, b"to descriptor 1\n")
        os.write(2, b"to descriptor 2\n")
        return {"x": 1}

    outcome = play_guarded(play, 5)
    assert outcome.observed == {"x": 1}
    assert outcome.problem is None
    for said in ("to stdout", "to stderr", "to descriptor 1", "to descriptor 2"):
        assert said in outcome.printed


def test_nothing_of_it_reaches_the_terminal(capfd):
    play_guarded(lambda: (print("hidden"), os.write(2, b"hidden")), 5)
    assert capfd.readouterr() == ("", "")


def test_a_flood_is_bounded_and_says_so():
    outcome = play_guarded(lambda: print("x" * 10_000_000), 5)
    assert len(outcome.printed) < 30_000
    assert "not kept" in outcome.printed


def forever_deaf_in_many_lines():
    while True:
        try:
            a = sum(range(50))
            b = sum(range(50))
            c = a + b
            del c
        except BaseException:
            continue


@pytest.mark.parametrize(
    "play", [forever, forever_deaf, forever_deaf_in_many_lines, lambda: time.sleep(1000)]
)
def test_what_never_returns_is_ended(play):
    outcome = play_guarded(play, 0.2)
    assert "did not finish within 0.2 s" in outcome.problem.message
    assert outcome.problem.ends_check


def test_in_another_thread_too():
    outcomes = []
    runner = threading.Thread(target=lambda: outcomes.append(play_guarded(forever, 0.2)))
    runner.start()
    runner.join(30)
    assert "did not finish" in outcomes[0].problem.message


def test_no_alarm_is_left_behind():
    before = signal.getsignal(signal.SIGALRM)
    play_guarded(forever, 0.05)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_an_exception_names_the_learners_line_and_no_other():
    def learner(n):
        return 1 / n

    problem = play_guarded(lambda: learner(0), 5).problem
    assert "ZeroDivisionError: division by zero" in problem.message
    assert "`return 1 / n`" in problem.message
    assert "guard.py" not in problem.message


def test_a_line_of_code_that_a_library_makes_is_not_taken_for_the_cells():
    made = {}
    exec(compile("def refuse():\n    raise ValueError('no')", "<string>", "exec"), made)

    def learner():
        return made["refuse"]()

    problem = play_guarded(learner, 5).problem
    assert "ValueError: no" in problem.message
    assert '`return made["refuse"]()`' in problem.message
    assert "on line 2 of" not in problem.message


@pytest.mark.parametrize(
    ("play", "said"),
    [
        (lambda: sys.exit(3), "called `exit()`"),
        (lambda: (_ for _ in ()).throw(GeneratorExit), "GeneratorExit"),
        (lambda: input("?"), "your function called `input()`"),
    ],
)
def test_ways_out_are_closed(play, said):
    assert said in play_guarded(play, 5).problem.message


def test_deep_recursion_is_a_problem_not_a_crash():
    def deep(n):
        return deep(n + 1)

    assert "RecursionError" in play_guarded(lambda: deep(0), 5).problem.message


def test_an_exception_whose_text_fails_is_told():
    class RudeError(Exception):
        def __str__(self):
            raise ValueError

    def raise_rude():
        raise RudeError

    assert "could not be read" in play_guarded(raise_rude, 5).problem.message


def test_an_interrupt_by_the_learner_gets_out():
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_guarded(interrupt, 5)


def import_of_their_own():
    raise ModuleNotFoundError("No module named 'cupy'", name="cupy")


def test_a_package_that_the_learner_lacks_is_the_learners_import():
    problem = play_guarded(import_of_their_own, 5).problem
    assert problem.message.startswith("it raised ModuleNotFoundError: No module named 'cupy', on")
    assert not problem.is_missing


def test_a_package_that_the_course_lacks_is_no_fault_of_an_answer():
    outcome = play_guarded(lambda: Uncompiled(import_of_their_own)(), 5)
    assert outcome.problem.message == "This needs Numba, which is not installed"
    assert outcome.problem.is_missing
    with pytest.raises(MissingPackageError, match="This needs Numba"):
        require_nothing_missing(outcome)
    require_nothing_missing(play_guarded(import_of_their_own, 5))


@pytest.mark.parametrize("in_a_thread", [False, True])
def test_an_import_comes_to_its_end_before_the_time_is_up(tmp_path, monkeypatch, in_a_thread):
    """Half a package would stay among the modules, and fail every check that comes later."""
    (tmp_path / "takes_long.py").write_text(
        "import time\nend = time.monotonic() + 0.5\nwhile time.monotonic() < end: pass\nwhole = 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "takes_long", raising=False)

    def imports():
        import takes_long

        while takes_long.whole:
            pass

    outcomes = []
    play = lambda: outcomes.append(play_guarded(imports, 0.1))  # noqa: E731
    if in_a_thread:
        thread = threading.Thread(target=play)
        thread.start()
        thread.join()
    else:
        play()
    assert outcomes[0].problem.ends_check
    assert sys.modules["takes_long"].whole == 1


def test_the_threads_of_a_simulated_clock_are_ended_with_the_time():
    """One computes for ever, and while those before it are ended, the alarm rings again."""

    def stays_busy():
        while True:
            sum(range(100))

    def play():
        with VirtualClock() as clock:
            for number in range(3):
                clock.start_thread(lambda: clock.sleep(2.0), f"waiting thread {number}")
            clock.start_thread(stays_busy, "busy thread")
            clock.sleep(1.0)

    assert play_guarded(play, 0.2).problem.message == "it did not finish within 0.2 s"
    for one in threading.enumerate():
        if one.name == "busy thread":
            one.join(timeout=5)
            assert not one.is_alive()


@pytest.mark.parametrize("in_a_thread", [False, True])
def test_what_tells_of_an_error_in_a_finaliser_is_not_interrupted(monkeypatch, in_a_thread):
    """As pytest's and a notebook's: an exception that was raised in it would be told as its own."""
    told = []

    def tell(unraisable):
        end_s = time.monotonic() + 0.5
        while time.monotonic() < end_s:
            pass
        told.append(unraisable.exc_type)

    class Failing:
        def __del__(self):
            raise KeyError

    def leave_one_behind():
        Failing()
        while True:
            pass

    monkeypatch.setattr(sys, "unraisablehook", functools.partial(tell))
    outcomes = []
    play = functools.partial(play_guarded, leave_one_behind, 0.2)
    if in_a_thread:
        thread = threading.Thread(target=lambda: outcomes.append(play()))
        thread.start()
        thread.join()
    else:
        outcomes.append(play())
    assert outcomes[0].problem.message == "it did not finish within 0.2 s"
    assert told == [KeyError]


def test_what_is_raised_while_the_time_limit_ends_a_play_is_not_told_as_the_learners():
    def play():
        try:
            while True:
                sum(range(100))
        finally:
            raise RuntimeError("release unlocked lock")

    assert play_guarded(play, 0.2).problem.message == "it did not finish within 0.2 s"


@pytest.mark.parametrize(
    ("raises", "message", "cause"),
    [
        (lambda: AnswerError("no", remedy="try it again"), "no", "Try it again."),
        (lambda: ValueError("<function f at 0x7fc0> failed"), "<function f> failed", ""),
        (
            lambda: ValueError("operands could not be broadcast together with shapes (2,) (3,)"),
            "operands could not",
            "Which shapes does that line put together?",
        ),
    ],
)
def test_what_is_told_is_a_sentence_without_addresses(raises, message, cause):
    def fails():
        raise raises()

    problem = play_guarded(fails, 5.0).problem
    assert message in problem.message
    assert problem.cause == cause
