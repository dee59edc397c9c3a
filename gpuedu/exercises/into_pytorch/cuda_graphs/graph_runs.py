"""Runs of a step by a graph on the simulated device: what came out, and what was launched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.clock import CUDAGraph, DeviceTensor, GraphDevice, Kernel, Timeline
from gpuedu.clock.device_tensors import number_of
from gpuedu.errors import AnswerError
from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.plain import describe, items
from gpuedu.units import US

LAUNCH_S, REPLAY_S, NODE_S, KERNEL_S = 5 * US, 10 * US, 0.5 * US, 3 * US
Step = Callable[[Any, Any], DeviceTensor]
Inputs = Sequence[tuple[np.ndarray, float]]
"""For each step, x and lr."""


class Device(GraphDevice):
    """A device that keeps what the captured step's result was after each replay."""

    def __init__(self) -> None:
        super().__init__(launch_s=LAUNCH_S, replay_s=REPLAY_S, node_s=NODE_S)
        self.made: list[np.ndarray | None] = []
        self.results: dict[int, DeviceTensor] = {}

    def replay(self, graph: CUDAGraph) -> None:
        """Launch a graph."""
        super().replay(graph)
        result = self.results.get(id(graph))
        self.made.append(None if result is None else result.values.copy())

    def note(self, result: DeviceTensor) -> None:
        """What a step gave; in a capture it is that of the graph."""
        if self._capturing is not None:
            self.results[id(self._capturing)] = result


@dataclass(frozen=True)
class GraphRun:
    """What was seen of a run.

    Attributes:
        got: the values of each result when the function returned.
        made: after each replay, the values of the captured step's result; None where a graph holds
            no step.
        refused: what was refused in a capture.
        captures: how many there were.
        step_calls: how often the step was called.
        changed: the number of the first input whose x was changed, or -1.
        timeline: who did what when, on the lanes CPU and GPU.
    """

    got: tuple[np.ndarray, ...]
    made: tuple[np.ndarray | None, ...]
    refused: tuple[str, ...]
    captures: int
    step_calls: int
    changed: int
    timeline: Timeline


def run_by_graph(function: Callable[..., Any], weights: Sequence[float], given: Inputs) -> GraphRun:
    """Call ``function(device, step, inputs)``; what a capture refused ends it and is told."""
    device, calls = Device(), []
    chain = kernel_chain(device, weights)

    def step(x: Any, lr: Any) -> DeviceTensor:
        calls.append(1)
        device.require_own(x, "`step`")
        result = chain(x, lr if isinstance(lr, DeviceTensor) else number_of(lr, "`step`"))
        device.note(result)
        return result

    inputs = [(DeviceTensor(device, x.copy()), lr) for x, lr in given]
    handed = list(inputs)
    try:
        with left_as_given("run_captured", inputs=handed):
            returned = function(device, step, handed)
        got = _results(device, returned)
    except Exception:
        if not device.refused:
            raise
        got = ()
    pairs = enumerate(zip(inputs, given, strict=True))
    changed = next((i for i, ((x, _), (was, _)) in pairs if not np.array_equal(x.values, was)), -1)
    return GraphRun(
        got,
        tuple(device.made),
        tuple(device.refused),
        device.captures,
        len(calls),
        changed,
        device.timeline,
    )


def kernel_chain(device: GraphDevice, weights: Sequence[float]) -> Step:
    """A step: for each weight a kernel that works on what the one before it made."""
    kernels = [
        Kernel(f"layer {k}", KERNEL_S, lambda h, lr, weight=weight: h * weight + lr)
        for k, weight in enumerate(weights)
    ]

    def step(x: DeviceTensor, lr: Any) -> DeviceTensor:
        for kernel in kernels:
            x = device.launch(kernel, x, lr)
        return x

    return step


def _results(device: GraphDevice, returned: Any) -> tuple[np.ndarray, ...]:
    found = items(returned, "what `run_captured` returned", "a list of tensors")
    for one in found:
        if not isinstance(one, DeviceTensor) or one.device is not device:
            raise AnswerError(
                f"each result should be a tensor on the device, got {describe(one)}",
                remedy="Return what the step gives, without bringing it to the CPU.",
            )
    return tuple(one.values.copy() for one in found)


def run_eagerly(device: Any, step: Step, inputs: Any) -> list[Any]:
    """Without a graph: every kernel of every step is launched."""
    return [step(x, lr) for x, lr in inputs]
