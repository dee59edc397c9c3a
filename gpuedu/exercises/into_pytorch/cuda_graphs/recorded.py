"""Recorded steps of decoding, launched one kernel after another and as a CUDA graph."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.kernels.recorded import draw_recorded
from gpuedu.exercises.kernels.recorded_panels import Bars

_LENGTH = 512
_BATCHES = {1: "1 text", 8: "8 texts", 64: "64 texts", 256: "256 texts"}
_WANTED = (
    Bars(
        "decode-step",
        f"One token of a GPT with 470 million parameters, {_LENGTH} tokens before it",
        "steps as a CUDA graph",
        {
            f"{texts}, {short}": {"batch": batch, "length": _LENGTH, "mode": mode}
            for batch, texts in (
                (1, "1 text"),
                (8, "8 texts"),
                (64, "64 texts"),
                (256, "256 texts"),
            )
            for short, mode in (("launched", "launched by PyTorch"), ("graph", "CUDA graph"))
        },
    ),
)


def draw_recorded_graphs() -> Any:
    """The same step with and without a graph, by batch; a sentence where none was recorded."""
    return draw_recorded("A graph pays off while kernels are short", "CUDA graphs", _WANTED)
