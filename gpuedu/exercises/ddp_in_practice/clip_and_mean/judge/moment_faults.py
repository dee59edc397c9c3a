"""clip-and-mean, `moments`: mean and variance against those of all rows in one place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from gpuedu.exercises.compare import show_apart
from gpuedu.exercises.contract import Case, Fault, Plain

REL = 1e-4
"""Of a variance; a mean may be off by as much of a standard deviation."""
MOST_CALLS = 2


def moment_faults(case: Case, observed: Plain) -> Iterable[Fault]:
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
                yield Fault(prop, message, _cause(name, given[place], rank, parts))
                return
    most = max(observed["calls"])
    # One row alone: the others are about what comes out.
    if prop == "moments" and most > MOST_CALLS:
        message = f"`moments` makes {most} calls on a rank, {MOST_CALLS} are enough"
        yield Fault(prop, message, "What is summed at the same time fits into one tensor.")


def _cause(name: str, got: np.ndarray, rank: int, parts: Sequence[np.ndarray]) -> str:
    if np.isnan(got).any():
        return "Rows that are not there have no mean: NaN. Sums of them are 0, and their number is."
    rows = np.concatenate(parts)
    full = [part for part in parts if len(part)]
    means, variances = ([getattr(one, name)(axis=0) for one in full] for name in ("mean", "var"))
    inside = sum(len(one) * own for one, own in zip(full, variances, strict=True)) / len(rows)
    if name == "mean":
        known = [
            ("That is the mean of the ranks' means: each counts alike.", np.mean(means, axis=0)),
            ("That is divided by the ranks, and not by the rows.", rows.sum(axis=0) / len(parts)),
            ("That is the sum over all rows.", rows.sum(axis=0)),
            ("That is the rank's own mean.", _own(parts[rank], "mean")),
        ]
    else:
        known = [
            (
                "That is the mean of the ranks' variances. And how far are their means apart?",
                inside,
            ),
            (
                "That is a mean of the ranks' variances, each counted alike. And how far are their "
                "means apart?",
                np.mean(variances, axis=0),
            ),
            (
                "That divides by the rows less one. Batch norm divides by their number.",
                rows.var(axis=0, ddof=1),
            ),
            ("That is a standard deviation, not a variance.", rows.std(axis=0)),
            ("That is the sum of the squares, not their mean.", rows.var(axis=0) * len(rows)),
            ("That is the rank's own variance.", _own(parts[rank], "var")),
        ]
    for says, value in known:
        if value is not None and np.allclose(got, value, rtol=REL, atol=0):
            return says
    if name == "variance" and np.abs(rows.mean(axis=0)).min() > 1e4 * rows.std(axis=0).max():
        return (
            "A mean of squares less the square of a mean: two numbers of 13 digits whose "
            "difference lies beyond the 16 digits of a float64. Take the mean off *first*."
        )
    return ""


def _own(part: np.ndarray, name: str) -> np.ndarray | None:
    return getattr(part, name)(axis=0) if len(part) else None
