"""Plays of the lesson cupy: each runs the learner's code on arrays, or a machine, that count."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.cupy.watching import library_of, on_host
from gpuedu.lens.listing import line_texts
from gpuedu.trace import Trace


def observed(name: str, result: Any) -> dict[str, Any]:
    """A result on the host, and the library that its array is from."""
    return {"result": on_host(result, name), "library": library_of(result)}


def on_device(array: np.ndarray) -> Any:
    """A copy of an array on the device that counts."""
    from gpuedu.arrays import cupy as cp

    return cp.asarray(array)


def _arithmetic(trace: Trace | None) -> dict[str, Any]:
    """Floating-point operations, those in float64, and the first line that has some."""
    if trace is None:
        return {"flop": 0, "flop64": 0, "line64": ""}
    in_double = [line.place for line in trace.lines if line.flop.get("float64")]
    texts = line_texts(trace.launch)
    return {
        "flop": sum(sum(line.flop.values()) for line in trace.lines),
        "flop64": sum(line.flop.get("float64", 0) for line in trace.lines),
        "line64": texts.get(in_double[0], "").strip() if in_double else "",
    }
