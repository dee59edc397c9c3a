"""Pictures of tensor parallelism: fit to print, of right answers and of drafts that are wrong."""

from __future__ import annotations

import logging

import pytest
import torch

from gpuedu.figures.style import alt_text
from tests.exercises.parts import pictures_of
from tests.exercises.stored import solution_answers
from tests.figures.legibility import (
    assert_fit_to_print,
)

PICTURES = pictures_of("tensor-parallel")
SPLIT, FORWARD, _ = solution_answers("column-row").values()
HEADS = solution_answers("attention-heads")["heads_of"]
BLOCK = solution_answers("sequence-parallel")["block_forward"]
DRAWN = {
    "tensor-parallel/one-layer": (),
    "tensor-parallel/links": (),
    "tensor-parallel/long-texts": (),
    "tensor-parallel/tokens-too": (),
    "column-row": (SPLIT, FORWARD),
    "attention-heads": (HEADS,),
    "sequence-parallel": (BLOCK,),
}


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
