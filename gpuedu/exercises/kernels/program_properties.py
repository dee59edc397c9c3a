"""Properties of a kernel in Triton that judge themselves, from what ``program_play`` observed.

Values are judged by ``right_values``, as of any kernel; what is here speaks of programs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Finding, Plain, Property, Test, Undecided
from gpuedu.exercises.kernels.faults import OUTSIDE, RACE, UNWRITTEN
from gpuedu.exercises.kernels.properties import no_hazard

_MASKED = (
    "What are the values of the elements that this load's mask leaves out, and where do they go?"
)


def in_bounds(points: float, *, output: str = "out", name: str = "inside") -> Property:
    """No address leaves its array."""
    says, asks = (
        "no program loads or stores outside the arrays",
        "Is the address wrong, or the mask?",
    )
    found = no_hazard(name, says, points, OUTSIDE, asks, output=output)
    return replace(found, test=unless_few_loaded(name, found.test))


def own_elements(points: float, *, output: str = "out", name: str = "own") -> Property:
    """No two programs touch one element, one of them storing; none is stored twice."""

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        times = observed[f"{output}.times"]
        yield from _stored_again(name, observed, output)
        yield from race.test(case, observed) if race.test else ()
        missing = int(np.count_nonzero(times == 0))
        if missing:
            yield Undecided(
                name, f"{missing} of {times.size} elements of `{output}` were not stored"
            )

    asks = "Which elements are each program's own?"
    race = no_hazard(name, "", points, RACE, asks, output=output)
    says = "each element is stored by one program, once"
    return Property(name, says, points, asks, unless_few_loaded(name, test))


def _stored_again(name: str, observed: Plain, output: str) -> Iterable[Fault]:
    times = observed[f"{output}.times"]
    again = np.flatnonzero(times > 1)
    if again.size:
        at = at_element(observed[output], again[0])
        yield Fault(name, f"`{output}[{at}]` was stored {often(int(times[again[0]]))}")


def masked_apart(points: float, *, output: str = "out", name: str = "masked") -> Property:
    """What a mask left out takes no part in a result."""
    says = "no undefined value of a masked load takes part in the result"
    found = no_hazard(name, says, points, UNWRITTEN, _MASKED, output=output)
    return replace(found, test=unless_few_loaded(name, found.test))


def no_float64(points: float, *, output: str = "out", name: str = "float32") -> Property:
    """Nothing is computed in float64, of which most GPUs do few operations."""

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        for line in observed["doubles"][:1]:
            yield Fault(name, f"{line}, computes in float64")

    asks = "Which of the values of that line is a float64, and what made it one?"
    says = "nothing is computed in float64"
    return Property(name, says, points, asks, unless_few_stored(name, test, output))


def loads_at_most(
    name: str,
    says: str,
    points: float,
    times: int,
    arrays: Iterable[str],
    *,
    each_program: bool = False,
    once: Iterable[str] = (),
    stored_once: Iterable[str] = (),
    output: str = "out",
    asks: str,
) -> Property:
    """No element of these arrays is loaded more often than that, in the launch or by a program.

    Of the arrays in ``once``, no program loads an element twice, and of those in ``stored_once``
    none is stored twice. A kernel that loads less than half of an array shows nothing.
    """
    stored = tuple(stored_once)
    watched = [(one, times, each_program) for one in arrays] + [(one, 1, True) for one in once]

    def test(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        for one, times, each_program in watched:
            by_program = observed[f"{one}.reads"]
            whole = by_program.max(axis=0) if each_program else by_program.sum(axis=0)
            if np.count_nonzero(whole) * 2 < whole.size:
                yield Undecided(name, f"hardly an element of `{one}` was loaded")
                continue
            at = int(whole.argmax())
            if whole[at] > times:
                who = ""
                if each_program:
                    number = int(by_program[:, at].argmax())
                    who = f" by program {number}"
                many = int((whole > times).sum())
                yield Fault(
                    name,
                    f"`{one}[{at_element(case.inputs[one], at)}]` was loaded "
                    f"{often(int(whole[at]))}{who} ({many} of {whole.size} elements were loaded "
                    f"more than {often(times)})",
                )
        for one in stored:
            yield from _stored_again(name, observed, one)

    return Property(name, says, points, asks, unless_few_stored(name, test, output))


def once_right(*properties: Property, after: tuple[str, ...] = ("right",)) -> tuple[Property, ...]:
    """The same properties, which count once one of ``after`` is right on some case.

    A kernel that loads everything and computes nothing does no wrong to them.
    """
    return tuple(replace(one, after=after) for one in properties)


def unless_few_stored(name: str, test: Test, output: str = "out") -> Test:
    """The same test, undecided where it finds nothing in a kernel that stores less than half.

    So it is in one that loads next to nothing: see ``unless_few_loaded``.
    """

    def tested(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        faults = list(test(case, observed))
        yield from faults
        times = observed[f"{output}.times"]
        if not faults and np.count_nonzero(times) * 2 < times.size:
            yield Undecided(name, f"less than half of `{output}` was stored")

    return unless_few_loaded(name, tested)


def unless_few_loaded(name: str, test: Test | None) -> Test:
    """The same test, undecided where it finds nothing in a kernel that computes from nothing.

    That is one that loads less than half of each array: what it stores is no result.
    """

    def tested(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
        faults = list(test(case, observed)) if test else []
        yield from faults
        loads = [times.any(axis=0) for key, times in observed.items() if key.endswith(".reads")]
        if not faults and all(2 * int(one.sum()) < one.size for one in loads):
            yield Undecided(name, "less than half of each array was loaded")

    return tested


def at_element(array: np.ndarray, number: int) -> str:
    """The index of an element by its number in memory order, as it is written in brackets.

    >>> at_element(np.zeros((3, 4)), 5)
    '1, 1'
    """
    return ", ".join(str(int(one)) for one in np.unravel_index(int(number), array.shape))


def often(times: int) -> str:
    """A count as an adverb.

    >>> often(1), often(2), often(5)
    ('once', 'twice', '5 times')
    """
    return {1: "once", 2: "twice"}.get(times, f"{times} times")
