"""What a wrong call of the functions that ring-attention lends is told."""

from __future__ import annotations

import math

import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.tensor_parallel.ring_attention.block_memory import BlockMemory


@pytest.fixture
def own() -> torch.Tensor:
    return torch.arange(12.0).double().view(2, 3, 2)


@pytest.fixture
def memory(own) -> BlockMemory:
    return BlockMemory(own, 0.0, 4)


def test_scores_are_products_over_the_root_of_the_width(memory, own):
    queries = torch.tensor([[1.0, 2.0]]).double()
    wanted = (queries @ own[0].T) / math.sqrt(2)
    assert torch.equal(memory.scores(queries, own), wanted)


def test_a_block_that_has_not_arrived_is_told(memory):
    with pytest.raises(AnswerError, match="has not arrived"):
        memory.scores(torch.zeros(1, 2).double(), memory.allocate(3))


def test_a_block_is_the_own_one_or_a_whole_buffer(memory, own):
    queries = torch.zeros(1, 2).double()
    for other in (own[0], own.clone(), memory.allocate(3)[:], None):
        with pytest.raises(AnswerError, match="neither the rank's own nor a buffer"):
            memory.scores(queries, other)
    buffer = memory.allocate(4).fill_(1.0)
    memory.scores(queries, buffer)
    memory.free(buffer)
    with pytest.raises(AnswerError, match="freed before"):
        memory.free(buffer)
    with pytest.raises(AnswerError, match="the rank's own block"):
        memory.free(own)


def test_buffers_without_end_are_told(memory):
    with pytest.raises(AnswerError, match="are too many"):
        while True:
            memory.allocate(4)


@pytest.mark.parametrize("queries", [None, torch.zeros(2), torch.zeros(1, 3).double(), [[1.0]]])
def test_queries_have_a_shape(memory, own, queries):
    with pytest.raises(AnswerError, match=r"should be \(n, 2\) float64"):
        memory.scores(queries, own)


@pytest.mark.parametrize("tokens", [0, -1, 2.0, True, "3", 5, None])
def test_a_buffer_has_as_many_tokens_as_a_block(memory, tokens):
    with pytest.raises(AnswerError, match="blocks have 1 to 4 tokens"):
        memory.allocate(tokens)
