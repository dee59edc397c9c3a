"""From what the machine saw to faults of properties: the part of a verdict all kernels share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from gpuedu.exercises.contract import Fault, Plain
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import Sighting, read_sightings

OUTSIDE = frozenset({"out-of-bounds", "negative-index", "misaligned"})
RACE = frozenset({"data-race"})
UNWRITTEN = frozenset({"uninitialised-read"})
"""Shared memory, or a thread's own, is read where nobody has written."""

EXITED = frozenset({"exited-before-barrier"})
"""Threads that return before a barrier: of that, the machine makes a note."""

BARRIER = frozenset({"divergent-barrier"}) | EXITED
"""A barrier that some threads of the block do not reach, whether skipped or by a `return`."""

WAITS = RACE | UNWRITTEN | BARRIER
"""What a thread that does not wait for the others runs into."""

LOOPS = frozenset({"runaway-loop", "spin-in-warp"})
"""A launch that does not come to its end: nothing is right then."""

ENDLESS = LOOPS | BARRIER


def hazard_faults(
    observed: Plain,
    properties: Mapping[frozenset[str], str],
    questions: Mapping[str, str] | Callable[[Sighting], str] | None = None,
) -> Iterator[Fault]:
    """A fault for each hazard that a property forbids, in the machine's own words.

    Threads that return before a barrier are one, too: the lessons forbid it, though on devices
    since Volta it often works.

    Args:
        observed: What ``observe`` gave, or holds the same entries.
        properties: For each set of kinds of findings the property that they break.
        questions: For a kind (or by a function, for a sighting) the question that stands below
            the counterexample; by default it is what the machine says to try.
    """
    for seen in read_sightings(observed["sightings"]):
        for kinds, prop in properties.items():
            if seen.kind in kinds and (seen.is_hazard or seen.kind in EXITED):
                is_near = seen.kind in RACE | UNWRITTEN  # chance decides what comes out
                yield Fault(prop, seen.told, _question(seen, questions), is_near)


def _question(
    seen: Sighting, questions: Mapping[str, str] | Callable[[Sighting], str] | None
) -> str:
    if callable(questions):
        return questions(seen)
    told = (questions or {}).get(seen.kind, seen.remedy)
    return f"{told[:1].upper()}{told[1:]}{'' if told[-1:] in '.?!' else '.'}"


BELOW = "Blocks, threads and elements count from 0. Whose index comes out below that?"
"""What is asked where an index is negative."""


def wrapped_faults(prop: str, observed: Plain) -> Iterator[Fault]:
    """A fault where a kernel writes at a negative index, which Numba counts from the end.

    The array may look right afterwards: one block that writes at -n to -1 writes every element.

    Args:
        prop: The property that says that the result is right.
        observed: Holds ``sightings``.
    """
    for seen in read_sightings(observed["sightings"]):
        if seen.kind == "negative-index" and " writes " in seen.message:
            yield Fault(prop, seen.told, BELOW)
            return


def repeated_faults(
    prop: str, observed: Plain, shape: LaunchShape, name: str = "out"
) -> Iterator[Fault]:
    """A fault at the first element of an array that is written more than once.

    Args:
        prop: The property.
        observed: Holds the array, and ``times``, ``first`` and ``second`` as ``writers`` gave them.
        shape: The launch.
        name: The array's name in the exercise.
    """
    times = observed["times"]
    again = np.flatnonzero(times > 1)
    if not again.size:
        return
    i = int(again[0])
    first, second = int(observed["first"][i]), int(observed["second"][i])
    by = f"each time by {shape.name_thread(first)}"
    if second >= 0:
        by = f"by {shape.name_thread(first)} and by {shape.name_thread(second)}"
    often = "twice" if times[i] == 2 else f"{int(times[i])} times"
    index = ", ".join(map(str, np.unravel_index(i, observed[name].shape)))
    yield Fault(
        prop,
        f"`{name}[{index}]` was written {often}, {by} "
        f"({again.size} of {times.size} elements were written more than once)",
    )
