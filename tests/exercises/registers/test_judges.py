"""Verdicts of the lesson beyond what the proofs hold: truth models, consequences, refusals."""

from __future__ import annotations

import re
from copy import deepcopy
from itertools import pairwise
from itertools import product as combinations

import numpy as np
import pytest

from gpuedu.compilers import CompilerMissingError
from gpuedu.exercises.contract import Fault, Undecided
from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registers import accounts, kernels
from gpuedu.exercises.registers.occupancy import judge as occupancy
from gpuedu.exercises.registers.occupancy.sms import SMS
from gpuedu.exercises.registers.read_the_ladder import judge as read_the_ladder
from gpuedu.exercises.registers.read_the_ladder.judge.limits import LIMITS, attainable, limit_of
from gpuedu.exercises.registry import load
from gpuedu.hardware.occupancy import occupancy as occupancy_of
from tests.exercises.reports import fault, lost
from tests.exercises.stored import stored_answers

RIGHT = {
    "occupancy": "with_math",
    "register-tile": "writes_by_itself",
    "vector-loads": "two_more_names",
    "read-the-ladder": "by_intensity",
}


def hand_in(exercise: str, kind: str = "right", name: str = "", **changed: object) -> Report:
    """The verdict on a stored answer, a part of it changed."""
    answers = {**stored_answers(exercise, kind, name or RIGHT[exercise]), **changed}
    return examine(load(exercise), tuple(answers.values()))


@pytest.mark.parametrize("capability", SMS)
def test_what_an_sm_has_is_what_the_course_knows_of_it(capability):
    blocks_per_sm = stored_answers("occupancy", "right", "with_math")["blocks_per_sm"]
    launches = combinations((32, 96, 256, 1024), (16, 33, 64), (0, 1000, 16_384, 48_000))
    for threads, registers, shared in launches:
        expected = occupancy_of(capability, threads, registers, shared).blocks_per_sm
        got = blocks_per_sm(SMS[capability], threads, registers, shared)
        assert got == expected, (threads, registers, shared)


def test_drawn_launches_have_one_limit_each():
    for case in occupancy.cases(np.random.default_rng(3)):
        if case.decides == ("least",):
            given = case.inputs
            asked = (given["threads"], given["registers"], given["shared_bytes"])
            assert len(occupancy_of(given["capability"], *asked).limiters) == 1


def test_a_factory_that_returns_nothing_is_refused_in_words():
    report = hand_in("register-tile", make_matmul=lambda t, side: None)
    assert "should return the kernel" in fault(report, "right").message
    assert report.points == 0


def test_without_a_compiler_registers_are_not_judged(monkeypatch):
    def missing(*_args, **_options):
        raise CompilerMissingError("no compiler")

    monkeypatch.setattr("gpuedu.compilers.compiled_facts", missing)
    for exercise in ("register-tile", "vector-loads"):
        report = hand_in(exercise)
        assert report.state == "solved"
        assert any("no compiler here" in found.message for found in report.findings)


def test_sums_in_registers_are_found_by_the_compiler_alone():
    make_matmul = stored_answers("register-tile", "right", "writes_by_itself")["make_matmul"]
    try:
        facts = kernels.compiled_tile(kernels.tile_kernel(make_matmul, 8))
    except CompilerMissingError:
        pytest.skip("no compiler here")
    assert not facts["stack_bytes"] and not facts["spill_bytes"]
    assert facts["fma"] == 4 * facts["shared_loads"]


@pytest.mark.parametrize("says", ["", "none here"])
def test_factors_asked_for_again_are_a_fault_whatever_the_compiler_makes_of_it(says):
    judge, play = load("register-tile").judge, load("register-tile").play
    case = next(one for one in judge.cases(np.random.default_rng(0)) if one.inputs["compile"])
    answers = tuple(stored_answers("register-tile", "right", "writes_by_itself").values())
    observed = play.run(answers, deepcopy(dict(case.inputs)))
    wasteful = [
        re.sub(r'"ideal_wavefronts": (\d+)', lambda n: f'"ideal_wavefronts": {n[1]}0', one)
        for one in observed["shared.traffic"]
    ]
    seen = observed | {"shared.traffic": wasteful, "compiler": says}
    seen |= {"fma": 64, "shared_loads": 16, "registers": 99, "stack_bytes": 0, "spill_bytes": 0}
    found = [one for one in judge.seen(case, seen) if isinstance(one, Fault)]
    assert [one.property for one in found] == ["intensity"]
    assert ("removes the repeats" in found[0].message) == (not says)


