"""Faults about float64 arithmetic that nobody asked for."""

from __future__ import annotations

from collections.abc import Iterator

from gpuedu.exercises.contract import Fault, Plain, Undecided

_LONGEST = 90
_WHY = (
    "A number with a point, such as `0.5`, is a double in C, and so is whatever it meets: `0.5f` "
    "is a float. Variables of type double, and `pow` with a whole number, do the same."
)


def single_faults(prop: str, observed: Plain, cause: str = _WHY) -> Iterator[Fault]:
    """A fault where a kernel computed in float64, or not at all."""
    if observed["flop64"]:
        yield Fault(
            prop,
            f"{observed['flop64']:,} of {observed['flop']:,} floating-point operations were in "
            f"float64{_where(observed)}",
            cause,
        )
    elif not observed["flop"]:
        yield Undecided(prop, "nothing was computed")


def _where(observed: Plain) -> str:
    """The line that has some, unless it is one that the course wrote around the learner's."""
    line = observed["line64"]
    return f", on the line `{line}`" if 0 < len(line) <= _LONGEST else ""
