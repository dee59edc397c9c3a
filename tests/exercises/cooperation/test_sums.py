"""Verdicts on block-sum and warp-sum: what a card says about a slip, and only about that slip."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.exercises.card import report_card
from gpuedu.exercises.registry import load
from gpuedu.simt import simulate
from tests.exercises.cooperation import answers
from tests.exercises.cooperation.answers import REFERENCE, fault, hand_in, lost

ALL = 0xFFFFFFFF


@pytest.mark.parametrize("exercise", REFERENCE)
def test_the_reference_earns_all_points_on_five_seeds(exercise):
    for seed in range(5):
        report = hand_in(exercise, seed=seed)
        assert report.state == "solved", (seed, str(report_card(report)))
        assert not report.findings


@pytest.mark.parametrize("exercise", REFERENCE)
def test_sums_are_exact_in_float32_in_any_order(exercise):
    for seed in range(5):
        for case in load(exercise).judge.cases(np.random.default_rng(seed)):
            assert np.abs(case.inputs["x"].astype(np.int64)).sum() < 2**24


def given_pairs(root) -> str:
    text = (root / "solutions/05_cooperation/05_cooperation.py").read_text("utf-8")
    (source,) = re.findall(r"@cuda\.jit\n(def sum_pairs\(.*?)\n\n\n# %%", text, re.DOTALL)
    return source


def test_the_given_kernel_is_right_and_the_prediction_is_what_it_does(root, tmp_path):
    file = tmp_path / "pairs.py"
    file.write_text(
        f"import numpy as np\nfrom gpuedu.backend import cuda\n\n\n{given_pairs(root)}\n", "utf-8"
    )
    space: dict = {}
    exec(compile(file.read_text("utf-8"), str(file), "exec"), space)
    report = hand_in("block-sum", cuda.jit(space["sum_pairs"]))
    assert lost(report) == ["whole-warps"]
    said = fault(report, "whole-warps").message
    truth = load("block-sum").judge.predictions["block-sum"].truth
    assert f"after 1 barrier, {truth} warps run line" in said
    assert "`part[t] += part[t + step]`" in said


def test_the_predicted_barriers_are_those_of_the_kernels():
    def barriers(kernel):
        x, sums = np.ones(256, np.float32), np.zeros(1, np.float32)
        return sum(
            int(site.arrivals[0]) for site in simulate(kernel.py_func, 1, 256, x, sums).barriers
        )

    @cuda.jit
    def one_barrier(x, sums):
        part = cuda.shared.array(32, np.float32)
        t = cuda.threadIdx.x
        total = answers.warp_sum(x[t])
        if t % 32 == 0:
            part[t // 32] = total
        cuda.syncthreads()
        if t < 32:
            total = answers.warp_sum(part[t] if t < cuda.blockDim.x // 32 else np.float32(0))
            if t == 0:
                sums[0] = total

    assert barriers(one_barrier) == load("warp-sum").judge.predictions["warp-sum"].truth
    assert barriers(answers.block_sum) == 8  # one before each round, and 9 with one behind each


def test_a_missing_barrier_is_told_though_the_sums_are_right():
    @cuda.jit
    def block_sum(x, sums):
        part = cuda.shared.array(256, np.float32)
        i, t = cuda.grid(1), cuda.threadIdx.x
        part[t] = x[i] if i < x.size else 0
        cuda.syncthreads()
        half = cuda.blockDim.x // 2
        while half > 0:
            if t < half:
                part[t] += part[t + half]
            half //= 2
        if t == 0:
            sums[cuda.blockIdx.x] = part[0]

    report = hand_in("block-sum", block_sum)
    assert lost(report) == ["ordered"]
    assert "`part[t] += part[t + half]`" in fault(report, "ordered").message
    assert "in *every* round" in fault(report, "ordered").cause


def test_threads_that_should_rest_are_asked_about_instead_of_barriers():
    @cuda.jit
    def block_sum(x, sums):
        part = cuda.shared.array(256, np.float32)
        i, t = cuda.grid(1), cuda.threadIdx.x
        part[t] = x[i] if i < x.size else 0
        cuda.syncthreads()
        half = cuda.blockDim.x // 2
        while half > 0:
            if t + half < cuda.blockDim.x:
                part[t] += part[t + half]
            cuda.syncthreads()
            half //= 2
        if t == 0:
            sums[cuda.blockIdx.x] = part[0]

    assert "should rest" in fault(hand_in("block-sum", block_sum), "ordered").cause


def test_half_the_elements_are_named():
    @cuda.jit
    def block_sum(x, sums):
        part = cuda.shared.array(256, np.float32)
        i, t = cuda.grid(1), cuda.threadIdx.x
        part[t] = x[i] if i < x.size else 0
        cuda.syncthreads()
        half = cuda.blockDim.x // 4
        while half > 0:
            if t < half:
                part[t] += part[t + half]
            cuda.syncthreads()
            half //= 2
        if t == 0:
            sums[cuda.blockIdx.x] = part[0]

    report = hand_in("block-sum", block_sum)
    assert "first half of the block's elements" in fault(report, "sum").cause
    assert "shows nothing yet" in fault(report, "whole-warps").message


def test_costs_are_judged_where_only_the_last_block_is_wrong():
    @cuda.jit
    def block_sum(x, sums):
        part = cuda.shared.array(256, np.float32)
        i, t = cuda.grid(1), cuda.threadIdx.x
        if i < x.size:
            part[t] = x[i]
        cuda.syncthreads()
        half = cuda.blockDim.x // 2
        while half > 0:
            if t < half:
                part[t] += part[t + half]
            cuda.syncthreads()
            half //= 2
        if t == 0:
            sums[cuda.blockIdx.x] = part[0]

    report = hand_in("block-sum", block_sum)
    assert lost(report) == ["sum", "inside"]
    assert "has no element" in fault(report, "inside").cause


def test_a_kernel_that_hands_nothing_around_earns_nothing():
    @cuda.jit
    def block_sum(x, sums):
        i = cuda.grid(1)
        if i < x.size and cuda.threadIdx.x == 0:
            sums[cuda.blockIdx.x] = x[i]

    report = hand_in("block-sum", block_sum)
    assert report.points == 0
    assert "first element alone" in fault(report, "sum").cause


def test_a_place_behind_a_small_block_is_told_from_a_missing_zero():
    @cuda.jit
    def block_sum(x, sums):
        part = cuda.shared.array(256, np.float32)
        i, t = cuda.grid(1), cuda.threadIdx.x
        part[t] = x[i] if i < x.size else 0
        cuda.syncthreads()
        half = 128
        while half > 0:
            if t < half:
                part[t] += part[t + half]
            cuda.syncthreads()
            half //= 2
        if t == 0:
            sums[cuda.blockIdx.x] = part[0]

    assert "A block has 64 threads here" in fault(hand_in("block-sum", block_sum), "inside").cause


@pytest.mark.parametrize(
    ("distances", "says"),
    [
        ((16, 8, 4, 2), "one lane in 2"),
        ((8, 4, 2, 1), "lanes 0 to 15"),
        ((16, 8, 4, 1), "2, 4, 8, 16, 32"),
        ((), "its own value"),
    ],
)
def test_the_distance_that_is_missing_is_asked_for(distances, says):
    @cuda.jit(device=True)
    def warp_sum(value):
        for d in (16, 8, 4, 2, 1):
            if d in distances:
                value += cuda.shfl_down_sync(ALL, value, d)
        return value

    @cuda.jit(device=True)
    def none(value):
        return value

    report = hand_in("warp-sum", warp_sum if distances else none, answers.sum_by_warps)
    assert lost(report) == ["warp"]
    assert says in fault(report, "warp").cause


def test_the_direction_of_a_shuffle_is_named():
    @cuda.jit(device=True)
    def with_guard(value):
        lane = cuda.threadIdx.x % 32
        for d in (1, 2, 4, 8, 16):
            below = cuda.shfl_up_sync(ALL, value, d)
            if lane >= d:
                value += below
        return value

    report = hand_in("warp-sum", with_guard, answers.sum_by_warps)
    assert "Lane 31 has the sum" in fault(report, "warp").cause


def test_a_device_function_without_return_is_told_without_our_kernel():
    @cuda.jit(device=True)
    def warp_sum(value):
        value += cuda.shfl_down_sync(ALL, value, 16)

    found = fault(hand_in("warp-sum", warp_sum, answers.sum_by_warps), "warp")
    assert "call_on_lanes" not in found.message
    assert "`return`" in found.cause


def test_a_kernel_that_needs_what_is_not_returned_hears_of_the_return_too():
    @cuda.jit(device=True)
    def warp_sum(value):
        value += cuda.shfl_down_sync(ALL, value, 16)

    @cuda.jit
    def sum_by_warps(x, sums):
        total = warp_sum(x[cuda.grid(1)])
        sums[cuda.blockIdx.x] = total

    said = fault(hand_in("warp-sum", warp_sum, sum_by_warps), "sum").cause
    assert "returns nothing" not in said
    assert "return its value" in said


def test_a_shuffle_that_some_lanes_never_reach_is_told_with_thread_and_line():
    @cuda.jit
    def sum_by_warps(x, sums):
        part = cuda.shared.array(32, np.float32)
        i, t = cuda.grid(1), cuda.threadIdx.x
        total = np.float32(0)
        if i < x.size:
            total = answers.warp_sum(x[i])
        if t % 32 == 0:
            part[t // 32] = total
        cuda.syncthreads()
        if t < 32:
            total = answers.warp_sum(part[t] if t < cuda.blockDim.x // 32 else np.float32(0))
            if t == 0:
                sums[cuda.blockIdx.x] = total

    report = hand_in("warp-sum", answers.warp_sum, sum_by_warps)
    assert "together" in lost(report)
    assert "thread 6 of block 2" in fault(report, "together").message
    assert "inside an `if`" in fault(report, "together").cause
    assert "`sums[2]`" in fault(report, "sum").message
    assert "no lane handed over" in fault(report, "sum").cause


def test_the_first_warp_counted_twice_is_named():
    @cuda.jit
    def sum_by_warps(x, sums):
        part = cuda.shared.array(32, np.float32)
        i, t = cuda.grid(1), cuda.threadIdx.x
        total = answers.warp_sum(x[i] if i < x.size else np.float32(0))
        if t % 32 == 0:
            part[t // 32] = total
        cuda.syncthreads()
        if t == 0:
            for w in range(cuda.blockDim.x // 32):
                total += part[w]
            sums[cuda.blockIdx.x] = total

    report = hand_in("warp-sum", answers.warp_sum, sum_by_warps)
    assert "in it twice" in fault(report, "sum").cause


def test_many_barriers_and_much_memory_are_told_with_their_number():
    report = hand_in("warp-sum", answers.warp_sum, answers.block_sum)
    assert "little" in lost(report)
    assert "1024 bytes" in fault(report, "little").message


def test_a_step_for_each_lane_is_told_though_the_sum_is_right():
    @cuda.jit(device=True)
    def warp_sum(value):
        total = value
        for d in range(1, 32):
            total += cuda.shfl_down_sync(ALL, value, d)
        return total

    report = hand_in("warp-sum", warp_sum, answers.sum_by_warps)
    assert lost(report) == ["little"]
    assert "and five steps do it" in fault(report, "little").message


def test_one_thread_that_adds_the_warps_is_noted_and_earns_all():
    @cuda.jit
    def sum_by_warps(x, sums):
        part = cuda.shared.array(32, np.float32)
        i, t = cuda.grid(1), cuda.threadIdx.x
        own = answers.warp_sum(x[i] if i < x.size else np.float32(0))
        if t % 32 == 0:
            part[t // 32] = own
        cuda.syncthreads()
        if t == 0:
            total = np.float32(0)
            for w in range(cuda.blockDim.x // 32):
                total += part[w]
            sums[cuda.blockIdx.x] = total

    report = hand_in("warp-sum", answers.warp_sum, sum_by_warps)
    assert report.state == "solved"
    assert any("in five steps" in seen.message for seen in report.findings)


def test_rounds_for_256_are_told_from_one_thread_that_adds():
    @cuda.jit
    def block_sum(x, sums):
        part = cuda.shared.array(256, np.float32)
        i, t = cuda.grid(1), cuda.threadIdx.x
        part[t] = x[i] if i < x.size else 0
        cuda.syncthreads()
        for gap in (128, 64, 32, 16, 8, 4, 2, 1):
            if t < gap and t + gap < cuda.blockDim.x:
                part[t] += part[t + gap]
            cuda.syncthreads()
        if t == 0:
            sums[cuda.blockIdx.x] = part[0]

    report = hand_in("block-sum", block_sum)
    assert lost(report) == ["rounds"]
    assert "how many threads the block has" in fault(report, "rounds").cause
