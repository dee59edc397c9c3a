"""Recorded times of kernels whose threads cooperate, of atomics that meet, and of a softmax."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.kernels.recorded import draw_recorded
from gpuedu.exercises.kernels.recorded_panels import Bars, Lines
from gpuedu.units import GB, format_size

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
        "A histogram of 64 bins, with a share of the values in one",
        "histograms",
        {
            f"{name}, {share:.0%}": {"kernel": kernel, "share": share}
            for share in (0.1, 0.5, 0.95)
            for name, kernel in (("straight", "atomic"), ("private", "private"))
        },
    ),
    Lines(
        "atomics",
        "Atomic additions of 1, by the number of addresses",
        "atomics",
        {name: {"memory": name} for name in ("global", "shared")},
        field="addresses",
        x="addresses",
        y="billion updates/s",
        unit="billion updates a second",
        value=lambda row: row["updates"] / row["median"] / _GIGA,
    ),
)
_SOFTMAX = (
    Bars(
        "softmax",
        "A softmax of each row of 1,024 columns",
        "softmax",
        {"a block per row": {"kernel": "row-softmax"}},
    ),
    Lines(
        "copy-by-size",
        "A copy, by the size of its arrays",
        "copies by size",
        {"": {}},
        field="size_bytes",
        x="bytes of an array",
        y="GB/s",
        unit="GB/s",
        value=lambda row: row["median"] / GB,
        format_x=format_size,
    ),
)


def draw_recorded_cooperation() -> Any:
    """Sums, histograms and atomics as GPUs ran them; a sentence without a record."""
    return draw_recorded("Threads that work together", "these kernels", _WANTED)


def draw_recorded_softmax() -> Any:
    """A softmax as GPUs ran it, and what a copy moves there; a sentence without a record."""
    return draw_recorded("A row softmax beside a copy", "this kernel", _SOFTMAX)
