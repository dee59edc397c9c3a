"""What a learner is told of answers that have another form than the one that is asked for."""

from __future__ import annotations

import re

import pytest
import torch
import torch.distributed as dist

from gpuedu.errors import AnswerError
from gpuedu.exercises.registry import load_play
from gpuedu.exercises.tensor_parallel.attention_heads.play import COPIES, HEADS, LOSS
from gpuedu.exercises.tensor_parallel.column_row.training import train_pieces
from gpuedu.exercises.tensor_parallel.mlp import Mlp
from gpuedu.exercises.tensor_parallel.sequence_parallel.block import Block, train_ranks
from gpuedu.multi.exchanges import CommunicationError
from tests.exercises.stored import solution_answers

MLP, BLOCK = Mlp(3, 4, 6, ranks=2), Block(4, 4, 6, ranks=2)
MLP_ANSWERS = tuple(solution_answers("column-row").values())
HEAD_ANSWERS = tuple(solution_answers("attention-heads").values())
BLOCK_ANSWERS = tuple(solution_answers("sequence-parallel").values())


def replaced(answers, at, given):
    return [*answers[:at], lambda *_: given, *answers[at + 1 :]]


@pytest.mark.parametrize(
    ("at", "given", "told"),
    [
        (0, None, "the result of `split` should be two matrices, got None"),
        (0, [torch.zeros(2, 2)], "`split` should return two matrices, got 1 items"),
        (0, (torch.zeros(2, 2), 3), "should be a matrix of float64, got torch.float32 of shape"),
        (0, (torch.zeros(2), 3), r"`a` of `split` should be a matrix of float64, got .* \[2\]"),
        (
            1,
            torch.zeros(3, 2),
            r"what `mlp_forward` returned has shape \(3, 2\), expected \(3, 4\)",
        ),
        (1, torch.zeros(3, 4), "has dtype float32, expected float64"),
        (2, torch.zeros(3, 4), "the result of `mlp_backward` should be"),
        (2, (1, 2), "`mlp_backward` should return dx, da and db, got 2 items"),
        (2, (1, 2, 3), "`dx` of `mlp_backward` should be a PyTorch tensor, got 1"),
    ],
)
def test_column_row_names_what_has_another_form(at, given, told):
    with pytest.raises(AnswerError, match=f"rank 0: .*{told}"):
        train_pieces(*replaced(MLP_ANSWERS, at, given), MLP)


@pytest.mark.parametrize(
    ("at", "given", "told"),
    [
        (0, torch.zeros(2, 4), "the result of `block_forward` should be"),
        (0, (torch.zeros(2, 4).double(), torch.zeros(2, 3)), "`u` of `block_forward` has shape"),
        (1, (1, 2, 3), "`block_backward` should return dx, dscale, da, db, got 3 items"),
    ],
)
def test_sequence_parallel_names_what_has_another_form(at, given, told):
    with pytest.raises(AnswerError, match=f"rank 0: .*{told}"):
        train_ranks(*replaced(BLOCK_ANSWERS, at, given), BLOCK)


@pytest.mark.parametrize(
    ("asks", "at", "given", "told"),
    [
        (HEADS, 0, [0, 1, 2], "`heads_of` should return two lists, got 3 items"),
        (HEADS, 0, ([0], [0.5]), "a head in list 2 of `heads_of` should be a whole number"),
        (HEADS, 0, ([0], range(1_001)), "list 2 of `heads_of` has 1,001 heads, and there are 1"),
        (COPIES, 1, None, "what `add_copies` returned should be a PyTorch tensor, got None"),
        (LOSS, 2, torch.zeros(3), "the result of `parallel_cross_entropy` should be"),
        (LOSS, 2, (torch.zeros(2), 0), r"the losses has shape \(2,\), expected \(3,\)"),
    ],
)
def test_attention_heads_names_what_has_another_form(asks, at, given, told):
    inputs = {"asks": asks, "ranks": 2, "heads": 2, "kv_heads": 1, "seed": 0, "vocabulary": 4}
    inputs |= {"held": [[0], [0]], "gradients": [torch.zeros(1, 3).double().numpy()] * 2}
    inputs |= {"scores": torch.zeros(3, 4).double().numpy(), "targets": [0, 1, 3]}
    seen = load_play("attention-heads").run(replaced(HEAD_ANSWERS, at, given), inputs)
    assert re.search(told, seen["failed"])


def test_ranks_that_sum_other_shapes_are_told_in_one_line():
    def forward(x, a, b, bias):
        dist.all_reduce(torch.zeros(2 + dist.get_rank()))
        return x

    with pytest.raises(
        CommunicationError, match=r"of rank 0 is all_reduce.*of rank 1 it is"
    ) as told:
        train_pieces(MLP_ANSWERS[0], forward, MLP_ANSWERS[2], MLP)
    assert "\n" not in told.value.message
