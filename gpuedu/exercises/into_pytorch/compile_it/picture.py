"""compile-it: its picture, of six calls and the graphs that each compiles and runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from gpuedu.errors import AnswerError
from gpuedu.exercises.into_pytorch.compile_it.play import calls_of
from gpuedu.exercises.into_pytorch.compile_it.watching import Call, watch_calls
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption

CALLS = ((6, 0.5, 5), (6, 0.5, 5), (6, 0.7, 5), (6, 0.9, 5), (9, 0.9, 5), (4, 0.9, 5))
"""Batch, gain and step: the same again, two other gains, and two other batches."""
_SHAPES = {"w": (16, 32), "v": (32, 8)}
_LETTERS, _SQUARES = 62, 4
_LEFT, _TEXT_AT = 2.4, 4.5


def draw_calls(*functions: Callable[..., Any]) -> Axes:
    """Each call's graphs: those that it compiled, and those that were there.

    Args:
        functions: ``arguments`` and ``layer``; or one layer alone, which gets gain and step.
    """
    if len(functions) not in (1, 2):
        raise AnswerError(
            "the picture is drawn of your two functions",
            remedy='`see("compile-it", arguments, layer)`',
        )
    rng = np.random.default_rng(0)
    inputs: dict[str, Any] = {
        name: rng.normal(size=shape).astype(np.float32) / 4 for name, shape in _SHAPES.items()
    }
    inputs["calls"] = [
        {"x": rng.normal(size=(n, 16)).astype(np.float32), "gain": gain, "step": step}
        for n, gain, step in CALLS
    ]
    with quiet_torch():
        if len(functions) == 1:
            calls = [_as_given(inputs, call) for call in inputs["calls"]]
        else:
            calls = calls_of(functions[0], inputs)
        seen = watch_calls(functions[-1], calls).calls
    return plot_calls(getattr(functions[-1], "__name__", "your layer"), seen)


def _as_given(inputs: dict[str, Any], call: dict[str, Any]) -> Callable[[], tuple]:
    import torch

    def prepare() -> tuple:
        tensors = (torch.tensor(one) for one in (inputs["w"], inputs["v"], call["x"]))
        return (*tensors, call["gain"], call["step"])

    return prepare


def plot_calls(name: str, calls: Sequence[Call], *, ax: Axes | None = None) -> Axes:
    """A row for each call: a square for each graph, full where it was compiled for this call."""
    ax = style.bare(style.new_axes(0.9 + 0.33 * len(calls))) if ax is None else ax
    label = {"va": "center", "fontsize": 9.5}
    small = label | {"fontsize": 8.5}
    for row, (call, (batch, gain, step)) in enumerate(zip(calls, CALLS, strict=True)):
        said = f"batch {batch}, gain {gain}, step {step}"
        ax.text(0, -row, said, color=style.INK, **label)
        for at, is_new in enumerate(call.graphs[:_SQUARES]):
            _draw_graph(ax, _LEFT + 0.36 * at, -row, is_new=is_new)
        if len(call.graphs) > _SQUARES:
            more = f"+ {len(call.graphs) - _SQUARES}"
            ax.text(_LEFT + 0.36 * _SQUARES, -row, more, color=style.INK, **label)
        ax.text(_TEXT_AT, -row, _why(call, row), color=style.QUIET, **small)
    for at, (text, is_new) in enumerate((("compiled in this call", True), ("used again", False))):
        left = _LEFT + 2.4 * at
        _draw_graph(ax, left, 1.05, is_new=is_new)
        ax.text(left + 0.4, 1.05, text, color=style.INK, **label)
    ax.text(_TEXT_AT, 0, "the first guard that failed:", color=style.QUIET, **small)
    ax.set_xlim(0, 10.2)
    ax.set_ylim(-len(calls) + 0.4, 1.5)
    total = sum(call.compiled for call in calls)
    counted = "1 graph" if total == 1 else f"{total} graphs"
    caption = Caption(
        f"{name}: {counted} compiled in {len(calls)} calls",
        f"Rows of squares, one for each graph that runs in a call of {name}. {counted} compiled.",
        "Counted by a backend of torch.compile that keeps each graph as it is.",
    )
    return write_caption(ax, caption)


def _draw_graph(ax: Axes, left: float, middle: float, *, is_new: bool) -> None:
    look = {"facecolor": style.BLUE if is_new else "none", "edgecolor": style.BLUE}
    ax.add_patch(Rectangle((left, middle - 0.32), 0.27, 0.64, linewidth=1.3, **look))


def _why(call: Call, row: int) -> str:
    if not call.graphs:
        return "no graph"
    if not call.compiled or not row:
        return ""
    reason = call.reason.partition(", in `")[0] or "a guard failed"
    return reason if len(reason) <= _LETTERS else reason[:_LETTERS].rstrip() + " ..."


PICTURE = draw_calls
