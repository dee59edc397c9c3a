"""What is judged of arguments: all functions of an exercise leave them as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gpuedu.exercises.contract import Case, Fault, Plain, Property

LEFT_ALONE = "left-alone"


def left_alone(points: float, after: tuple[str, ...]) -> Property:
    """What functions are given stays as it is; the play observes what they ``changed``."""

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        for told in observed["changed"][:1]:
            yield Fault(LEFT_ALONE, f"{told}, which it was given")

    says = "what your functions are given stays as it is"
    asks = "The caller may need it again. What could the function work on instead?"
    return Property(LEFT_ALONE, says, points, asks, test, after)


def deciding_that(cases: Sequence[Case]) -> list[Case]:
    """Cases that decide besides whether what functions are given stays as it is."""
    return [replace(case, decides=(*case.decides, LEFT_ALONE)) for case in cases]
