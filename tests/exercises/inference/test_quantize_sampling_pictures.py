"""Pictures of quantize and sampling: of right answers, and of those that give what is no number."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.exercises.registry import load_picture
from gpuedu.figures.style import alt_text
from tests.exercises.stored import stored_answers
from tests.figures.legibility import assert_fit_to_print


def no_weights(codes, scale, zero):
    return np.full(codes.shape, np.nan, np.float32)


@pytest.mark.parametrize("name", ["group_by_group", "ends_first"])
def test_an_outlier_spoils_its_group_only(name):
    quantize, dequantize, *_ = stored_answers("quantize", "right", name).values()
    axes = load_picture("quantize")(quantize, dequantize)
    assert "is 0.018 with one group for the row, and 0.0032 with" in alt_text(axes)
    assert_fit_to_print(axes)


def test_formats_are_told_with_their_bits_and_losses():
    quantize, dequantize, pack, _ = stored_answers("quantize", "right", "ends_first").values()
    axes = load_picture("inference/formats")(quantize, dequantize, pack)
    assert "4 bits in 32s 16% at 5.25 bits. Losses" in alt_text(axes)
    assert_fit_to_print(axes)


def test_weights_that_are_no_numbers_are_said_to_be_none():
    quantize, _, pack, _ = stored_answers("quantize", "right", "ends_first").values()
    axes = load_picture("quantize")(quantize, no_weights)
    assert axes[0].texts[-1].get_text() == "128 of 128 errors\nare not finite numbers"
    assert_fit_to_print(axes)
    axes = load_picture("inference/formats")(quantize, no_weights, pack)
    assert axes[1].texts[-1].get_text() == "no number to draw:\n8 bits\n4 bits\n4 bits in 32s"
    assert_fit_to_print(axes)


@pytest.mark.parametrize(
    ("kind", "name", "told"),
    [
        ("right", "with_a_mask", 'after "if x is No" top-p 0.9 keeps 2 and top-k 5 keeps 5'),
        ("wrong", "not_scaled_after_top_k", "top-p 0.9 keeps 2 and top-k 5 adds up to 0.98"),
    ],
)
def test_what_is_left_is_counted(kind, name, told):
    probabilities, _ = stored_answers("sampling", kind, name).values()
    axes = load_picture("sampling")(probabilities)
    assert told in alt_text(axes)
    assert_fit_to_print(axes)


def test_what_are_no_probabilities_is_said():
    axes = load_picture("sampling")(lambda scores, *_: np.full(scores.shape, np.nan))
    told = [one.get_text() for one in axes[0].get_legend().texts]
    assert "top-p 0.9 gives NaN or infinity" in told
    assert_fit_to_print(axes)


def test_texts_start_alike_and_go_round_in_a_circle_at_temperature_0():
    probabilities, draw = stored_answers("sampling", "right", "token_by_token").values()
    told = load_picture("inference/texts")(probabilities, draw)
    assert told.count("\ndef read(") == 5
    assert told.count("self._filename = self._filename") > 2
