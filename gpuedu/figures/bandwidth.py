"""Rates of memory: what was measured here beside what data sheets print."""

from __future__ import annotations

from collections.abc import Mapping

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.units import GB, format_quantity


def plot_rates(
    measured_bytes_per_s: Mapping[str, float],
    data_sheet_bytes_per_s: Mapping[str, float],
    *,
    title: str,
    source: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw rates as bars on a logarithmic axis, measured ones filled, printed ones hatched.

    Args:
        measured_bytes_per_s: name to rate, measured on this machine.
        data_sheet_bytes_per_s: name to rate, from a data sheet.
        title: what the learner should see in it.
        source: where the numbers come from.
        ax: where to draw; a new figure by default.
    """
    rows = [(name, rate, True) for name, rate in measured_bytes_per_s.items()]
    rows += [(name, rate, False) for name, rate in data_sheet_bytes_per_s.items()]
    ax = style.new_axes(0.9 + 0.36 * len(rows)) if ax is None else ax
    least = min(rate for _, rate, _ in rows) / 2
    for place, (_, rate, is_measured) in enumerate(reversed(rows)):
        ax.barh(
            place,
            rate / GB,
            color=style.BLUE if is_measured else style.GROUND,
            edgecolor=style.BLUE if is_measured else style.QUIET,
            hatch=None if is_measured else "///",
            height=0.62,
        )
        ax.text(
            rate / GB * 1.08,
            place,
            format_quantity(rate, "B/s") + ("" if is_measured else "  (data sheet)"),
            va="center",
            fontsize=9.5,
            color=style.INK,
        )
    ax.set_xscale("log")
    ax.set_xlim(least / GB, max(rate for _, rate, _ in rows) / GB * 9)
    ax.set_yticks(range(len(rows)), [name for name, _, _ in reversed(rows)])
    ax.grid(axis="y", visible=False)
    style.name_axes(ax, title=title, x="GB/s (1 GB = 1e9 bytes; each step is ten times)")
    style.note_source(ax, source)
    listed = ", ".join(f"{name} {format_quantity(rate, 'B/s')}" for name, rate, _ in rows)
    return style.describe(ax, f"Bar chart of memory bandwidth: {listed}.")
