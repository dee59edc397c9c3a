"""Properties of training that judge themselves, from what a play observed of steps.

A run is held against one that is right: the same numbers in each step (``same_values``), no more
bytes, FLOP or steps (``at_most``), no more waits of the host (``wait_faults``), outcomes as good as
those of reference runs (``reaches_band``). Each asks a question that names no cause: causes are
those of known wrong answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.exercises.compare import show_apart
from gpuedu.exercises.contract import Case, Fault, Inputs, Plain, Property, Undecided
from gpuedu.exercises.training.bands import Band

Reference = Callable[[Inputs], Mapping[str, Any]]
"""What a right run gives, by the names that the play observes."""

Room = Callable[[np.ndarray], np.ndarray | float]
"""How far from the expected numbers others may be, absolute."""

_MOST_LINES = 3


def of_each(rel: float) -> Room:
    """Room for each number by itself, relative to it."""
    return lambda wanted: rel * np.abs(wanted)


def of_largest(rel: float) -> Room:
    """The same room for all numbers, relative to the largest; where all are 0, next to none."""
    return lambda wanted: rel * max(float(np.abs(wanted).max(initial=0.0)), 1e-300)


def per_case(reference: Reference) -> Reference:
    """The same reference, computed once for all properties that look at one case."""
    last: list[tuple[Inputs, Mapping[str, Any]]] = []

    def remembered(inputs: Inputs) -> Mapping[str, Any]:
        if not last or last[0][0] is not inputs:
            last[:] = [(inputs, reference(inputs))]
        return last[0][1]

    return remembered


def same_values(
    name: str,
    says: str,
    points: float,
    reference: Reference,
    key: str,
    *,
    room: Room,
    place: Callable[..., str],
    of: str,
    asks: str,
) -> Property:
    """Numbers are those of a right run; see ``differing``.

    Args:
        name: The property's.
        says: What the card says of it.
        points: Its points.
        reference: What a right run gives.
        key: Under which name the numbers are observed, and given by the reference.
        room: How far off they may be.
        place: What the number at an index is, in words.
        of: Whose the right numbers are, "in torch.optim".
        asks: The question below a counterexample.
    """

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        wanted = np.asarray(reference(case.inputs)[key], np.float64)
        yield from differing(name, observed[key], wanted, room=room, place=place, of=of)

    return Property(name, says, points, asks, test)


def differing(
    prop: str, got: Any, wanted: np.ndarray, *, room: Room, place: Callable[..., str], of: str
) -> Iterator[Fault]:
    """A fault at the first number that is off by more than its room; NaN always is.

    >>> step = lambda at: f"the loss of step {at}"
    >>> right = np.array([1.0, 0.5, 0.25])
    >>> found = differing("losses", [1, 0.6, 0.3], right, room=of_each(0.01), place=step, of="here")
    >>> next(found).message
    'the loss of step 1 is 0.6, here 0.5 (2 of 3 differ)'
    """
    got = np.asarray(got, np.float64)
    apart = ~(np.abs(got - wanted) <= room(wanted))
    if apart.any():
        index = tuple(int(at) for at in np.argwhere(apart)[0])
        told, should = show_apart(float(got[index]), float(wanted[index]))
        counted = f" ({int(apart.sum())} of {apart.size} differ)" if apart.size > 1 else ""
        yield Fault(prop, f"{place(*index)} is {told}, {of} {should}{counted}")


def at_most(
    name: str,
    says: str,
    points: float,
    key: str,
    most: Callable[[Inputs], float],
    *,
    tell: Callable[[Inputs, Any, Any], str],
    asks: str,
    idle: str = "",
) -> Property:
    """A count is no larger than it has to be: bytes that are kept, FLOP, kernels, steps.

    Args:
        name: The property's.
        says: What the card says of it.
        points: Its points.
        key: Under which name the count is observed.
        most: What is allowed.
        tell: The counterexample, from a case's inputs, the count and what is allowed.
        asks: The question below it.
        idle: Why a count of 0 shows nothing; empty where it may be right.
    """

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        got, limit = observed[key], most(case.inputs)
        if not got <= limit:
            yield Fault(name, tell(case.inputs, got, limit))
        elif idle and not got:
            yield Undecided(name, idle)

    return Property(name, says, points, asks, test)


def reaches_band(
    name: str,
    says: str,
    points: float,
    key: str,
    band: Callable[[], Band],
    *,
    margin: float,
    tell: Callable[[Sequence[float], Band], str],
    asks: str,
) -> Property:
    """The median of some outcomes is not below the band of reference runs; see ``Band.reaches``."""

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        if not band().reaches(observed[key], margin):
            yield Fault(name, tell(observed[key], band()))

    return Property(name, says, points, asks, test)


def unless(prop: Property, reason: Callable[[Case, Plain], str]) -> Property:
    """The same property, undecided where there is a reason for it: something else is lost first.

    A case that holds is not asked for reasons.
    """

    def tested(case: Case, observed: Plain) -> Iterator[Any]:
        found = list(prop.test(case, observed) if prop.test else ())
        told = reason(case, observed) if found else ""
        yield from [Undecided(prop.name, told)] if told else found

    return replace(prop, test=tested)


# Waits of the host for the device, as ``waits_of`` observed them

WAIT_QUESTIONS: Mapping[str, str] = {
    "boolean mask": "Only the device knows how many rows a mask leaves. Can all rows stay, and "
    "those that are not wanted count for nothing?",
    "nonzero": "Only the device knows how many places are not zero. What do you need of them, and "
    "does that have a fixed shape?",
    "bool(tensor)": "What Python decides by a tensor (`if`, `while`, `min` of a list) needs its "
    "value on the host. Can it be computed on the device instead, by `torch.where`, "
    "`torch.minimum` or `.clamp`?",
    "copy to the device": "What is made on the host is copied behind all that the device still has "
    "to do. Can it be made on the device, or be a plain Python number in the formula?",
    "copy into a host tensor": "The tensor that is written to lies on the host, so each write is a "
    "copy. Where was it made, and could it be made on the device?",
    "torch.tensor of a tensor": "`torch.tensor` of a list reads one value after another, and each "
    "is a wait of its own. What makes one tensor of them without leaving the device?",
}
"""A question about each kind of wait that the counter names, true of every wait of the kind."""


FETCH = "What do these lines fetch, when does the host need it, and could one trip bring it all?"


def wait_faults(
    prop: str, waits: Sequence[Sequence[Any]], most: int, during: str = ""
) -> Iterator[Fault]:
    """A fault where there are more waits, with the lines that wait most often."""
    total = sum(row[0] for row in waits)
    if total > most:
        told = "; ".join(map(_wait_told, waits[:_MOST_LINES]))
        more = len(waits) - _MOST_LINES
        rest = f"; and on {more} more line{'s' if more > 1 else ''}" if more > 0 else ""
        question = WAIT_QUESTIONS.get(waits[0][1], "")
        yield Fault(prop, f"the host waited {times(total)}{during}: {told}{rest}", question)


def _wait_told(row: Sequence[Any]) -> str:
    count, kind, line, text, via = row
    through = f", in `{via}`" if via else ""
    source = f" `{text[:80]}`" if text else ""
    return f"{times(count)} on line {line}{source} ({kind}{through})"


def times(count: int) -> str:
    """How often, in words.

    >>> times(1), times(2), times(3)
    ('once', 'twice', '3 times')
    """
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
