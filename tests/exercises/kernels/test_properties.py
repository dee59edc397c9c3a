"""Properties that judge themselves: what is left undecided, and by what else they can be told."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.backend import cuda
from gpuedu.errors import CatalogError
from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Undecided
from gpuedu.exercises.kernels.faults import RACE, UNWRITTEN
from gpuedu.exercises.kernels.launches import launch_play
from gpuedu.exercises.kernels.properties import (
    all_wait,
    no_hazard,
    right_values,
    unless_idle,
    whole_sectors,
)

SIZE = 64
PLAY = launch_play("double(x, out)", counts=("x", "out"), counts_shared=True, max_turns=80)


def doubled(inputs):
    return 2.0 * inputs["x"]


@cuda.jit
def right(x, out):
    i = cuda.grid(1)
    out[i] = 2 * x[i]


@cuda.jit
def first_half(x, out):
    i = cuda.grid(1)
    if cuda.blockIdx.x == 0:
        out[i] = 2 * x[i]


@cuda.jit
def one_element(x, out):
    if cuda.grid(1) == 0:
        out[0] = 2 * x[0]


@cuda.jit
def never_ends(x, out):
    i = cuda.grid(1)
    while i < x.size:
        out[i] = 2 * x[i]


def faults(prop, kernel):
    """What a property says of a launch of two blocks."""
    x = np.arange(1, SIZE + 1, dtype=np.float32)
    inputs = {"x": x, "out": np.zeros(SIZE, np.float32), "grid": 2, "block": SIZE // 2}
    given = {**inputs, "x": x.copy(), "out": inputs["out"].copy()}
    return list(prop.test(Case("one", inputs), PLAY.run([kernel], given)))


def idle(times):
    """What is undecided of a property that finds no fault, by how often elements were written."""
    tested = unless_idle("inside", lambda case, observed: ())
    return list(tested(Case("one", {}), {"out.times": times}))


@pytest.mark.parametrize(("size", "undecided"), [(100, 1), (31, 0), (0, 0)])
def test_only_a_launch_of_some_size_shows_that_nothing_is_written(size, undecided):
    assert len(idle(np.zeros(size, np.int64))) == undecided


def test_one_element_of_many_shows_nothing_either():
    times = np.zeros(100, np.int64)
    times[0] = 5
    (fault,) = idle(times)
    assert type(fault) is Undecided
    assert fault.message.startswith("only 1 of 100 elements of `out` was written")
    times[:7] = 1
    assert not idle(times)


def test_right_values_may_be_about_some_elements_only():
    def first(inputs):
        return np.arange(SIZE) < SIZE // 2

    assert not faults(right_values("values", "", 1, doubled, among=first), first_half)
    (fault,) = faults(right_values("values", "", 1, doubled), first_half)
    assert "`out[32]` is 0, and nothing was written there, expected 66" in fault.message
    assert "(32 of 64 elements are wrong)" in fault.message


def test_a_launch_that_does_not_end_is_wrong_where_it_must_end():
    assert not faults(right_values("values", "", 1, doubled), never_ends)
    (fault,) = faults(right_values("values", "", 1, doubled, must_end=True), never_ends)
    assert "was still in this loop" in fault.message


def test_what_waits_in_shared_memory_is_undecided_without_it():
    assert not faults(all_wait(1), right)
    (fault,) = faults(all_wait(1, in_shared=True), right)
    assert isinstance(fault, Undecided) and "no thread used shared memory" in fault.message


def test_who_writes_next_to_nothing_shows_nothing_of_hazards_and_sectors():
    (fault,) = faults(no_hazard("quiet", "", 1, RACE | UNWRITTEN, ""), one_element)
    assert isinstance(fault, Undecided) and "only 1 of 64 elements of `out`" in fault.message
    assert not faults(no_hazard("quiet", "", 1, RACE, "", enough=SIZE + 1), one_element)


def test_sectors_of_several_arrays_are_one_property():
    assert not faults(whole_sectors("sectors", "", 1, "x", "load", also={"out": "store"}), right)
    unread = whole_sectors("sectors", "", 1, "x", "load", also={"out": "atomic"})
    (fault,) = faults(unread, right)
    assert "`out` was never updated" in fault.message


def test_an_unwritten_element_of_a_grid_is_told_in_its_own_dimensions():
    out, times = np.zeros((2, 3)), np.array([1, 1, 1, 1, 0, 1])
    expected = np.array([[0.0, 0, 0], [0, 7, 0]])
    (fault,) = array_fault("values", out, expected, tolerance=0, times=times)
    assert fault.message.startswith("`out[1, 1]` is 0, and nothing was written there, expected 7")


def test_what_a_play_was_not_asked_to_observe_is_named_with_how_to_ask():
    prop = whole_sectors("sectors", "", 1, "x", "load", output="out")
    seen = {"out.times": np.ones(SIZE, np.int64)}
    with pytest.raises(CatalogError, match=r"needs 'x\.traffic', which the play") as fault:
        list(prop.test(Case("one", {}), seen))
    assert fault.value.remedy == 'launch_play(..., counts=("x",))'


def test_a_card_says_which_inputs_are_left_alone():
    prop = right_values("values", "all are doubled", 1, doubled, leaves=("x",))
    assert prop.says == "all are doubled; `x` is left alone"
    assert right_values("values", "all are doubled", 1, doubled).says == "all are doubled"
