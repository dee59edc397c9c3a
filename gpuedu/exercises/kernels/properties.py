"""Properties of a kernel that judge themselves, from what ``launch_play`` observed.

Each says what it found in the machine's words, and asks a question that names no cause: causes are
those of known wrong answers. ``asks`` is that question where the usual one does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from gpuedu.errors import CatalogError
from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Inputs, Plain, Property, Test, Undecided
from gpuedu.exercises.kernels.costs import AGAIN, WHOLE, conflict_faults, sector_faults
from gpuedu.exercises.kernels.faults import (
    BARRIER,
    ENDLESS,
    LOOPS,
    OUTSIDE,
    RACE,
    UNWRITTEN,
    WAITS,
    hazard_faults,
    repeated_faults,
    wrapped_faults,
)
from gpuedu.exercises.kernels.shapes import WARP_SIZE, LaunchShape
from gpuedu.exercises.kernels.sightings import Sighting, read_sightings
from gpuedu.exercises.kernels.traffic import Traffic, read_traffic

UNDEFINED = RACE | UNWRITTEN
"""Hazards that leave it to chance what a kernel computes."""

_ENOUGH, _FEW = 32, 16
_TURNS = (
    "What changes from one iteration to the next, and does every thread's condition become false?"
)
_MEET = "Which threads come to that barrier, and which take a path that goes around it?"
BETWEEN_TURNS = (
    "Which threads use that element, which of them writes it, and where do all threads of the "
    "block wait between the two, also from one iteration to the next?"
)
"""What is asked about shared memory that a loop fills anew in each turn."""
_APART = (
    "Which threads of the whole grid use that element, and which one is to write it? A barrier "
    "holds only the threads of one block."
)


def right_values(
    name: str,
    says: str,
    points: float,
    expected: Callable[[Inputs], np.ndarray],
    *,
    output: str = "out",
    tolerance: Callable[[Inputs], np.ndarray | float] | float = 0.0,
    leaves: Sequence[str] = (),
    among: Callable[[Inputs], np.ndarray] | None = None,
    undefined: frozenset[str] = UNDEFINED,
    must_end: bool = False,
    asks: str = "",
) -> Property:
    """An array holds what it should, and the inputs are as before.

    Args:
        name: The property's.
        says: What the card says of it; what is left alone is added.
        points: Its points.
        expected: The array in float64, from a case's inputs.
        output: The array.
        tolerance: How far an element may be off, absolute; or that, from a case's inputs.
        leaves: Arrays that the kernel has to leave alone.
        among: The elements that it is about, as a mask; by default all.
        undefined: Hazards that leave it to chance what is computed: nothing is decided then.
        must_end: Whether a launch that does not come to its end is wrong here.
        asks: The question below a counterexample.
    """

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        if must_end:
            yield from hazard_faults(observed, {LOOPS: name}, lambda seen: _TURNS)
        chance = list(left_to_chance(name, observed, undefined))
        if chance:
            yield from chance
            return
        room = tolerance(case.inputs) if callable(tolerance) else tolerance
        wanted, got = expected(case.inputs), observed[output]
        if among:
            got = np.where(among(case.inputs), got, wanted)
        times = observed.get(f"{output}.times")
        yield from array_fault(name, got, wanted, tolerance=room, name=output, times=times)
        yield from wrapped_faults(name, observed)
        for one in leaves:
            changed = np.flatnonzero(case.inputs[one] != observed[one])
            if changed.size:
                at = ", ".join(map(str, np.unravel_index(changed[0], observed[one].shape)))
                yield Fault(
                    name,
                    f"`{one}[{at}]` was changed by the kernel",
                    "The caller may need its inputs again. Where does the result go?",
                )

    asked = asks or "Which thread has that element, and from which values should it come?"
    if leaves:
        kept = " and ".join(f"`{one}`" for one in leaves)
        says = f"{says}; {kept} {'is' if len(leaves) == 1 else 'are'} left alone"
    return Property(name, says, points, asked, test)


def left_to_chance(
    prop: str, observed: Plain, kinds: frozenset[str] = UNDEFINED
) -> Iterator[Undecided]:
    """Values of a kernel are not judged where a hazard of these kinds decides them."""
    for told in islice(_hazards(observed, kinds), 1):
        yield Undecided(prop, f"what is read is left to chance: {told}", is_near=True)


def inside(
    points: float,
    name: str = "inside",
    says: str = "no thread reads or writes outside the arrays",
    *,
    output: str = "out",
    asks: str = "Which threads have no element, and how does a thread know that it is one of them?",
) -> Property:
    """No index leaves its array."""
    return no_hazard(name, says, points, OUTSIDE, asks, output=output)


def no_race(
    points: float,
    name: str = "no-race",
    says: str = "no two threads use the same element without a barrier between them",
    *,
    output: str = "out",
    in_shared: bool = False,
    asks: str = "Which thread writes that element, which other one uses it, and what makes one "
    "wait for the other?",
) -> Property:
    """No two threads use one element, one of them writing, with nothing that orders them."""
    return no_hazard(name, says, points, RACE, asks, output=output, in_shared=in_shared)


def all_wait(
    points: float,
    name: str = "waits",
    says: str = "no thread uses what another one has not written yet",
    *,
    output: str = "out",
    in_shared: bool = False,
    asks: str = "Who writes what is read there, and where do all threads wait for it?",
) -> Property:
    """No race, nothing read before it is written, and barriers that every thread reaches.

    ``asks`` is about shared memory: see ``question_of_waits`` for the rest.
    """
    ask = question_of_waits(asks)
    return no_hazard(name, says, points, WAITS, asks, output=output, in_shared=in_shared, ask=ask)


def question_of_waits(asks: str) -> Callable[[Case, Sighting], str]:
    """What to ask about a race, an early read or a barrier: ``asks``, or what fits better.

    A race over an argument of the kernel may be between blocks, which no barrier orders.
    """

    def ask(case: Case, seen: Sighting) -> str:
        if seen.kind in BARRIER:
            return _MEET
        return _APART if seen.kind in RACE and seen.array in case.inputs else asks

    return ask


def ends(
    points: float,
    name: str = "ends",
    says: str = "every thread comes to its end",
    *,
    output: str = "out",
    asks: str = _TURNS,
) -> Property:
    """The launch comes to its end."""
    return no_hazard(name, says, points, ENDLESS, asks, output=output)


def written_once(
    points: float,
    name: str = "once",
    says: str = "each element is written by one thread, once",
    *,
    output: str = "out",
    asks: str = "Which element is each thread's own?",
) -> Property:
    """No element of an array is written twice."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        shape = LaunchShape(case.inputs["grid"], case.inputs["block"])
        of_output = {**writers_of(observed, output), output: observed[output]}
        yield from repeated_faults(name, of_output, shape, name=output)

    return Property(name, says, points, asks, unless_idle(name, test, output))


