"""clip-and-mean, `moments`: mean and variance against those of all rows in one place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from gpuedu.exercises.compare import show_apart
from gpuedu.exercises.contract import Case, Fault, Plain

REL = 1e-4
"""Of a variance; a mean may be off by as much of a standard deviation."""
MOST_CALLS = 2


def of_objects(kinds: Sequence[str]) -> str:
    """What somebody who gathered objects has to know of the number of calls."""
    return " (an `all_gather_object` makes two)" if "all_gather" in kinds else ""


def test_moments(case: Case, observed: Plain) -> Iterable[Fault]:
    """The first column that is off, on any rank; then the calls."""
    (prop,), parts = case.decides, case.inputs["parts"]
    rows = np.concatenate(parts)
    variance = rows.var(axis=0)
    wanted = [rows.mean(axis=0), variance]
    limits = [REL * np.sqrt(variance), REL * variance]
    told = ", ".join(str(len(part)) for part in parts)
    for rank, given in enumerate(observed["ranks"]):
        for place, name in enumerate(("mean", "variance")):
            off = ~(np.abs(given[place] - wanted[place]) <= limits[place])
            if off.any():
                column = int(np.argmax(off))
                got, true = show_apart(float(given[place][column]), float(wanted[place][column]))
                message = (
                    f"`moments` with {told} rows: the {name} of column {column} is {got} on rank "
                    f"{rank}, expected {true}"
                )
                yield Fault(prop, message)
                return
    most = max(observed["calls"])
    # One row alone: the others are about what comes out.
    if prop == "moments" and most > MOST_CALLS:
        message = f"`moments` makes {most} calls on a rank, {MOST_CALLS} are enough"
        yield Fault(prop, message + of_objects(observed["kinds"]))
    elif prop == "moments" and not observed["kept"]:
        yield Fault(prop, "after `moments`, the rows `x` are not what they were before")
