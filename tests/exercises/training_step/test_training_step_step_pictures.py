"""Pictures and measures of the exercises about one step: readable, described, also while wrong."""

from __future__ import annotations

import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.training_step.checkpointing.measure import measure_checkpointing
from gpuedu.exercises.training_step.sgd_or_adam import valley_pictures
from gpuedu.figures.style import alt_text
from tests.exercises.parts import pictures_of
from tests.exercises.training_step import step_answers as own
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

PICTURES = pictures_of("training-step")

CASES = [
    ("training-step/large", ()),
    ("training-step/valley", ()),
    ("training-step/fragments", ()),
    ("training-step/step", ()),
    ("training-step/depth", ()),
    ("backward-by-hand", (own.backward,)),
    ("count-the-step", (own.gpt_step_flop,)),
    ("memory-ledger", (own.held_bytes, own.saved_bytes)),
    ("training-step/checkpointed", (own.checkpointed_step,)),
    ("checkpointing", (own.checkpointed_step, own.predicted_bytes)),
]

_SHOWN = ({"lr": 2 / 51}, {"lr": 0.025, "momentum": 0.75})


@pytest.mark.parametrize(("name", "answers"), CASES, ids=[name for name, _ in CASES])
def test_a_picture_is_readable_and_described(name, answers):
    ax = PICTURES[name](*answers)
    assert len(alt_text(ax)) > 30
    assert smallest_text_pt(ax.figure) >= 8
    assert not texts_outside(ax.figure)
    assert not overlapping_texts(ax.figure)


def test_the_first_figures_numbers_are_those_of_the_text():
    alt = alt_text(PICTURES["training-step/step"]())
    assert "24.6 MiB" in alt and "431 KiB" in alt


def test_the_opening_numbers_of_the_step_and_of_the_optimizers_are_those_of_the_texts():
    alt = alt_text(PICTURES["training-step/large"]())
    assert "4 texts: 21.4 ms, products 3.5 ms" in alt and "16 texts: 50.0 ms" in alt
    steps = [_steps_down(1e-4, **options) for options in _SHOWN]
    assert steps == [116, 28]


def _steps_down(share, **options):
    way = valley_pictures.walk("SGD", options, 130)
    losses = way[:, 0] ** 2 + valley_pictures.STEEPNESS * way[:, 1] ** 2
    return int((losses <= share * losses[0]).argmax())


def test_counts_stand_beside_pytorchs_with_a_word_about_each():
    text = PICTURES["training-step/counted"](
        own.mlp_step_flop, lambda *sizes: 2 * own.gpt_step_flop(*sizes)
    )
    assert text.count("equal") == 2 and text.count("2 times") == 2


def test_fused_attention_saves_less_and_the_more_the_longer_the_texts():
    rows = {
        line[:28].strip(): line[28:].split()
        for line in PICTURES["training-step/saved"]().splitlines()
    }
    plain, fused, long_plain, long_fused = map(float, rows["attention"])
    assert fused < plain < long_plain
    assert long_fused == pytest.approx(fused, rel=0.05)


def test_pictures_are_drawn_of_wrong_answers_too():
    PICTURES["memory-ledger"](
        lambda layers, optimizer: {"weights": 0, "gradients": -5, "optimizer": 1e12},
        lambda samples, layers: [0] * (len(layers) + 1),
    )
    PICTURES["count-the-step"](lambda *sizes: 0)

    def ordinary(segments, x, y, loss):
        for segment in segments:
            x = segment(x)
        value = loss(x, y)
        value.backward()
        return value

    PICTURES["checkpointing"](ordinary, lambda *sizes: -1)


def test_a_backward_without_the_gradients_that_are_drawn_is_named():
    with pytest.raises(AnswerError, match='"h" should be a PyTorch tensor'):
        PICTURES["backward-by-hand"](lambda saved: {"z": torch.zeros(64, 64)})


def test_the_measure_tells_times_and_flop():
    found = measure_checkpointing(own.checkpointed_step)
    assert found["times_the_flop"] == pytest.approx(4 / 3, abs=0.1)
    assert found["ordinary_s"] > 0
