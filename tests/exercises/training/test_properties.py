"""Properties of training: each tells its counterexample, and only where there is one."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from gpuedu.exercises.contract import Case, Fault, Property, Undecided
from gpuedu.exercises.training.bands import Band
from gpuedu.exercises.training.properties import (
    at_most,
    of_each,
    of_largest,
    per_case,
    reaches_band,
    same_values,
    unless,
    wait_faults,
)
from gpuedu.exercises.training.waits import waits_of
from gpuedu.training.synchronizations import SynchronizationCounter

CASE = Case("", {"most": 8})


def told(prop, observed, case=CASE):
    return [fault.message for fault in prop.test(case, observed)]


@pytest.mark.parametrize(
    ("room", "got", "message"),
    [
        (of_each(0.01), [[1.0, 2e-9]], []),
        (
            of_each(0.01),
            [[1.0, 3e-9]],
            ["weight 1 of step 0 is 3e-09, in torch 2e-09 (1 of 2 differ)"],
        ),
        (of_largest(0.01), [[1.0, 3e-9]], []),
        (
            of_largest(0.01),
            [[np.nan, 2e-9]],
            ["weight 0 of step 0 is nan, in torch 1 (1 of 2 differ)"],
        ),
    ],
)
def test_values_have_room_of_their_own_or_of_the_largest(room, got, message):
    prop = same_values(
        "same",
        "",
        1,
        lambda inputs: {"walk": np.array([[1.0, 2e-9]])},
        "walk",
        room=room,
        place=lambda step, at: f"weight {at} of step {step}",
        of="in torch",
        asks="?",
    )
    assert told(prop, {"walk": np.array(got)}) == message


def test_a_reference_is_computed_once_a_case():
    calls = []
    reference = per_case(lambda inputs: calls.append(inputs) or {})
    other = Case("", {})
    for case in (CASE, CASE, other, other, CASE):
        reference(case.inputs)
    assert len(calls) == 3


def test_a_count_that_is_no_number_is_too_large():
    prop = at_most(
        "few",
        "",
        1,
        "count",
        lambda inputs: inputs["most"],
        tell=lambda inputs, got, most: f"{got}, {most}",
        asks="?",
    )
    assert [told(prop, {"count": count}) for count in (8, 9, float("nan"))] == [
        [],
        ["9, 8"],
        ["nan, 8"],
    ]


def test_an_outcome_below_the_band_is_told():
    prop = reaches_band(
        "band",
        "",
        1,
        "accuracies",
        lambda: Band(0.5, 0.6, 0.7, 50),
        margin=0.5,
        tell=lambda outcomes, band: f"{min(outcomes)} of {band.lowest}",
        asks="?",
    )
    assert told(prop, {"accuracies": [0.1, 0.41, 0.9]}) == []
    assert told(prop, {"accuracies": [0.1, 0.3, 0.9]}) == ["0.1 of 0.5"]


def test_what_is_lost_already_is_undecided():
    prop = Property("few", "", 1, "?", lambda case, seen: [Fault("few", "9")] * seen["wrong"])
    prop = unless(prop, lambda case, seen: seen["why"])
    assert told(prop, {"wrong": 0, "why": "nothing was trained"}) == []
    assert list(prop.test(CASE, {"wrong": 1, "why": ""})) == [Fault("few", "9")]
    (fault,) = prop.test(CASE, {"wrong": 1, "why": "nothing was trained"})
    assert fault == Undecided("few", "nothing was trained")


def waited(run):
    with SynchronizationCounter(stand_in=True) as counter:
        run(counter)
    return waits_of(counter)


def test_waits_are_told_by_line_with_the_question_of_their_kind():
    def run(counter):
        loss = TENSOR.sum()
        if loss > 1:
            loss.item()
        counter.next_step()
        loss.item()

    seen = waited(run)
    assert seen["waited"] == {"bool(tensor)": [1, 0], ".item()": [1, 1]}
    (fault,) = wait_faults("once", seen["waits"], 1)
    assert fault.message.startswith("the host waited 3 times: once on line")
    assert "What Python decides by a tensor" in fault.cause
    assert not list(wait_faults("once", seen["waits"], 3))


TENSOR = torch.ones(3)
