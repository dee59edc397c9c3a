"""Pictures of model parallelism: fit to print, of right answers and of drafts that are wrong."""

from __future__ import annotations

import logging

import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.figures.style import alt_text, to_png
from tests.exercises.parts import pictures_of
from tests.exercises.stored import solution_answers
from tests.figures.legibility import overlapping_texts, smallest_text_pt, texts_outside

PICTURES = pictures_of("model-parallel")
SPLIT, FORWARD, _ = solution_answers("column-row").values()
HEADS = solution_answers("attention-heads")["heads_of"]
BLOCK = solution_answers("sequence-parallel")["block_forward"]
ROUTE, LAYER, _ = solution_answers("experts").values()
PLAN = solution_answers("plan")["best_plan"]
DRAWN = {
    "model-parallel/one-layer": (),
    "model-parallel/links": (),
    "model-parallel/tokens-too": (),
    "column-row": (SPLIT, FORWARD),
    "attention-heads": (HEADS,),
    "sequence-parallel": (BLOCK,),
    "model-parallel/plan-times": (),
    "plan": (PLAN,),
    "experts": (ROUTE, LAYER),
}


def assert_fit_to_print(axes):
    ax = axes if hasattr(axes, "figure") else axes[0]
    assert len(alt_text(axes)) > 60
    assert overlapping_texts(ax) == []
    assert texts_outside(ax) == []
    assert smallest_text_pt(ax) >= 8.5
    assert len(to_png(axes)) > 10_000


@pytest.mark.parametrize("name", DRAWN)
def test_every_picture_is_fit_to_print(name, caplog):
    with caplog.at_level(logging.WARNING):
        assert_fit_to_print(PICTURES[name](*DRAWN[name]))
    assert caplog.messages == []


def test_columns_that_nobody_has_and_a_wrong_output_are_told():
    axes = PICTURES["column-row"](
        lambda w1, w2: (w1[:, :3], w2[:3]), lambda x, a, b, bias: x @ a @ b + bias
    )
    assert_fit_to_print(axes)
    assert "ranks 0, 1, 2, 3 | 0, 1, 2, 3 | 0, 1, 2, 3 | nobody" in alt_text(axes)
    assert "rank 0 sends 0 B, its y is off by" in alt_text(axes)


def test_a_split_into_whole_matrices_and_one_into_rows_are_drawn():
    def forward(x, a, b, bias):
        return torch.zeros_like(x)

    whole = PICTURES["column-row"](lambda w1, w2: (w1, w2), forward)
    assert_fit_to_print(whole)
    rows = PICTURES["column-row"](lambda w1, w2: (w1[:1], w2[:, :0]), forward)
    assert_fit_to_print(rows)
    assert "w1 (4 x 16) by rows, of ranks 0, 1, 2, 3 | nobody" in alt_text(rows)


def test_a_rank_without_a_head_that_it_needs_is_told():
    ax = PICTURES["attention-heads"](lambda rank, *_: ([2 * rank, 2 * rank + 1], [0]))
    assert_fit_to_print(ax)
    assert "rank 0 query heads [0, 1], key-value heads [0], all that it needs" in alt_text(ax)
    told = "rank 3 query heads [6, 7], key-value heads [0], has no key-value head 1"
    assert told in alt_text(ax)


def test_a_head_that_does_not_exist_is_crossed_out():
    ax = PICTURES["attention-heads"](lambda rank, *_: ([2 * rank, 2 * rank + 1], [rank]))
    assert_fit_to_print(ax)
    assert "key-value heads [2], there is no key-value head 2" in alt_text(ax)
    assert len([one for one in ax.patches if one.get_hatch()]) == 2


def test_tokens_with_another_ranks_mask_are_crossed_out():
    def forward(x, pieces, mask):
        return BLOCK(x, pieces, mask[: len(x)].repeat(4, 1))

    axes = PICTURES["sequence-parallel"](forward)
    assert_fit_to_print(axes)
    assert "in y, 2 of 8 of tokens are right" in alt_text(axes)


def test_a_plan_that_does_not_fit_or_does_not_exist_is_told():
    def whole(model, cluster):
        return {"data": 1_536, "tensor": 1, "pipeline": 1, "micro_batches": 1, "zero": 3}

    ax = PICTURES["plan"](whole)
    assert_fit_to_print(ax)
    assert "yours is not the fastest that fits" in ax.get_title(loc="left")
    assert "yours: data 1536 x tensor 1 x pipeline 1, 1 micro-batch, ZeRO 3" in alt_text(ax)
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
