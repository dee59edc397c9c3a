"""Verdicts of the lesson: reference answers, what a card says about a slip, and only that slip."""

from __future__ import annotations

import re
from copy import deepcopy
from itertools import pairwise
from itertools import product as combinations

import numpy as np
import pytest

from gpuedu.compilers import CompilerMissingError
from gpuedu.exercises.card import report_card
from gpuedu.exercises.contract import Fault
from gpuedu.exercises.registers import accounts, kernels
from gpuedu.exercises.registers.judge import products
from gpuedu.exercises.registers.occupancy import judge as occupancy
from gpuedu.exercises.registers.occupancy.sms import SMS
from gpuedu.exercises.registers.read_the_ladder import judge as read_the_ladder
from gpuedu.exercises.registers.read_the_ladder.judge.limits import LIMITS, attainable, limit_of
from gpuedu.exercises.registry import load
from gpuedu.hardware.occupancy import occupancy as occupancy_of
from gpuedu.syllabus import lesson
from tests.exercises.registers import answers
from tests.exercises.registers.answers import REFERENCE, fault, hand_in, lost


def test_every_exercise_of_the_lesson_has_a_reference():
    assert set(REFERENCE) == set(lesson("registers").exercises)


@pytest.mark.parametrize("exercise", REFERENCE)
def test_the_reference_earns_all_points(exercise):
    for seed in range(2):
        report = hand_in(exercise, seed=seed)
        assert report.state == "solved", (seed, str(report_card(report)))


def test_points_are_as_the_lesson_says():
    points = {name: load(name).judge.points for name in lesson("registers").exercises}
    assert points == {
        "occupancy": 6,
        "register-tile": 7,
        "vector-loads": 6,
        "read-the-ladder": 6,
        "double-buffer": 6,
    }


@pytest.mark.parametrize("capability", SMS)
def test_what_an_sm_has_is_what_the_course_knows_of_it(capability):
    launches = combinations((32, 96, 256, 1024), (16, 33, 64), (0, 1000, 16_384, 48_000))
    for threads, registers, shared in launches:
        expected = occupancy_of(capability, threads, registers, shared).blocks_per_sm
        got = answers.blocks_per_sm(SMS[capability], threads, registers, shared)
        assert got == expected, (threads, registers, shared)


def test_drawn_launches_have_one_limit_each():
    for case in occupancy.cases(np.random.default_rng(3)):
        if case.decides == ("least",):
            given = case.inputs
            asked = (given["threads"], given["registers"], given["shared_bytes"])
            assert len(occupancy_of(given["capability"], *asked).limiters) == 1


def test_whoever_leaves_out_the_reserve_is_told():
    def blocks(sm, *launch):
        return answers.blocks_per_sm(sm | {"reserved_bytes": 0}, *launch)

    report = hand_in("occupancy", blocks, answers.warps_needed)
    assert "keeps for itself" in fault(report, "shared").cause
    assert set(lost(report)) <= {"shared", "least"}


def test_a_factory_that_returns_nothing_is_refused_in_words():
    def make(t, side):
        answers.make_matmul(t, side)

    report = hand_in("register-tile", make)
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


def test_sums_written_where_others_are_written_are_told_as_that():
    case = next(iter(load("register-tile").judge.cases(np.random.default_rng(0))))
    got = case.inputs["c"].copy()
    got[::4, ::4] += 1
    faults = list(products.value_faults("right", case, seen_without(case, got), 4))
    assert "in which row does the thread with y = 1 begin" in faults[0].cause


def seen_without(case, c):
    return {**{name: case.inputs[name] for name in "ab"}, "c": c, "sightings": []}


def test_several_rules_that_give_one_number_are_all_told():
    sm = dict(SMS[8, 9])
    got = occupancy._blocks(sm, (352, 84, 32_000), "registers up")
    cause = occupancy._cause(got, sm, (352, 84, 32_000))
    assert "quarter of the registers" in cause and "units of 256" in cause


