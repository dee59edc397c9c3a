"""compile-it: the kernels that Inductor writes for the layer, and the bytes that fusion saves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.experiments.results import read_results
from gpuedu.figures.caption import Caption
from gpuedu.figures.segments import SegmentRow, plot_segments

_MB = 1e6
_SMALL = 1.0
"""MB that nobody sees on this axis."""
_LIBRARY = "mm"
_SHORT = {"linalg_vector_norm": "norm", "clamp_max": "clamp"}
_NORM = ("pow", "sum", "pow")
"""What a norm is made of, where a kernel computes it."""


def draw_fused() -> Any:
    """Bytes of all that runs between the two products: one by one, with a break, as one graph."""
    found = read_results("fused-layer")
    whole, broken = found.values["one graph"], found.values["a break"]
    rows = [
        _row("one by one", whole["operations"], "operations"),
        _row("a break before\nthe last mul", broken["kernels"], "kernels"),
        _row("one graph", whole["kernels"], "kernels"),
    ]
    told = "; ".join(f"{row.name}: {row.total:,.0f} MB" for row in rows).replace("\n", " ")
    operations, *kernels = (sum(size < _SMALL for _, size in row.segments) for row in rows)
    caption = Caption(
        "What moves between the two products",
        f"Bars of bytes that are read and written. {told}.",
        f"Too small to be seen: {operations} of the operations, and {max(kernels)} kernel of each "
        "of the others.\n"
        f"Kernels that Inductor wrote for an H100, not run; float32. {found.source}",
        x="MB read and written; "
        f"h has {found.values['rows']:,} x {found.values['hidden']:,} numbers",
    )
    return plot_segments(rows, caption=caption)


def _row(name: str, ran: Sequence[Mapping[str, Any]], what: str) -> SegmentRow:
    """What runs between the products: what it computes, and its megabytes."""
    parts = tuple(
        (_label(one), (one["reads"] + one["writes"]) / _MB)
        for one in ran
        if one["name"] != _LIBRARY
    )
    return SegmentRow(name, parts, f"{len(parts)} {what}")


def _label(ran: Mapping[str, Any]) -> str:
    names = list(ran.get("fuses", [ran["name"]]))
    for at in range(len(names)):
        if tuple(names[at : at + len(_NORM)]) == _NORM:
            names[at : at + len(_NORM)] = ["norm"]
    return ", ".join(_SHORT.get(name, name) for name in names)


def tell_code() -> str:
    """The last kernel of the layer, as Inductor writes it for an H100."""
    found = read_results("fused-layer")
    kernels = [one for one in found.values["one graph"]["kernels"] if one["code"]]
    return f"{kernels[-1]['code']}\n\nWritten for an H100 by Inductor. {found.source}"