def whole_sectors(
    name: str,
    says: str,
    points: float,
    array: str,
    operation: str,
    *,
    also: Mapping[str, str] | None = None,
    output: str = "",
    least: float = WHOLE,
    asks: str = "Which elements do the 32 threads of a warp ask for at that moment?",
) -> Property:
    """Of the bytes in the sectors that come for an array, at least such a share is asked for.

    ``operation`` is "load", "store" or "atomic"; ``also`` has further arrays with theirs. Where
    ``output`` is given and hardly written, nothing is decided.
    """

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        for one, asked in {array: operation, **(also or {})}.items():
            traffic = read_traffic(_seen(observed, f"{one}.traffic", f'counts=("{one}",)'))
            moved = (case.inputs if one in case.inputs else observed)[one]
            most = AGAIN * moved.nbytes
            yield from sector_faults(name, traffic, asked, one, most_bytes=most, least=least)

    return Property(name, says, points, asks, unless_idle(name, test, output) if output else test)


def no_bank_conflicts(
    points: float,
    name: str = "banks",
    says: str = "no access to shared memory takes more passes through the banks than it has to",
    *,
    output: str = "",
    asks: str = "In which bank is the element that each of the 32 threads uses at that moment?",
) -> Property:
    """The lanes of a warp ask for elements in different banks, or for the same one.

    Where ``output`` is given and hardly written, nothing is decided.
    """

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        yield from conflict_faults(name, _shared(observed))
        yield from works_alone(name, case, observed)

    return Property(name, says, points, asks, unless_idle(name, test, output) if output else test)


