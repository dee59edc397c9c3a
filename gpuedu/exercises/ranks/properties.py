"""Properties of a function on many ranks that judge themselves, and what their tests are made of.

Values are compared on every rank; messages, calls of collectives and time are those that
``Ranked.traffic`` observes. Each property asks a question that names no cause: causes are those of
known wrong answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Inputs, Plain, Property, Test, Undecided
from gpuedu.exercises.ranks.running import Call, calls_of
from gpuedu.multi.exchanges import Exchange
from gpuedu.units import format_time


@dataclass(frozen=True)
class Held:
    """An array that a rank holds, what it should be, and how far an element may be off.

    ``where`` says on which rank, and when: "on rank 2", "after step 1, on rank 0". ``got`` is None
    where there is no array, such as a gradient that is None.
    """

    where: str
    name: str
    got: np.ndarray | None
    wanted: np.ndarray
    tolerance: np.ndarray | float = 0.0


Values = Callable[[Inputs, Plain], Iterable[Held]]
"""Everything that ranks hold, of a case and what was observed on it."""


def right_on_ranks(
    name: str, says: str, points: float, values: Values, *, asks: str, after: tuple[str, ...] = ()
) -> Property:
    """Every rank holds what it should.

    Args:
        name: The property's.
        says: What the card says of it.
        points: Its points.
        values: What ranks hold, and should; the first that is off is told.
        asks: The question below a counterexample.
        after: Properties of which one has to be right before this one counts.
    """

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        yield from first_off(name, values(case.inputs, observed))

    return Property(name, says, points, asks, test, after)


def first_off(prop: str, values: Iterable[Held]) -> Iterator[Fault]:
    """A fault at the first array that is not what it should be."""
    for one in values:
        got, room = one.got, one.tolerance
        if got is None:
            yield Fault(prop, f"{one.where}, `{one.name}` is None")
            return
        for fault in array_fault(prop, got, one.wanted, tolerance=room, name=one.name):
            yield Fault(prop, f"{one.where}, {fault.message}")
            return


def undecided_if_wrong(name: str, values: Values, test: Test) -> Test:
    """The same test of what it takes, undecided where what came of it is wrong."""

    def tested(case: Case, observed: Plain) -> Iterable[Fault]:
        wrong = list(first_off(name, values(case.inputs, observed)))
        if wrong:
            yield Undecided(name, f"the result is not right yet: {wrong[0].message}")
        else:
            yield from test(case, observed)

    return tested


def undecided_if_silent(name: str, ranks: int, sent: float) -> Iterator[Undecided]:
    """What sends nothing at all earns nothing for sending little, if ranks need each other's.

    >>> [one.message for one in undecided_if_silent("bytes", 2, 0)]
    ['no rank sent anything']
    """
    if ranks > 1 and not sent:
        yield Undecided(name, "no rank sent anything")


def of_messages(name: str, test: Test, *, tells_calls: bool = False) -> Test:
    """A test of messages that ranks send by hand, undecided where none of them sends any.

    So it is where a rank calls a collective, which one property of an exercise tells
    (``tells_calls``): that is what the exercise is about.
    """

    def tested(case: Case, observed: Plain) -> Iterable[Fault]:
        for call in islice(calls_of(observed["calls"]), 1):
            if tells_calls:
                asks = "That is what you are building here, out of sends and receives."
                yield Fault(name, str(call), asks)
            else:
                yield Undecided(name, f"{call}, and nothing was built of sends and receives")
            return
        if case.inputs["ranks"] > 1 and not len(observed["sends"]):
            yield Undecided(name, "no rank sent anything")
        else:
            yield from test(case, observed)

    return tested


def built_by_hand(prop: Property) -> Property:
    """The same property, undecided where a rank calls a collective that brings it anything."""

    def tested(case: Case, observed: Plain) -> Iterable[Fault]:
        brought = [one for one in calls_of(observed["calls"]) if one.kind != "barrier"]
        if brought:
            told = f"{brought[0]}, and nothing was built of sends and receives"
            yield Undecided(prop.name, told)
        elif prop.test:
            yield from prop.test(case, observed)

    return replace(prop, test=tested)


def links_of(observed: Plain) -> dict[tuple[int, int], int]:
    """The bytes that went over each link, by (from, to)."""
    found: Counter[tuple[int, int]] = Counter()
    for src, dst, size in observed["sends"].tolist():
        found[src, dst] += size
    return dict(found)


def sent_by_rank(observed: Plain, ranks: int) -> list[int]:
    """The bytes that each rank sent by hand."""
    return [sum(n for (src, _), n in links_of(observed).items() if src == r) for r in range(ranks)]


def soon_done(
    name: str,
    says: str,
    points: float,
    best: Callable[[Inputs], tuple[float, str]],
    *,
    within: float,
    asks: str,
    wrap: Callable[[Test], Test] = lambda test: test,
) -> Property:
    """The whole takes hardly longer than it has to, in simulated time.

    Args:
        name: The property's.
        says: What the card says of it.
        points: Its points.
        best: The shortest time of a case in seconds, and what takes that.
        within: How many times as long it may take.
        asks: The question below a counterexample.
        wrap: Makes of the test one that is undecided where it should be.
    """

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        least_s, what = best(case.inputs)
        took_s = observed["time_s"]
        if took_s > within * least_s:
            yield Fault(
                name,
                f"it took {format_time(took_s)} of simulated time, {took_s / least_s:.3g} times "
                f"the {format_time(least_s)} of {what}",
            )

    return Property(name, says, points, asks, wrap(test))


def first_other_call(
    calls: Sequence[Call | Exchange],
    kind: str,
    sizes_bytes: Sequence[int],
    *,
    in_order: bool = True,
) -> str:
    """How a rank's calls of collectives differ from one of ``kind`` for each of these sizes; or "".

    >>> first_other_call([Call(0, "all_reduce", 8)], "all_reduce", [8, 4])
    'rank 0 called 1 all_reduce, expected 2 all_reduce'
    >>> first_other_call([Call(1, "all_reduce", 8)], "all_reduce", [4])
    'rank 1 called all_reduce on 8 bytes, expected 4 bytes'
    """
    got = Counter(one.kind for one in calls)
    rank = calls[0].rank if calls else 0
    if got != Counter({kind: len(sizes_bytes)}):
        told = ", ".join(f"{many} {one}" for one, many in got.items()) or "nothing"
        return f"rank {rank} called {told}, expected {len(sizes_bytes)} {kind}"
    pairs = [one.size_bytes for one in calls], list(sizes_bytes)
    for size, wanted in zip(*(pairs if in_order else map(sorted, pairs)), strict=True):
        if size != wanted:
            return f"rank {rank} called {kind} on {size:,} bytes, expected {wanted:,} bytes"
    return ""
