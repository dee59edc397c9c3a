"""Small steps of the learner's, captured with one input and replayed with another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.clock import DeviceTensor, GraphDevice
from gpuedu.clock.graphs import REFUSED

_FIRST, _SECOND = [1.0, 2.0], [-3.0, -5.0]


def tell_captured(*steps: Callable[..., Any]) -> str:
    """A line for each step: what its replay gives for a new input, or why it was refused."""
    width = max(len(step.__name__) for step in steps)
    lines = [f"captured with x = {_FIRST}, replayed with x = {_SECOND}"]
    lines += [f"{step.__name__:<{width}}  {_tell(step)}" for step in steps]
    return "\n".join(lines)


def _tell(step: Callable[..., Any]) -> str:
    device = GraphDevice()
    x, other = device.tensor(_FIRST), device.tensor(_SECOND)
    step(device, x)
    graph = device.CUDAGraph()
    try:
        with device.graph(graph):
            y = step(device, x)
    except Exception:
        if not device.refused:
            raise
        return f"refused: {device.refused[0].removeprefix(REFUSED).strip(': ')}"
    x.copy_(other)
    graph.replay()
    replayed, eager = y.tolist(), step(device, DeviceTensor(device, other.values)).tolist()
    verdict = "right" if replayed == eager else f"WRONG, without a graph it gives {eager}"
    return f"replay gives {replayed}: {verdict}"
