"""compile-it: its picture, of six calls and the graphs that each compiles and runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.into_pytorch.compile_it.play import calls_of
from gpuedu.exercises.into_pytorch.compile_it.watching import Call, watch_calls
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures.caption import Caption
from gpuedu.figures.compiled_calls import CallRow, plot_compiled_calls

CALLS = ((6, 0.5, 5), (6, 0.5, 5), (6, 0.7, 5), (6, 0.9, 5), (9, 0.9, 5), (4, 0.9, 5))
"""Batch, gain and step: the same again, two other gains, and two other batches."""
_SHAPES = {"w": (16, 32), "v": (32, 8)}


def draw_calls(*functions: Callable[..., Any]) -> Any:
    """Each call's graphs: those that it compiled, and those that were there.

    Args:
        functions: ``arguments`` and ``layer``; or one layer alone, which gets gain and step.
    """
    if len(functions) not in (1, 2):
        raise AnswerError(
            "the picture is drawn from your two functions",
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
    return _drawn(getattr(functions[-1], "__name__", "your layer"), seen)


def _as_given(inputs: dict[str, Any], call: dict[str, Any]) -> Callable[[], tuple]:
    import torch

    def prepare() -> tuple:
        tensors = (torch.tensor(one) for one in (inputs["w"], inputs["v"], call["x"]))
        return (*tensors, call["gain"], call["step"])

    return prepare


def _drawn(name: str, calls: Sequence[Call]) -> Any:
    rows = [
        CallRow(f"batch {batch}, gain {gain}, step {step}", call.graphs, _why(calls, row))
        for row, (call, (batch, gain, step)) in enumerate(zip(calls, CALLS, strict=True))
    ]
    total = sum(call.compiled for call in calls)
    counted = "1 graph" if total == 1 else f"{total} graphs"
    caption = Caption(
        f"{name}: {counted} compiled in {len(calls)} calls",
        f"Rows of squares, one for each graph that runs in a call of {name}. {counted} compiled.",
        "Counted by a backend of torch.compile that keeps each graph as it is.",
    )
    return plot_compiled_calls(rows, caption=caption)


def _why(calls: Sequence[Call], row: int) -> str:
    call = calls[row]
    if not call.graphs:
        return "no graph"
    if not row:
        return "the first guard that failed:" if any(one.compiled for one in calls[1:]) else ""
    if not call.compiled:
        return ""
    return call.reason.partition(", in `")[0] or "a guard failed"


PICTURE = draw_calls
