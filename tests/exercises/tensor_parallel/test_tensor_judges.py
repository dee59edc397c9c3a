"""One slip is counted once: what it does to other properties is undecided there."""

from __future__ import annotations

import pytest

from tests.exercises.reports import hand_in, hand_in_stored, lost, told, undecided


@pytest.mark.parametrize(
    ("exercise", "name", "loses"),
    [
        ("column-row", "not_summed", "forward"),
        ("column-row", "weights_averaged", "training"),
        ("column-row", "rest_dropped", "uneven"),
        ("attention-heads", "key_heads_dealt_out", "heads"),
        ("attention-heads", "no_minus_1", "gradient"),
        ("attention-heads", "padding_counts", "padding"),
        ("sequence-parallel", "own_tokens_in_dscale", "scale"),
        ("sequence-parallel", "first_rows_of_the_mask", "dropout"),
    ],
)
def test_a_slip_loses_one_property(exercise, name, loses):
    report = hand_in_stored(exercise, name)
    assert lost(report) - undecided(report) == {loses}


@pytest.mark.parametrize(
    ("exercise", "name", "prop", "says"),
    [
        ("column-row", "not_summed", "uneven", "with 2 columns for each rank, the result is not"),
        ("attention-heads", "no_minus_1", "stable", "with scores near 0, the result is not right"),
        ("attention-heads", "modulo", "copies", "`heads_of` gives other key-value heads than"),
        ("sequence-parallel", "no_residual", "dropout", "without dropout, the result is not right"),
    ],
)
def test_what_is_undecided_says_why(exercise, name, prop, says):
    assert says in told(hand_in_stored(exercise, name), prop)


def test_a_layer_that_is_whole_on_every_rank_earns_nothing():
    report = hand_in_stored("column-row", "nothing_split")
    assert lost(report) - undecided(report) == {"share"}
    assert undecided(report) == {"forward", "backward", "training", "uneven", "bytes"}


def test_a_slip_backward_costs_nothing_forward():
    def fails(*_):
        raise ValueError("backward")

    for exercise, name in (("column-row", "mlp"), ("sequence-parallel", "block")):
        report = hand_in(exercise, **{f"{name}_backward": fails})
        assert "forward" not in lost(report)