def writers_of(observed: Plain, output: str) -> Plain:
    """Who wrote an array, as ``writers`` gave it."""
    wanted = f'writes=("{output}",)'
    return {key: _seen(observed, f"{output}.{key}", wanted) for key in ("times", "first", "second")}


def _seen(observed: Plain, name: str, wanted: str) -> Any:
    """What a play observed; CatalogError where it was not asked to."""
    if name not in observed:
        told = f"a property needs {name!r}, which the play does not observe"
        raise CatalogError(told, remedy=f"launch_play(..., {wanted})")
    return observed[name]


def _shared(observed: Plain) -> Traffic:
    return read_traffic(_seen(observed, "shared.traffic", "counts_shared=True"))


def no_hazard(
    name: str,
    says: str,
    points: float,
    kinds: frozenset[str],
    asks: str,
    *,
    output: str = "out",
    enough: int = _ENOUGH,
    in_shared: bool = False,
    unless: frozenset[str] = frozenset(),
    ask: Callable[[Case, Sighting], str] | None = None,
) -> Property:
    """The machine finds none of these hazards.

    ``output`` and ``enough`` are those of ``unless_idle``. With ``in_shared`` a kernel whose
    threads each ``works_alone`` shows nothing; none does after a hazard of the kinds ``unless``.
    ``ask`` says what stands below a counterexample, by default ``asks``.
    """

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        questions = partial(ask, case) if ask else lambda seen: asks
        yield from hazard_faults(observed, {kinds: name}, questions)
        if in_shared:
            yield from works_alone(name, case, observed)
        for told in _hazards(observed, unless):
            yield Undecided(name, f"the block did not come further: {told}")

    return Property(name, says, points, asks, unless_idle(name, test, output, enough))


def works_alone(name: str, case: Case, observed: Plain) -> Iterator[Undecided]:
    """Undecided where no thread uses what another one put into shared memory.

    A launch over a few elements may not need it, and neither may one warp, which has shuffles.
    """
    is_one_warp = (
        "block" in case.inputs and LaunchShape(1, case.inputs["block"]).threads <= WARP_SIZE
    )
    if not _shared(observed).requests:
        yield Undecided(name, "no thread used shared memory")
    elif not observed["shared.handed"] and not is_one_warp:
        arrays = (one for one in case.inputs.values() if isinstance(one, np.ndarray))
        if max((one.size for one in arrays), default=0) >= _ENOUGH:
            yield Undecided(name, "no thread used what another one put into shared memory")


def unless_idle(name: str, test: Test, output: str = "out", enough: int = _ENOUGH) -> Test:
    """The same test, undecided where it finds nothing in a kernel that writes next to nothing.

    A launch over less than ``enough`` elements is judged all the same: a kernel may miss all of
    them by one slip.
    """

    def tested(case: Case, observed: Plain) -> Iterable[Fault]:
        faults = list(test(case, observed))
        yield from faults
        times = _seen(observed, f"{output}.times", f'writes=("{output}",)')
        written = int((times > 0).sum())
        if not faults and times.size >= enough and written * _FEW < times.size:
            some = f"only {written} of {times.size} elements" if written else "no element"
            verb = "was" if written < 2 else "were"
            yield Undecided(name, f"{some} of `{output}` {verb} written")

    return tested


def _hazards(observed: Plain, kinds: frozenset[str]) -> Iterator[str]:
    """What the machine says of each hazard of these kinds."""
    for seen in read_sightings(observed["sightings"]):
        if seen.is_hazard and seen.kind in kinds:
            yield seen.told