@pytest.mark.parametrize("name", ["no_first_barrier", "no_second_barrier", "not_set_to_zero"])
def test_what_is_left_to_chance_is_not_judged(name):
    report = hand_in("register-tile", "wrong", name)
    assert lost(report) == {"right", "waits"}
    assert isinstance(fault(report, "right"), Undecided)


def test_a_tile_that_may_begin_anywhere_is_found_by_the_compiler():
    report = hand_in("vector-loads", "wrong", "not_aligned")
    if any("no compiler here" in one.message for one in report.findings):
        pytest.skip("no compiler here")
    assert "any multiple of 4 bytes" in fault(report, "inside").message


def test_a_tile_filled_by_all_rows_of_threads_is_told_as_often():
    report = hand_in("vector-loads", "wrong", "fills_sixteen_times")
    assert "16.0 times as many bytes" in fault(report, "sectors").message


def test_places_of_a_float4_are_told_in_floats():
    report = hand_in("vector-loads", "wrong", "half_a_tile")
    assert "(its floats 32 to 35)" in fault(report, "waits").message
    assert "(its floats 32 to 35)" in fault(report, "right").message


def test_a_float4_past_its_tile_is_no_second_fault():
    assert "waits" not in lost(hand_in("vector-loads", "wrong", "padded_by_one"))


def test_parameters_that_do_not_fit_are_told_as_the_learners():
    from gpuedu.backend import cp

    text = 'extern "C" __global__ void matmul(const float* a, const float* b, float* c, int M) {}'
    report = hand_in("vector-loads", matmul=cp.RawKernel(text, "matmul"))
    assert "parameters do not fit" in fault(report, "right").message


@pytest.mark.parametrize("seed", range(20))
def test_each_limit_is_drawn_five_times_at_least(seed):
    cases = read_the_ladder.cases(np.random.default_rng(seed))
    found = [limit_of(case.inputs["account"]) for case in cases if case.inputs["ask"] == "limit"]
    assert min(found.count(name) for name in LIMITS) >= 5
    for case in cases[6:]:
        account = case.inputs["account"]
        times = sorted(account[k] / account[f"{k}_per_s"] for k in ("flop", "l1_bytes"))
        assert times[1] > 0 and account["warps"] <= 64


def test_the_five_have_five_limits_and_an_order():
    five = accounts.five()
    assert sorted(map(limit_of, five.values())) == sorted(LIMITS)
    shares = [attainable(five[name]) for name in read_the_ladder.ORDER]
    assert all(slow < 0.8 * fast for slow, fast in pairwise(shares))
    assert limit_of(five[read_the_ladder.SPILLING]) == "registers"


@pytest.mark.parametrize("name", ["A", "C", "D", "E"])
def test_the_five_are_what_the_machine_and_the_compiler_count(name):
    try:
        counted = accounts.count(accounts.ENTRANTS[name])
    except CompilerMissingError:
        pytest.skip("no compiler here")
    shown = accounts.five()[name]
    assert counted == {key: shown[key] for key in counted}


def test_the_one_that_spills_does():
    try:
        counted = accounts.count(accounts.ENTRANTS[read_the_ladder.SPILLING])
    except CompilerMissingError:
        pytest.skip("no compiler here")
    assert counted["spill_bytes"] > 500
    assert counted["warps"] == 32


def test_an_order_by_another_list_is_told_which_letters():
    report = hand_in("read-the-ladder", "wrong", "with_the_spilling")
    assert "should have A, C, D, E" in fault(report, "order").message
    assert lost(report) == {"order"}


def test_a_text_that_is_no_limit_is_told_with_the_five():
    report = hand_in("read-the-ladder", limit_of=lambda account: "memory")
    assert "none of sectors, data path, device memory" in fault(report, "memory").message
