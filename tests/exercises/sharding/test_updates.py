"""Names of pieces, by which an optimizer keeps its numbers."""

from __future__ import annotations

import enum

import numpy as np
import pytest
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.sharding.updates import Rule, Updates

WEIGHT = torch.nn.Parameter(torch.ones(2))


class Piece(enum.Enum):
    MINE = 1


def updated(name):
    updates = Updates(Rule("momentum", 0.1, 0.9))
    for _ in range(2):
        updates.update(name, torch.ones(3), torch.ones(3))
    return updates.numbers


@pytest.mark.parametrize("name", ["mine", 0, ("layer", np.int64(1)), None, WEIGHT, 1.5])
def test_a_name_is_the_same_in_every_step(name):
    assert updated(name) == 3


@pytest.mark.parametrize("name", [object(), Piece.MINE, torch.ones(2), ["a"], ("a", object())])
def test_what_only_its_own_process_knows_is_no_name(name):
    with pytest.raises(AnswerError, match="as the name of a piece"):
        updated(name)
