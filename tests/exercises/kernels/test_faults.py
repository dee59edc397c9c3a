"""From sightings and counts to faults of properties."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.kernels.faults import (
    OUTSIDE,
    RACE,
    hazard_faults,
    repeated_faults,
    wrapped_faults,
)
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import Sighting

PAST = Sighting("hazard", "out-of-bounds", "thread 3 reads `a[3]`", "guard it", 7, "b[i] = a[i]")
LITERAL = Sighting("note", "negative-index", "thread 0 reads `a[-1]`", "write it from the end")


def observed(*seen, **more):
    return {"sightings": [one.as_plain() for one in seen], **more}


def test_a_hazard_becomes_the_fault_of_its_property():
    faults = list(hazard_faults(observed(PAST), {OUTSIDE: "inside", RACE: "no-race"}))
    assert [(one.property, one.cause) for one in faults] == [("inside", "Guard it.")]
    assert faults[0].message == "on line 7, `b[i] = a[i]`, thread 3 reads `a[3]`"


def test_a_question_takes_the_place_of_the_remedy():
    asked = {"out-of-bounds": "Who has no element?"}
    (fault,) = hazard_faults(observed(PAST), {OUTSIDE: "inside"}, asked)
    assert fault.cause == "Who has no element?"


def test_notes_and_other_kinds_take_no_points():
    assert not list(hazard_faults(observed(LITERAL), {OUTSIDE: "inside"}))
    assert not list(hazard_faults(observed(PAST), {RACE: "no-race"}))


def test_an_element_written_twice_is_named_in_the_arrays_own_dimensions():
    times = np.array([1, 1, 1, 1, 2, 1])
    seen = observed(
        times=times,
        first=np.arange(6),
        second=np.where(times > 1, 1, -1),
        out=np.zeros((2, 3), np.float32),
    )
    (fault,) = repeated_faults("once", seen, LaunchShape((2, 1), (2, 2)))
    assert (
        "`out[1, 1]` was written twice, by thread (0, 0) of block (1, 0) and by thread (1, 0) of"
        in (fault.message)
    )


def test_one_thread_that_writes_again_is_told_as_such():
    seen = observed(
        times=np.array([3]), first=np.array([0]), second=np.array([-1]), out=np.zeros(1)
    )
    (fault,) = repeated_faults("once", seen, LaunchShape(1, 32))
    assert "3 times, each time by thread 0 of block 0" in fault.message


def test_a_shape_says_itself():
    assert str(LaunchShape(1, 32)) == "1 block of 32 threads"
    assert str(LaunchShape((2, 3), (16, 8))) == "2 x 3 blocks of 16 x 8 threads"
    assert str(LaunchShape(6, 1)) == "6 blocks of 1 thread"


def test_a_store_below_zero_is_a_fault_of_the_result_and_a_read_is_not():
    reads = Sighting("hazard", "negative-index", "thread 0 of block 0 reads `a[-8]`: so", "")
    writes = Sighting("hazard", "negative-index", "thread 0 of block 0 writes `b[-8]`: so", "")
    assert list(wrapped_faults("right", observed(reads))) == []
    (fault,) = wrapped_faults("right", observed(reads, writes, writes))
    assert (fault.property, fault.message) == ("right", writes.message)
    assert "count from 0" in fault.cause
