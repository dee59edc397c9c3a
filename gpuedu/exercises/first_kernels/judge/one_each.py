"""A property: each thread writes one element, and each element is written by one thread."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Plain, Property
from gpuedu.exercises.kernels.faults import repeated_faults
from gpuedu.exercises.kernels.properties import unless_idle, writers_of
from gpuedu.exercises.kernels.shapes import LaunchShape


def one_each(says: str, points: float, *, output: str = "out", asks: str) -> Property:
    """No element of an array is written by two threads, and no thread writes two of them.

    A thread may write its own element as often as it likes. Launches have at least one thread for
    each element.
    """
    name = "one-each"

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        shape = LaunchShape(case.inputs["grid"], case.inputs["block"])
        written = {**writers_of(observed, output), output: observed[output]}
        own = np.where(written["second"] < 0, np.minimum(written["times"], 1), written["times"])
        yield from repeated_faults(name, written | {"times": own}, shape, name=output)
        writers, counts = np.unique(written["first"][written["times"] > 0], return_counts=True)
        if (counts > 1).any():
            busy = shape.name_thread(int(writers[counts.argmax()]))
            many = shape.threads * shape.blocks
            yield Fault(
                name,
                f"{busy} wrote {int(counts.max())} elements, one after the other, while "
                f"{many - len(writers)} of {many} threads wrote none",
            )

    return Property(name, says, points, asks, unless_idle(name, test, output))
