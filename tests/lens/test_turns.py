"""Lanes that meet on an address: who they are, and how many updates an address gets."""

import numpy as np
import pytest

from gpuedu.errors import UnknownNameError
from gpuedu.lens.turns import atomic_turns, most_updates
from gpuedu.trace import Space
from tests.trace import samples
from tests.trace.building import Builder


def test_lanes_of_one_address_stand_in_order():
    (first,) = atomic_turns(samples.histogram(4), "bins")
    assert first.lanes == {b: tuple(range(b, 32, 4)) for b in range(4)}
    assert first.turns == 8


def test_the_most_crowded_address_comes_first():
    made = Builder("def kernel(a):\n    atomic")
    element = np.array([[7] * 3 + [2] * 5 + [9] * 5 + [-1] * 19])
    made.access(2, "a[i]", element, operation="atomic", dtype="int32", shape=(64,))
    (turns,) = atomic_turns(made.build(), "a")
    assert turns.crowded == (2, 9, 7)
    assert turns.lanes[9] == (8, 9, 10, 11, 12)
    assert turns.turns == 5


def test_another_warp_has_its_own_turns():
    trace = samples.histogram(64)
    assert [turns.lanes[40] for turns in atomic_turns(trace, "bins", warp=1)] == [(8,)]


def test_an_array_without_atomics_is_named():
    with pytest.raises(UnknownNameError, match="bins"):
        atomic_turns(samples.histogram(), "a")


def test_updates_of_all_warps_meet_in_global_memory():
    assert most_updates(samples.histogram(4), Space.GLOBAL) == 16
    assert most_updates(samples.histogram(64), Space.GLOBAL) == 1
    assert most_updates(samples.histogram(4), Space.SHARED) == 0


@pytest.mark.parametrize(("space", "most"), [("global", 6), ("shared", 3)])
def test_blocks_meet_in_global_memory_only(space, most):
    made = Builder("def kernel(a):\n    atomic", grid=(2, 1, 1))
    element = np.full((2, 32), -1)
    element[:, :3] = 5
    element[:, 3] = [6, 7]
    made.access(2, "a[i]", element, operation="atomic", dtype="int32", space=space, shape=(8,))
    assert most_updates(made.build(), Space(space)) == most


def test_two_lines_add_to_one_address():
    made = Builder("def kernel(a):\n    atomic\n    atomic")
    for line in (2, 3):
        element = np.where(np.arange(32) < line, 0, -1)[None, :]
        made.access(line, "a[0]", element, operation="atomic", dtype="int32", shape=(8,))
    assert most_updates(made.build(), Space.GLOBAL) == 5
