"""parallel-cpu in its worker: what is right, what counts as parallel, what a card says."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from numba import njit, prange

from gpuedu.exercises.card import report_card
from gpuedu.exercises.examine import examine
from gpuedu.exercises.registry import load
from gpuedu.exercises.why_gpus.judge import parallel_cpu
from gpuedu.exercises.why_gpus.parallel_record import record_of
from gpuedu.exercises.why_gpus.play import play_parallel_cpu
from tests.exercises.why_gpus.answers import fault, lost


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


def record(answer):
    x = np.ones(8, np.float32)
    answer(np.float32(2), x, x, x.copy())
    return record_of(answer)


def played(answer, name="right", seed=0):
    """Faults of the answer in this process, by property, on the cases that decide ``name``."""
    found = {}
    for case in parallel_cpu.cases(np.random.default_rng(seed)):
        if name in case.decides:
            for item in parallel_cpu.verdict(case, play_parallel_cpu([answer], case.inputs)):
                found.setdefault(item.property, item)
    return found


def test_the_reference_is_solved_in_a_process_of_its_own():
    report = hand_in(parallel(with_prange))
    assert report.state == "solved", str(report_card(report))
    assert load("parallel-cpu").play.isolated


def test_the_reference_is_right_on_twenty_seeds():
    answer = parallel(with_prange)
    for seed in range(20):
        for name in ("right", "any-length"):
            assert not played(answer, name, seed)
    assert len(answer.signatures) == 1, "more signatures are more seconds of compilation"


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
    assert "before or behind" in found["right"].message


def misses_the_last(a, x, y, out):
    for i in range(x.size - 1):
        out[i] = a * x[i] + y[i]


def adds_to_out(a, x, y, out):
    out += a * x + y


def into_y(a, x, y, out):
    y[:] = a * x + y


def returns_it(a, x, y, out):
    return a * x + y


def rebinds(a, x, y, out):
    out = a * x + y  # noqa: F841


@pytest.mark.parametrize(
    ("answer", "props", "hint"),
    [
        (misses_the_last, {"right", "parallel"}, "does it skip"),
        (adds_to_out, {"right", "parallel"}, "old content"),
        (into_y, {"right", "inputs", "parallel"}, "Which line writes into it"),
        (returns_it, {"right", "inputs", "parallel"}, "returns a new array"),
        (rebinds, {"right", "inputs", "parallel"}, "another array"),
        (lambda a, x, y, out: np.add(x, y, out), {"right", "parallel"}, "`a` come in"),
        (lambda a, x, y, out: np.multiply(a, x, out), {"right", "parallel"}, "`y` come in"),
    ],
)
def test_slips_lose_their_property_and_are_named(answer, props, hint):
    found = played(answer)
    assert set(found) == props
    assert hint in found["right"].cause


def test_multiples_of_four_only_is_right_on_round_lengths():
    def by_fours(a, x, y, out):
        for start in range(0, x.size // 4 * 4, 4):
            out[start : start + 4] = a * x[start : start + 4] + y[start : start + 4]

    assert "right" not in played(by_fours)
    assert "any-length" in played(by_fours, "any-length")


def test_an_input_that_is_changed_is_named_with_its_index():
    def doubles_y(a, x, y, out):
        out[:] = a * x + y
        y[5] = 2 * y[5]

    found = played(doubles_y)
    assert set(found) == {"inputs", "parallel"}
    assert "`y[5]`" in found["inputs"].message


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


def starts_at_one(a, x, y, out):
    for i in prange(1, x.size):
        out[i] = a * x[i] + y[i]


def stops_one_early(a, x, y, out):
    for i in prange(x.size - 1):
        out[i] = a * x[i] + y[i]


def in_fours(a, x, y, out):
    for k in prange(x.size // 4):
        for i in range(4 * k, 4 * k + 4):
            out[i] = a * x[i] + y[i]


@pytest.mark.parametrize("function", [starts_at_one, stops_one_early, in_fours])
def test_who_leaves_the_inputs_alone_keeps_their_point(function):
    answer = parallel(function)
    found = played(answer, "any-length")
    assert set(found) == {"any-length"}
    assert "inputs" not in played(answer)


def test_an_input_that_is_almost_restored_is_shown_with_digits_enough():
    def scales_and_back(a, x, y, out):
        x *= a
        out[:] = x + y
        x /= a

    message = played(scales_and_back)["inputs"].message
    was, now = message.removeprefix(message.split(" was ")[0] + " was ").split(
        " before the call and is "
    )
    assert was != now.removesuffix(" after it")


def test_a_result_that_goes_nowhere_is_no_loop_over_something_else():
    found = played(parallel(rebinds))
    assert "nothing of it is used" in found["parallel"].message


@njit(parallel=True)
def helper(a, x, y, out):
    for i in prange(x.size):
        out[i] = a * x[i] + y[i]


def calls_helper(a, x, y, out):
    helper(a, x, y, out)


def test_a_compiled_helper_is_named():
    found = played(calls_helper)
    assert set(found) == {"parallel"}
    assert "saxpy` itself is plain Python" in found["parallel"].message
    assert "into `saxpy`" in played(parallel(calls_helper))["parallel"].cause


def test_a_walk_on_one_core_beside_the_parallel_loop_is_named():
    @parallel
    def saxpy(a, x, y, out):
        for i in prange(x.size):
            out[i] = a * x[i]
        for i in range(x.size):
            out[i] += y[i]

    found = played(saxpy)
    assert set(found) == {"parallel"}
    assert "one core walks over the elements" in found["parallel"].message
