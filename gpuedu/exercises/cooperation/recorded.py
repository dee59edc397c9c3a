"""Recorded times of the kernels of the lesson cooperation, and of atomics that meet."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.kernels.recorded import draw_recorded
from gpuedu.exercises.kernels.recorded_panels import Bars, Lines

_GIGA = 1e9
_WANTED = (
    Bars(
        "block-sums",
        "The sums of blocks of 256",
        "block sums",
        {
            "in pairs": {"kernel": "pairs"},
            "by halves": {"kernel": "tree"},
            "by shuffles": {"kernel": "shuffles"},
        },
    ),
    Bars(
        "histograms",
        "A histogram of 64 bins, a share of the values in one",
        "histograms",
        {
            f"{name}, {share:.0%}": {"kernel": kernel, "share": share}
            for share in (0.1, 0.5, 0.95)
            for name, kernel in (("straight", "atomic"), ("private", "private"))
        },
    ),
    Lines(
        "atomics",
        "Atomics on fewer and fewer addresses",
        "atomics",
        {name: {"memory": name} for name in ("global", "shared")},
        field="addresses",
        x="addresses",
        y="billion updates/s",
        unit="billion updates a second",
        value=lambda row: row["updates"] / row["median"] / _GIGA,
    ),
    Bars(
        "softmax", "A softmax of each row", "softmax", {"a block a row": {"kernel": "row-softmax"}}
    ),
)


def draw_recorded_cooperation() -> Any:
    """Sums, histograms, atomics and softmax as GPUs ran them; a sentence without a record."""
    return draw_recorded("Threads that work together", "these kernels", _WANTED)
