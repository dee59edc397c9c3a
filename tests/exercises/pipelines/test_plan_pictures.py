"""Pictures of plans and experts: fit to print, of right answers and of drafts that are wrong."""

from __future__ import annotations

import logging

import pytest

from gpuedu.errors import AnswerError
from gpuedu.figures.style import alt_text
from tests.exercises.parts import pictures_of
from tests.exercises.stored import solution_answers
from tests.figures.legibility import assert_fit_to_print

PICTURES = pictures_of("pipelines")
ROUTE, LAYER, _ = solution_answers("experts").values()
DRAWN = {
    "pipelines/plan-times": (),
    "plan": (solution_answers("plan")["best_plan"],),
    "experts": (ROUTE, LAYER),
}


@pytest.mark.parametrize("name", DRAWN)
def test_every_picture_is_fit_to_print(name, caplog):
    with caplog.at_level(logging.WARNING):
        assert_fit_to_print(PICTURES[name](*DRAWN[name]))
    assert caplog.messages == []


def test_a_plan_that_does_not_fit_or_does_not_exist_is_told():
    def whole(model, cluster):
        return {"data": 1_536, "tensor": 1, "pipeline": 1, "micro_batches": 1, "zero": 3}

    ax = PICTURES["plan"](whole)
    assert_fit_to_print(ax)
    assert ax.get_title(loc="left") == "GPT-3 on 1,536 A100s: yours does not fit"
    assert "yours: data 1,536 x tensor 1 x pipeline 1, 1 micro-batch, ZeRO 3" in alt_text(ax)
    assert "yours: no plan" in alt_text(PICTURES["plan"](lambda *_: None))
    assert "yours: 1536 x 1 x 1 ranks are 1536, and there are 8192" in alt_text(
        PICTURES["plan"](whole, "llama-3")
    )
    with pytest.raises(AnswerError, match="there is no picture of 'bert'"):
        PICTURES["plan"](whole, "bert")


def test_dropped_tokens_that_are_lost_are_crossed_out():
    def lost(x, logits, capacity, w1, w2):
        return LAYER(x, logits, capacity, w1, w2) * ROUTE(logits, capacity)[2][:, None]

    axes = PICTURES["experts"](ROUTE, lost)
    assert_fit_to_print(axes)
    assert "2 of them dropped; 10 come back right" in alt_text(axes)
    assert "rank 1 sends 144 B, 2 of 3 tokens right" in alt_text(axes)
