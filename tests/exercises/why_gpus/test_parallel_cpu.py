"""parallel-cpu in its worker: what is right, what counts as parallel, what a card says."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from numba import njit, prange

from gpuedu.exercises.card import report_card
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from gpuedu.exercises.why_gpus.parallel_cpu import play
from gpuedu.exercises.why_gpus.parallel_cpu.judge import JUDGE
from gpuedu.exercises.why_gpus.parallel_cpu.parallel_record import record_of
from gpuedu.exercises.why_gpus.parallel_cpu.play import play_parallel_cpu


def with_prange(a, x, y, out):
    for i in prange(x.size):
        out[i] = a * x[i] + y[i]


def with_range(a, x, y, out):
    for i in range(x.size):
        out[i] = a * x[i] + y[i]


def with_arrays(a, x, y, out):
    out[:] = a * x + y


def with_temporary(a, x, y, out):
    scaled = a * x
    scaled += y
    out[:] = scaled


def with_one_chunk_a_thread(a, x, y, out):
    threads = numba.get_num_threads()
    for thread in prange(threads):
        for i in range(thread, x.size, threads):
            out[i] = a * x[i] + y[i]


def clears_in_parallel_only(a, x, y, out):
    out[:] = 0
    for i in range(x.size):
        out[i] = a * x[i] + y[i]


def one_parallel_step(a, x, y, out):
    for _ in prange(1):
        for i in range(x.size):
            out[i] = a * x[i] + y[i]


parallel = njit(parallel=True)


def hand_in(answer, seed=0):
    return examine(load("parallel-cpu"), [answer], seed)


def lost(report):
    return [name for name, holds in report.held().items() if not holds]


def fault(report, name):
    (found,) = (r.fault for r in report.results if r.property.name == name)
    return found


def record(answer):
    x = np.ones(8, np.float32)
    answer(np.float32(2), x, x, x.copy())
    return record_of(answer)


def played(answer, name="right", seed=0):
    """Faults of the answer in this process, by property, on the record and on ``name``'s cases."""
    found = {}
    for case in JUDGE.cases(np.random.default_rng(seed)):
        if {name, "parallel"} & set(case.decides):
            for item in JUDGE.seen(case, play_parallel_cpu([answer], case.inputs)):
                found.setdefault(item.property, item)
    return found


def test_the_reference_is_solved_in_a_process_of_its_own():
    report = hand_in(parallel(with_prange))
    assert report.state == "solved", str(report_card(report))
    assert load("parallel-cpu").play.isolated


def test_an_answer_is_compiled_once_for_all_cases():
    answer = parallel(with_prange)
    for name in ("right", "any-length"):
        assert not played(answer, name)
    assert len(answer.signatures) == 1, "more signatures are more seconds of compilation"


def test_the_record_is_told_before_the_function_first_runs(monkeypatch):
    """Compiled code checks no index: once it has run, it may have changed whatever is told."""
    drawn = JUDGE.cases(np.random.default_rng(0))
    recorded = [case.inputs["recorded"] for case in drawn]
    assert recorded[0] and recorded == sorted(recorded, reverse=True)
    assert [("parallel" in case.decides) for case in drawn] == recorded

    def run(*_arguments):
        raise AssertionError

    monkeypatch.setattr(play, "_call_compiled", run)
    found = play_parallel_cpu([parallel(with_prange)], drawn[0].inputs)
    assert found["loops_over_x"] == 1 and not found["alone"]


@pytest.mark.parametrize(
    "function", [with_prange, with_arrays, with_temporary, with_one_chunk_a_thread]
)
def test_what_counts_as_parallel(function):
    found = record(parallel(function))
    assert found["compiled"]
    assert found["asked"]
    assert found["loops_over_x"] >= 1


@pytest.mark.filterwarnings("ignore::numba.NumbaPerformanceWarning")
@pytest.mark.parametrize(
    ("answer", "asked", "some_loop"),
    [
        (parallel(with_range), True, False),
        (njit(with_prange), False, False),
        (njit(with_arrays), False, False),
        (parallel(clears_in_parallel_only), True, True),
        (parallel(one_parallel_step), True, True),
    ],
)
def test_what_does_not_count_as_parallel(answer, asked, some_loop):
    found = record(answer)
    assert found["loops_over_x"] == 0
    assert (found["compiled"], found["asked"]) == (True, asked)
    assert bool(found["loops"]) is some_loop
    assert set(played(answer)) == {"parallel"}


@pytest.mark.parametrize("answer", [with_range, with_arrays])
def test_plain_python_and_numpy_are_not_compiled(answer):
    found = played(answer)
    assert set(found) == {"parallel"}
    assert "plain Python" in found["parallel"].message


def test_other_names_of_the_arguments_are_found():
    @parallel
    def saxpy(factor, first, second, result):
        for i in prange(len(result)):
            result[i] = factor * first[i] + second[i]

    assert record(saxpy)["loops_over_x"] == 1


def test_a_function_of_any_arguments_is_recorded():
    @parallel
    def saxpy(*given):
        a, x, y, out = given
        for i in prange(x.size):
            out[i] = a * x[i] + y[i]

    assert record(saxpy)["loops"] == 1


def writes_behind(a, x, y, out):
    for i in prange(x.size + 1):
        out[i] = a * x[i] + y[i]


def test_writing_outside_is_seen_though_nothing_crashes():
    found = played(parallel(writes_behind))
    assert set(found) == {"right"}
    assert "before or after" in found["right"].message


def test_values_that_are_not_finite_are_wrong():
    for value in (np.nan, np.inf, -np.inf):
        assert "right" in played(lambda a, x, y, out, value=value: out.fill(value))


def test_float16_on_the_way_is_not_float32():
    def half(a, x, y, out):
        out[:] = (np.float16(a) * x.astype(np.float16)).astype(np.float32) + y

    assert "right" in played(half)


@pytest.mark.parametrize(("off_by", "faults"), [(0.0, set()), (2e-6, {"right"})])
def test_rounding_of_float32_is_all_that_is_forgiven(off_by, faults):
    def nearly(a, x, y, out):
        out[:] = (np.float64(a) * x + y) * (1 + off_by)

    assert set(played(nearly)) == faults | {"parallel"}


def test_what_numba_cannot_compile_is_told_in_a_sentence():
    @parallel
    def saxpy(a, x, y, out):
        for i in prange(x.size):
            out[i] = a * x + y[i]

    report = hand_in(saxpy)
    assert report.points == 0
    message = fault(report, "right").message
    assert "Numba cannot compile it" in message
    assert "setitem(array(float32" in message
    assert "Failed in nopython mode" not in message
    assert len(message) < 400


def test_a_function_of_three_arguments_is_refused():
    report = hand_in(lambda a, x, y: a * x + y)
    assert report.state == "refused"
    assert "saxpy(a, x, y, out)" in report.refusal


def test_nothing_done_earns_nothing_but_what_nothing_can_break():
    report = hand_in(lambda a, x, y, out: None)
    assert report.points == 0
    assert lost(report) == ["right", "any-length", "inputs", "parallel"]
