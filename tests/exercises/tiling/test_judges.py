"""Verdicts of the lesson beyond what the proofs hold: consequences, notes, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.compilers import CompilerMissingError
from gpuedu.exercises.examine import Report, examine
from gpuedu.exercises.registry import load
from gpuedu.exercises.tiling.roofline.judge import in_sheet_units
from tests.exercises.reports import fault, lost, undecided
from tests.exercises.stored import stored_answers

RIGHT = {
    "roofline": "sorted_pairs",
    "naive": "unrolled_by_two",
    "accumulate-in-float32": "np_float32",
    "tiled": "padded",
    "any-shape": "zero_first",
}


def hand_in(exercise: str, kind: str = "right", name: str = "", **changed: object) -> Report:
    """The verdict on a stored answer, a part of it changed."""
    answers = {**stored_answers(exercise, kind, name or RIGHT[exercise]), **changed}
    return examine(load(exercise), tuple(answers.values()))


def test_places_are_told_with_both_intensities_or_with_the_three_names():
    limits = stored_answers("roofline", "right", "sorted_pairs")["limits"]
    report = hand_in("roofline", limits=limits | {"stencil": "device memory"})
    assert lost(report) == {"placed"}
    assert "0.212 FLOP for each byte through L1, 1.75" in fault(report, "placed").message
    report = hand_in("roofline", limits=dict.fromkeys(limits, "Device Memory"))
    assert "the three names are" in fault(report, "placed").message


def test_the_lesson_s_device_does_not_do_for_the_first_that_is_asked_about():
    attainable = stored_answers("roofline", "right", "sorted_pairs")["attainable"]
    h200 = in_sheet_units("h200-sxm")
    report = hand_in("roofline", attainable=lambda l1, memory, device: attainable(l1, memory, h200))
    (result,) = (one for one in report.results if one.property.name == "attainable")
    assert result.case.startswith("T4")


def test_what_is_not_written_is_told_with_the_grid():
    told = fault(hand_in("naive", "wrong", "grid_the_other_way"), "every").message
    assert "was not written. Your grid is (2, 3), x first, for 64 rows and 96" in told


def test_a_step_is_counted_by_request_and_a_launch_as_a_whole():
    told = fault(hand_in("naive", "wrong", "unrolled_by_columns"), "sectors").message
    assert "it asks for 33 sectors" in told
    told = fault(hand_in("naive", "wrong", "computed_twice"), "sectors").message
    assert "61,440 sectors of `a` and `b`, and 30,720 would do" in told


@pytest.mark.parametrize(
    ("blocks_for", "told"),
    [
        (lambda m, n: (np.ceil(n / 32), np.ceil(m / 32)), "whole numbers, of type int"),
        (lambda m, n: (n, m), "a block has 32 x 32 threads"),
    ],
)
def test_what_is_no_grid_is_refused(blocks_for, told):
    report = hand_in("naive", blocks_for=blocks_for)
    assert report.points == 0
    assert told in fault(report, "every").message


def test_a_block_too_many_loses_the_grid_alone():
    report = hand_in("naive", blocks_for=lambda m, n: (n // 32 + 1, m // 32 + 1))
    assert lost(report) == {"grid"}
    assert "12 blocks of 32 x 32 threads, and 6 have" in fault(report, "grid").message


def test_without_the_compiler_its_line_is_passed_with_a_note(monkeypatch):
    def missing(*_args, **_options):
        raise CompilerMissingError("no compiler")

    monkeypatch.setattr("gpuedu.compilers.compiled_facts", missing)
    report = hand_in("accumulate-in-float32")
    assert report.state == "solved"
    assert ["not installed here" in found.message for found in report.findings] == [True]


def test_a_right_kernel_is_told_its_intensity():
    (found,) = hand_in("tiled").findings
    assert found.message.startswith("6.86 FLOP for each byte")
    assert not hand_in("tiled", "wrong", "tile_turned").findings


@pytest.mark.parametrize("name", ["no_barriers", "no_first_barrier", "no_second_barrier"])
def test_with_a_race_the_values_are_undecided(name):
    report = hand_in("tiled", "wrong", name)
    assert (lost(report), undecided(report)) == ({"every", "waits"}, {"every"})


def test_where_threads_skip_a_barrier_the_values_are_undecided():
    report = hand_in("any-shape", "wrong", "barrier_in_a_guard")
    assert (lost(report), undecided(report)) == ({"edges", "tail", "waits"}, {"edges", "tail"})


@pytest.mark.parametrize(("exercise", "name"), [("tiled", "leaves_c"), ("naive", "writes_nothing")])
def test_a_kernel_that_writes_nothing_shows_nothing_else(exercise, name):
    report = hand_in(exercise, "wrong", name)
    assert report.points == 0
    assert lost(report) == {"every", *undecided(report)}


def test_values_are_as_badly_scaled_as_they_should_be():
    for exercise in ("naive", "tiled", "any-shape"):
        for case in load(exercise).judge.cases(np.random.default_rng(1)):
            sizes = np.abs(case.inputs["a"]).max(axis=1)
            assert sizes.max() > 3 * sizes.min() or len(sizes) < 3
