"""Triton's compiler in a process of its own: what it says comes back, and it may end there."""

from __future__ import annotations

import os
import signal

import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises import isolation
from gpuedu.exercises.contract import Case, Exercise, Judge
from gpuedu.exercises.examine import play_cases
from gpuedu.exercises.guard import ToldProblemError, play_guarded
from gpuedu.exercises.kernels import taking
from gpuedu.exercises.kernels.programs import program_play, run_program
from tests.triton.bodies import FIRST, kernel_with

RIGHT = "tl.store(out + at, v, mask=at < n)"
UNSEEN = """
y = tl.store(out + at, v, mask=at < n)
if n > 999:
    tl.store(out + at, y)
"""
"""The interpreter never gets to the line, of which an assertion of the compiler fails."""
ENDLESS = """
tl.store(out + at, v, mask=at < n)
if n > 999:
    for i in tl.static_range(1_000_000_000):
        tl.debug_barrier()
"""


@pytest.fixture(autouse=True)
def _no_worker_left():
    isolation.end_workers()
    yield
    isolation.end_workers()


def run(body):
    given = np.ones(64, np.float32), np.zeros(64, np.float32), 60, 64
    return run_program(kernel_with(body), 1, 128, *given)


def test_one_process_reads_every_kernel_and_this_one_none():
    run(RIGHT)
    (first,) = isolation._warm
    assert first.pid != os.getpid()
    with pytest.raises(AnswerError, match="a `return` in a loop"):
        run(f"{RIGHT}\nfor i in range(n):\n    return")
    run(RIGHT)
    assert isolation._warm == [first]


def test_an_assertion_of_the_compiler_ends_its_process_and_is_told():
    for _ in range(2):
        with pytest.raises(ToldProblemError) as found:
            run(UNSEEN)
        problem = found.value.problem
        assert f"gave up on `f` in line {FIRST + 2}: " in problem.message
        assert "(SIGABRT)" in problem.message
        assert "Its last words: invalid tensor element type" in problem.message
        assert f"line {FIRST}: `tl.store` returns no value" in problem.cause
        assert not isolation._warm
    run(RIGHT)


def test_a_check_ends_with_the_compilers_process():
    """As where a grader plays: there the player is gone, and plays no further case."""
    play = program_play("f(x, out, n, BLOCK)")
    exercise = Exercise("one", "none", play, Judge("One", (), (), lambda rng: []))
    arrays = {"x": np.ones(64, np.float32), "out": np.zeros(64, np.float32)}
    case = Case("one", {**arrays, "n": 60, "BLOCK": 64, "grid": 1, "threads": 128})
    (outcome,) = play_cases(exercise, [kernel_with(UNSEEN)], [case, case])
    assert "Triton's compiler itself gave up" in outcome.problem.message
    assert len(play_cases(exercise, [kernel_with(RIGHT)], [case, case])) == 2


def test_a_compiler_that_does_not_end_is_ended(monkeypatch):
    monkeypatch.setattr(taking, "LIMIT_S", 0.5)
    with pytest.raises(ToldProblemError) as found:
        run(ENDLESS)
    assert f"in line {FIRST + 3}: it was not done after 0.5 s" in found.value.problem.message
    assert "tl.static_range" in found.value.problem.cause
    assert not isolation._warm


def test_a_check_whose_time_is_up_ends_the_compiler():
    run(RIGHT)
    (worker,) = isolation._warm
    outcome = play_guarded(lambda: run(ENDLESS), 0.5)
    assert "did not finish within 0.5 s" in outcome.problem.message
    assert not worker.is_alive()
    assert not isolation._warm


def test_one_that_died_meanwhile_is_replaced():
    run(RIGHT)
    (worker,) = isolation._warm
    os.kill(worker.pid, signal.SIGKILL)
    worker.status()
    run(RIGHT)
    assert isolation._warm[0].pid != worker.pid


@pytest.mark.parametrize("assumed", ["at < 999", "n"])
def test_what_only_the_compiled_part_says_has_its_line(assumed):
    with pytest.raises(AnswerError, match=rf"`f` in line {FIRST}: .*must be 1-bit"):
        run(f"tl.assume({assumed})\n{RIGHT}")


def test_what_is_assumed_holds_where_it_is_run():
    run(f"tl.assume(n == 60)\n{RIGHT}")
    with pytest.raises(AnswerError, match=rf"on line {FIRST}, .*Assume failed"):
        run(f"tl.assume(n == 61)\n{RIGHT}")


def test_where_the_interpreter_meets_it_first_the_line_is_told_too():
    with pytest.raises(AnswerError, match=f"on line {FIRST + 1}, ") as found:
        run("y = tl.store(out + at, v, mask=at < n)\ntl.store(out + at, y)")
    assert f"line {FIRST}: `tl.store` returns no value" in found.value.remedy


def test_a_graders_player_starts_no_process(monkeypatch):
    monkeypatch.setattr(isolation, "_is_player", [True])
    run(RIGHT)
    with pytest.raises(AnswerError, match="a `return` in a loop"):
        run(f"{RIGHT}\nfor i in range(n):\n    return")
    assert not isolation._warm
