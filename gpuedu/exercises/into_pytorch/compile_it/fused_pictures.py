"""compile-it: the kernels that Inductor writes for the layer, and the bytes that fusion saves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.experiments.results import Experiment, read_results
from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_MB = 1e6
_LIBRARY = "mm"
_SHORT = {"linalg_vector_norm": "norm", "clamp_max": "clamp"}
_NORM = ("pow", "sum", "pow")
"""What a norm is made of, where a kernel computes it."""
_WIDE_MB = 90.0


def draw_fused() -> Axes:
    """Bytes of all that runs between the two products: one by one, with a break, as one graph."""
    found = read_results("fused-layer")
    whole, broken = found.values["one graph"], found.values["a break"]
    rows = [
        ("one by one", whole["operations"], "operations"),
        ("a break before\nthe last mul", broken["kernels"], "kernels"),
        ("one graph", whole["kernels"], "kernels"),
    ]
    return plot_bytes([(name, _parts(ran), what) for name, ran, what in rows], found)


def _parts(ran: Sequence[Mapping[str, Any]]) -> list[tuple[str, float]]:
    """What runs between the products: what it computes, and its megabytes."""
    return [
        (_label(one), (one["reads"] + one["writes"]) / _MB)
        for one in ran
        if one["name"] != _LIBRARY
    ]


def _label(ran: Mapping[str, Any]) -> str:
    names = list(ran.get("fuses", [ran["name"]]))
    for at in range(len(names)):
        if tuple(names[at : at + len(_NORM)]) == _NORM:
            names[at : at + len(_NORM)] = ["norm"]
    return ", ".join(_SHORT.get(name, name) for name in names)


def plot_bytes(
    rows: Sequence[tuple[str, Sequence[tuple[str, float]], str]],
    found: Experiment,
    *,
    ax: Axes | None = None,
) -> Axes:
    """A row of segments each, as long as the bytes that an operation or a kernel moves."""
    ax = style.new_axes(3.1) if ax is None else ax
    ax.grid(visible=False)
    for row, (_, parts, what) in enumerate(rows):
        left = 0.0
        for text, size_mb in parts:
            look = {"facecolor": "#e3eef6", "edgecolor": style.BLUE, "linewidth": 1.2}
            ax.add_patch(Rectangle((left, -row - 0.36), size_mb, 0.72, **look))
            if size_mb > _WIDE_MB:
                place = (left + size_mb / 2, -row)
                short = _wrapped(text, size_mb)
                ax.text(*place, short, ha="center", va="center", fontsize=8.5, color=style.INK)
            left += size_mb
        ax.text(left + 12, -row, f"{len(parts)} {what}", va="center", fontsize=9.5, color=style.INK)
    ax.set_yticks([-row for row in range(len(rows))], [name for name, _, _ in rows])
    ax.set_ylim(-len(rows) + 0.5, 0.5)
    ax.set_xlim(0, 1900)
    told = "; ".join(f"{name}: {sum(mb for _, mb in parts):,.0f} MB" for name, parts, _ in rows)
    caption = Caption(
        "What moves between the two products",
        f"Bars of bytes that are read and written. {told}.".replace("\n", " "),
        f"Kernels that Inductor wrote for an H100, not run; float32. {found.source}",
        x=f"MB read and written; h has {found.values['rows']} x {found.values['hidden']} numbers",
    )
    return write_caption(ax, caption)


def _wrapped(text: str, size_mb: float) -> str:
    """Words in lines that fit a segment."""
    lines, fits = [""], max(5, int(size_mb / 19))
    for word in text.split(" "):
        if lines[-1] and len(lines[-1]) + len(word) >= fits:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)


def tell_code() -> str:
    """The last kernel of the layer, as Inductor writes it for an H100."""
    found = read_results("fused-layer")
    kernels = [one for one in found.values["one graph"]["kernels"] if one["code"]]
    return f"{kernels[-1]['code']}\n\nWritten for an H100 by Inductor. {found.source}"
