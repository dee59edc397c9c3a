"""How many SMs of a GPU are in use over time: programs below each other, each with its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from gpuedu.figures import style
from gpuedu.figures.axis_units import time_unit
from gpuedu.figures.caption import Caption, write_caption

_ROW, _GAP = 1.0, 0.55
_TICK_PT = 9.5


@dataclass(frozen=True)
class SmUse:
    """A program's kernels, each as (start, end, SMs in use) in seconds; ``says`` goes beside it.

    Kernels that run at the same time use different SMs.
    """

    name: str
    kernels: tuple[tuple[float, float, int], ...]
    says: tuple[str, ...]

    def steps(self, end_s: float) -> tuple[list[float], list[int]]:
        """Times at which the number of SMs in use changes, and the number from then on.

        >>> SmUse("", ((1, 4, 10), (2, 3, 5)), ()).steps(6)
        ([0.0, 1, 2, 3, 4, 6], [0, 10, 15, 10, 0, 0])
        """
        marks = {0.0, end_s} | {t for a, b, _ in self.kernels for t in (a, b) if 0 < t < end_s}
        times = sorted(marks)
        return times, [sum(n for a, b, n in self.kernels if a <= t < b) for t in times]


def plot_sm_use(
    programs: Sequence[SmUse], sms: int, end_s: float, *, caption: Caption, ax: Axes | None = None
) -> Axes:
    """Draw a row for each program: SMs in use as an area, below it when any kernel runs.

    Args:
        programs: from top to bottom.
        sms: how many the device has, the height of a row.
        end_s: where the time axis ends.
        caption: title, name of the time axis without its unit, source, alternative text.
        ax: where to draw; a new figure by default.
    """
    ax = style.new_axes(1.2 + 1.0 * len(programs)) if ax is None else ax
    unit = time_unit(end_s)
    bottoms = [-(place + 1) * (_ROW + _GAP) for place in range(len(programs))]
    for program, bottom in zip(programs, bottoms, strict=True):
        _draw_program(ax, program, bottom, sms, end_s, unit.size)
    ax.set_xlim(0, unit.of(end_s))
    ax.set_ylim(bottoms[-1] - 0.35, 0.05 - _GAP + 0.35)
    ticks = [(bottom + part * _ROW, text) for bottom in bottoms for part, text in _ticks(sms)]
    ax.set_yticks([y for y, _ in ticks], [text for _, text in ticks])
    ax.grid(visible=False)
    write_caption(
        ax,
        Caption(
            caption.title, caption.alt, caption.source, unit.name_axis(caption.x), "SMs in use"
        ),
    )
    return ax


def _ticks(sms: int) -> tuple[tuple[float, str], ...]:
    return (0.0, "0"), (1.0, f"{sms}")


def _draw_program(
    ax: Axes, program: SmUse, bottom: float, sms: int, end_s: float, size_s: float
) -> None:
    times, used = program.steps(end_s)
    x = [time / size_s for time in times]
    heights = [bottom + _ROW * min(n, sms) / sms for n in used]
    ax.axhline(bottom, color=style.FAINT, linewidth=0.8, zorder=0.5)
    ax.axhline(bottom + _ROW, color=style.FAINT, linewidth=0.8, zorder=0.5)
    ax.fill_between(x, bottom, heights, step="post", color=style.BLUE, linewidth=0)
    ax.step(x, heights, where="post", color=style.BLUE, linewidth=1.4)
    for start, end, n in zip(x, x[1:], used, strict=False):
        if n:
            ax.barh(bottom - 0.13, end - start, 0.1, left=start, color=style.ORANGE)
    look = {"fontsize": 10, "color": style.INK, "fontweight": "bold"}
    at = (0, bottom + _ROW + 0.08)
    ax.annotate(program.name, at, (4, 0), textcoords="offset points", **look)
    ax.annotate(
        "\n".join(program.says),
        (1, bottom + _ROW / 2),
        xycoords=("axes fraction", "data"),
        xytext=(8, 0),
        textcoords="offset points",
        va="center",
        fontsize=_TICK_PT,
        color=style.INK,
        linespacing=1.4,
        annotation_clip=False,
    )
