"""What a program launches and copies, in order, on a line of the host and one of the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

_HOST, _DEVICE = 1.0, 0.0
MOST_STEPS = 60
"""Steps that are drawn; more cannot be told apart at notebook width."""


class Kind(StrEnum):
    """What a step of a program is."""

    LAUNCH = "launch"
    TO_DEVICE = "copy to the device"
    TO_HOST = "copy to the host"
    HIDDEN = "hidden copy"


@dataclass(frozen=True)
class JourneyStep:
    """One step. ``to_device`` says which way a hidden copy goes."""

    kind: Kind
    to_device: bool = False


_COLORS = {Kind.TO_DEVICE: style.BLUE, Kind.TO_HOST: style.GREEN, Kind.HIDDEN: style.RED}
_DASHES = {Kind.TO_DEVICE: "-", Kind.TO_HOST: "-", Kind.HIDDEN: (0, (2, 1.4))}


def plot_journey(steps: Sequence[JourneyStep], *, caption: Caption, ax: Axes | None = None) -> Axes:
    """Draw launches as squares on the device's line, copies as arrows between the lines.

    Args:
        steps: in order; if there are more than ``MOST_STEPS``, the first are drawn, and a note says
            so.
        caption: title, name of the axis, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(2.7) if ax is None else ax
    shown = steps[:MOST_STEPS]
    for place, step in enumerate(shown, 1):
        _draw_step(ax, place, step)
    if len(steps) > len(shown):
        said = f"and {len(steps) - len(shown)} more"
        ax.text(len(shown) + 0.8, 0.5, said, va="center", fontsize=9.5, color=style.INK)
    for y in (_HOST, _DEVICE):
        ax.axhline(y, color=style.FAINT, linewidth=1.5, zorder=0)
    ax.set_yticks([_HOST, _DEVICE], ["host", "device"])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.set_ylim(-0.35, 1.75)
    ax.set_xlim(0, max(len(shown), 12) + (7 if len(steps) > len(shown) else 1))
    ax.grid(visible=False)
    _name_kinds(ax, {step.kind for step in shown})
    return write_caption(ax, caption)


def _draw_step(ax: Axes, place: int, step: JourneyStep) -> None:
    if step.kind is Kind.LAUNCH:
        ax.plot(place, _DEVICE, "s", color=style.ORANGE, markersize=7)
        return
    down = step.kind is Kind.TO_DEVICE or (step.kind is Kind.HIDDEN and step.to_device)
    start, end = (_HOST, _DEVICE) if down else (_DEVICE, _HOST)
    ax.annotate(
        "",
        (place, end),
        (place, start),
        arrowprops={
            "arrowstyle": "-|>",
            "color": _COLORS[step.kind],
            "linestyle": _DASHES[step.kind],
            "linewidth": 1.6,
            "shrinkA": 0,
            "shrinkB": 0,
        },
    )


def _name_kinds(ax: Axes, kinds: set[Kind]) -> None:
    """Keys above the lines, for the kinds that occur."""
    handles = []
    for kind in Kind:
        if kind not in kinds:
            continue
        look = (
            {"marker": "s", "color": style.ORANGE, "linestyle": ""}
            if kind is Kind.LAUNCH
            else {"color": _COLORS[kind], "linestyle": _DASHES[kind], "linewidth": 1.8}
        )
        handles.append(Line2D([], [], label=str(kind), **look))
    if handles:
        ax.legend(
            handles=handles,
            loc="upper left",
            ncols=len(handles),
            frameon=False,
            fontsize=9.5,
            borderaxespad=0.1,
            handlelength=1.8,
            columnspacing=1.4,
        )