def test_sums_on_the_stack_are_found_by_the_compiler_alone():
    kernel = kernels.tile_kernel(answers.make_matmul, 8)
    try:
        facts = kernels.compiled_tile(kernel)
    except CompilerMissingError:
        pytest.skip("no compiler here")
    assert not facts["stack_bytes"] and not facts["spill_bytes"]
    assert facts["fma"] == 4 * facts["shared_loads"]


@pytest.mark.parametrize("says", ["", "none here"])
def test_factors_asked_for_again_are_a_fault_whatever_the_compiler_makes_of_it(says):
    judge, play = load("register-tile").judge, load("register-tile").play
    case = next(one for one in judge.cases(np.random.default_rng(0)) if one.inputs["compile"])
    observed = play.run(REFERENCE["register-tile"], deepcopy(dict(case.inputs)))
    wasteful = [
        re.sub(r'"ideal_wavefronts": (\d+)', lambda n: f'"ideal_wavefronts": {n[1]}0', one)
        for one in observed["shared_traffic"]
    ]
    seen = observed | {"shared_traffic": wasteful, "compiler": says}
    seen |= {"fma": 64, "shared_loads": 16, "registers": 99, "stack_bytes": 0, "spill_bytes": 0}
    found = [one for one in judge.verdict(case, seen) if isinstance(one, Fault)]
    assert [one.property for one in found] == ["intensity"]
    assert ("takes the repeats out" in found[0].message) == (not says)


def vector_report(*edits):
    text = answers.CODE
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return hand_in("vector-loads", answers.cp.RawKernel(text, "matmul"))


def test_four_single_loads_are_a_fault_though_a_compiler_may_merge_them():
    read = "float4 p = *(const float4*)&a_tile[k][4 * y]"
    single = ", ".join(f"a_tile[k][4 * y + {n}]" for n in range(4))
    report = vector_report((read, f"float4 p = {{{single}}}"))
    assert lost(report) == ["vectors"]


def test_a_tile_that_may_begin_anywhere_is_found_by_the_compiler():
    report = vector_report(("__align__(16) ", ""))
    if any("no compiler here" in one.message for one in report.findings):
        pytest.skip("no compiler here")
    assert "any multiple of 4 bytes" in fault(report, "inside").message


def test_a_tile_filled_by_all_rows_of_threads_is_a_fault():
    report = vector_report(("n = 16 * y + x; n < 512; n += 256", "n = x; n < 512; n += 16"))
    assert "16.0 times as many bytes" in fault(report, "sectors").message


def test_places_of_a_float4_are_told_in_floats_and_their_cause_first():
    report = vector_report(("n < 512", "n < 256"))
    assert "(its floats 32 to 35)" in fault(report, "waits").message
    assert "nobody had written" in fault(report, "right").cause


def test_rows_that_are_one_float_longer_break_a_float4():
    text = answers.CODE.replace("a_tile[8][68]", "a_tile[8][65]")
    report = hand_in("vector-loads", answers.cp.RawKernel(text, "matmul"))
    assert "multiple of 16" in fault(report, "inside").message
    assert "further down" in fault(report, "right").cause
    assert "waits" not in lost(report)


def test_parameters_that_do_not_fit_are_told_as_the_learners():
    text = answers.CODE.replace("int M, int N, int K", "int M, int N").replace("K", "M")
    report = hand_in("vector-loads", answers.cp.RawKernel(text, "matmul"))
    assert "parameters do not fit" in fault(report, "right").message


@pytest.mark.parametrize("seed", range(20))
def test_each_limit_is_drawn_as_often_and_clearly(seed):
    cases = read_the_ladder.cases(np.random.default_rng(seed))
    found = [limit_of(case.inputs["account"]) for case in cases if case.inputs["ask"] == "limit"]
    assert {name: found.count(name) for name in LIMITS} == dict.fromkeys(LIMITS, 5)
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
    report = hand_in("read-the-ladder", answers.ORDER | {"third": "B"}, answers.limit_of)
    assert re.search("should have A, C, D, E", fault(report, "order").message)
    assert lost(report) == ["order"]
