"""A pipeline: what each stage does when, in numbered boxes, and what it keeps meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.text_fit import Scale, measure_scale, width_pt

_FORWARD = (style.BLUE, style.SKY, "#b3daf2", "#dcebf5")
_BACKWARD = (style.ORANGE, "#f3c766", "#f9e2b0", "#fdf2dd")
_IDLE = "#e6e8ee"
_TEXT_PT, _TURNED_PT, _NARROW_PT = 9.0, 5.8, 5.0
_CAPITAL = 0.73
"""How high a figure is, as a share of the size of its letters."""
_BOX, _ROW_IN = 0.84, 0.42


@dataclass(frozen=True)
class PipelineBox:
    """One pass of a stage over a micro-batch, in one of its chunks."""

    stage: int
    number: int
    start: float
    end: float
    is_forward: bool
    chunk: int = 0


@dataclass(frozen=True)
class PipelineRow:
    """A stage: the most it keeps at once, the most it may keep, the box that waits, and a text."""

    kept: int
    most: int
    waiting: PipelineBox | None = None
    why: str = ""


def plot_pipeline(
    boxes: Sequence[PipelineBox],
    rows: Sequence[PipelineRow],
    *,
    best: float,
    room: int,
    caption: Caption,
    chunks: int = 1,
    kept_name: str = "kept at once",
    is_free: bool = False,
) -> np.ndarray:
    """Draw a row for each stage along the time, and beside it a bar of what the stage keeps.

    What is beyond ``best`` has a red background, and what a stage keeps beyond ``most`` is striped.
    Axes depend only on ``best`` and ``room``, so that two schedules can be compared, unless
    ``is_free``.

    Args:
        boxes: of all stages.
        rows: of the stages, from the first to the last.
        best: when the whole should end.
        room: the length of the axis of what is kept.
        caption: title, name of the time axis, source, alternative text.
        chunks: of each stage; each has its own shade.
        kept_name: of what is kept, below its bars.
        is_free: the whole may end later than ``best``, which is not drawn as wrong.

    Returns:
        The Axes of the time and of what is kept.
    """
    height_in = 1.75 + _ROW_IN * max(3, len(rows))
    axes = style.new_axes(height_in, columns=2, sharey=True, width_ratios=[6.2, 1])
    times, kept = axes
    if is_free:
        best = max((box.end for box in boxes), default=best)
    _set_times(times, rows, boxes, best)
    write_caption(times, caption)
    _write_keys(times, chunks)
    _draw_kept(kept, rows, room, kept_name)
    scale = measure_scale(times)
    for box in boxes:
        _draw_box(times, box, scale)
    for row in rows:
        if row.waiting is not None:
            _draw_waiting(times, row.waiting, row.why)
    return axes


def _set_times(
    ax: Axes, rows: Sequence[PipelineRow], boxes: Sequence[PipelineBox], best: float
) -> None:
    end = max((box.end for box in boxes), default=0.0)
    is_late, is_stuck = end > best * (1 + 1e-9), any(row.waiting is not None for row in rows)
    ax.set_xlim(0, 1.1 * best)
    ax.set_ylim(len(rows) - 0.45, -1.15)
    ax.set_yticks(range(len(rows)), [f"stage {at}" for at in range(len(rows))])
    ax.set_xticks([0, best], ["0", f"{best:g}"])
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.grid(visible=False)
    if is_late:
        ax.axvspan(best, 1.1 * best, color=style.RED, alpha=0.22, linewidth=0, zorder=1.5)
        look = {"fontsize": 9.5, "color": style.INK, "ha": "center", "va": "center_baseline"}
        ax.text(1.05 * best, -0.85, f"→ {end:g}", **look)
    color = style.RED if is_late else style.QUIET if is_stuck else style.GREEN
    # Behind the boxes: one that is late has its number there.
    ax.plot([best] * 2, (len(rows) - 0.45, -0.55), color=color, linewidth=2, zorder=1.8)
    for at in range(len(rows)):
        last = max((box.end for box in boxes if box.stage == at), default=0.0)
        idle = last if is_stuck else end
        place = (0, at - _BOX / 2)
        ax.add_patch(Rectangle(place, idle, _BOX, facecolor=_IDLE, linewidth=0, zorder=1))


def _draw_box(ax: Axes, box: PipelineBox, scale: Scale) -> None:
    shades = _FORWARD if box.is_forward else _BACKWARD
    color = shades[box.chunk % len(shades)]
    width = box.end - box.start
    ax.add_patch(
        Rectangle(
            (box.start, box.stage - _BOX / 2),
            width,
            _BOX,
            facecolor=color,
            edgecolor=style.GROUND,
            linewidth=0.8,
            zorder=2,
        )
    )
    if box.start + width / 2 > ax.get_xlim()[1]:
        return
    text, room_pt = str(box.number), width * scale.x_pt
    is_turned = width_pt(text, _TEXT_PT) > room_pt - 1.5
    if is_turned and (room_pt < _NARROW_PT or len(text) > 3):
        return
    ax.text(
        box.start + width / 2,
        box.stage,
        text,
        ha="center",
        va="center_baseline",
        rotation=90 if is_turned else 0,
        rotation_mode="anchor",
        fontsize=_turned_pt(room_pt) if is_turned else _TEXT_PT,
        color="white" if color == style.BLUE else style.INK,
        zorder=3,
    )


def _turned_pt(room_pt: float) -> float:
    """The size of a number that lies on its side, as large as its box is wide."""
    return min(_TEXT_PT, max(_TURNED_PT, (room_pt - 2.2) / _CAPITAL))


def _draw_waiting(ax: Axes, box: PipelineBox, why: str) -> None:
    width = box.end - box.start
    place = (box.start, box.stage - _BOX / 2)
    look = {"facecolor": "white", "edgecolor": style.RED, "linestyle": "--", "linewidth": 1.6}
    ax.add_patch(Rectangle(place, width, _BOX, zorder=4, **look))
    shade = style.BLUE if box.is_forward else style.RED
    ground = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
    look = {"fontsize": 8.5, "color": style.INK, "va": "center_baseline", "ha": "left"}
    ax.text(box.end + 0.2, box.stage, why, zorder=6, bbox=ground, **look)
    mark = {"fontsize": 9.5, "color": shade, "ha": "center", "va": "center_baseline"}
    ax.text(box.start + width / 2, box.stage, "?", zorder=6, fontweight="bold", **mark)


def _draw_kept(ax: Axes, rows: Sequence[PipelineRow], room: int, name: str) -> None:
    ax.set_xlim(0, 1.75 * room)
    ax.set_xticks([])
    ax.grid(visible=False)
    ax.tick_params(axis="y", length=0, labelleft=False)
    ax.set_xlabel(name, fontsize=10.5, color=style.INK)
    for at, row in enumerate(rows):
        spans = [(0, min(row.kept, row.most), style.GREEN, "")]
        if row.kept > row.most:
            spans.append((row.most, row.kept - row.most, style.RED, "////"))
        for left, width, color, hatch in spans:
            look = {"color": color, "hatch": hatch, "edgecolor": style.GROUND, "linewidth": 0.8}
            ax.barh(at, width, left=left, height=0.5, **look)
        ax.plot([row.most] * 2, [at - 0.36, at + 0.36], color=style.INK, linewidth=1.6)
        look = {"fontsize": 9.5, "color": style.INK, "va": "center_baseline"}
        said = f"{row.kept} of {row.most}"
        ax.text(max(row.kept, row.most) + 0.05 * room, at, said, **look)


def _write_keys(ax: Axes, chunks: int) -> None:
    keys = [("forward", _FORWARD[0]), ("backward", _BACKWARD[0]), ("idle", _IDLE)]
    if chunks > 1:
        keys.append(("paler: a later chunk", _FORWARD[1]))
    handles = [Patch(facecolor=color, label=name) for name, color in keys]
    look = {"frameon": False, "fontsize": 9, "handlelength": 1.2, "columnspacing": 1.2}
    ax.legend(handles=handles, loc="upper left", ncols=len(keys), borderaxespad=0.1, **look)
