"""What a wrong call of the functions that fsdp lends is told."""

from __future__ import annotations

import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.ranks.buffers import Buffers
from gpuedu.exercises.sharding.fsdp.flat_layers import FlatLayers

WIDTHS = (3, 4, 2)


@pytest.fixture
def memory() -> Buffers:
    return Buffers()


@pytest.fixture
def layers(memory) -> FlatLayers:
    batch = torch.zeros(2, 3).double(), torch.zeros(2, 2).double()
    return FlatLayers(WIDTHS, (0.0, 0.0), memory, batch)


def test_weights_that_have_not_arrived_are_told(layers, memory):
    buffer = memory.allocate(20)
    buffer[:10] = 1.0
    with pytest.raises(AnswerError, match="weights that have not arrived: 6 of 16 are NaN"):
        layers.forward(0, buffer)


def test_a_layer_computes_when_it_is_its_turn(layers, memory):
    buffer = memory.allocate(16).fill_(0.1)
    with pytest.raises(AnswerError, match=r"it is the turn of `forward\(0"):
        layers.forward(1, buffer)
    layers.forward(0, buffer)
    with pytest.raises(AnswerError, match="1 of 2 layers went forward"):
        layers.backward(0, buffer, memory.allocate(16))


def test_weights_are_in_a_buffer_of_the_rank(layers, memory):
    buffer = memory.allocate(20).fill_(0.1)
    for other in (buffer[:16], buffer.clone(), torch.zeros(16), None):
        with pytest.raises(AnswerError, match="no buffer that `allocate` returned"):
            layers.forward(0, other)
    memory.free(buffer)
    with pytest.raises(AnswerError, match="freed before"):
        memory.free(buffer)
    assert (memory.live, memory.peak) == (0, 20)


@pytest.mark.parametrize("count", [0, -1, 2.0, True, "8", 10**9, None])
def test_a_buffer_has_a_number_of_numbers(memory, count):
    with pytest.raises(AnswerError, match="`allocate` got"):
        memory.allocate(count)


def test_the_memory_of_a_rank_has_an_end(memory):
    kept = memory.allocate(10**6 - 1)
    with pytest.raises(AnswerError, match="has 999,999 numbers in its buffers, and 2 more are"):
        memory.allocate(2)
    memory.free(kept)
    assert len(memory.allocate(2)) == 2
