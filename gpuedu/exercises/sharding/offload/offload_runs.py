"""A backward pass on the simulated device, whose optimizer is on the host."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.clock import (
    Buffer,
    Interval,
    Kernel,
    Link,
    Race,
    Stream,
    StreamDevice,
    Timeline,
    VirtualClock,
)
from gpuedu.clock.engines import COMPUTE, TO_DEVICE, TO_HOST
from gpuedu.errors import AnswerError
from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.plain import describe
from gpuedu.units import MS

LANES = (COMPUTE, TO_HOST, "host", TO_DEVICE)
LAUNCH_S = 5e-6
BUFFERS = 2
"""Gradients that may be on the device at once."""
_RATE = 20e9
_STEP = 0.1
_FEW = 4
"""Numbers that stand for a layer of any size."""
_LAYER = re.compile(r"kernel 'backward (\d+)'|(\d+) on the host'")


@dataclass(frozen=True)
class OffloadTask:
    """Layers of the same size.

    Attributes:
        layers: how many.
        backward_s: of the backward pass of one layer.
        copy_s: of a layer's gradient, or of its weights, over the link.
        update_s: of a layer, on the host.
        seed: of the weights.
    """

    layers: int
    backward_s: float
    copy_s: float
    update_s: float
    seed: int = 0

    @property
    def stages_s(self) -> tuple[float, ...]:
        """What a layer goes through, one after the other."""
        return self.backward_s, self.copy_s, self.update_s, self.copy_s

    @property
    def best_s(self) -> float:
        """The slowest stage never stops, between the first layer's way in and the last one's out.

        >>> OffloadTask(4, 3.0, 1.0, 2.0).best_s
        16.0
        """
        return sum(self.stages_s) + (self.layers - 1) * max(self.stages_s)

    @property
    def in_turn_s(self) -> float:
        """One after the other."""
        return self.layers * sum(self.stages_s)

    @property
    def size_bytes(self) -> int:
        """Of a layer's gradient, and of its weights."""
        return round(self.copy_s * _RATE)

    def weights(self) -> list[np.ndarray]:
        """Before the step."""
        rng = np.random.default_rng(self.seed)
        return [rng.normal(0, 1, _FEW) for _ in range(self.layers)]

    def updated(self) -> list[np.ndarray]:
        """After it."""
        return [w - _STEP * gradient_of(k, w) for k, w in enumerate(self.weights())]


@dataclass(frozen=True)
class OffloadRun:
    """What was seen of a step.

    Attributes:
        weights: of each layer on the device; None where there is no array.
        order: the layers, as their backward passes started.
        races: among all that was issued, and the next step's read of the weights.
        gradients_copied: how often each layer's gradient came to the host.
        weights_copied: how often each layer's weights went to the device.
        device_bytes: what was allocated on the device.
        timeline: of the step.
        end_s: when the last of it was done.
    """

    weights: tuple[Any, ...]
    order: tuple[int, ...]
    races: tuple[Race, ...]
    gradients_copied: tuple[int, ...]
    weights_copied: tuple[int, ...]
    device_bytes: int | float
    timeline: Timeline
    end_s: float

    def working_on(self, lane: str) -> list[Interval]:
        """Kernels, copies or updates of a lane, in their order."""
        idle = "launch", "wait"
        found = [one for one in self.timeline.on(lane) if one.kind not in idle]
        return sorted(found, key=lambda one: one.start_s)


class Device(StreamDevice):
    """A device that counts what is allocated on it, and copies into each buffer."""

    def __init__(self, clock: VirtualClock, **given: Any) -> None:
        super().__init__(clock, **given)
        self.device_bytes: int | float = 0
        self.copied: dict[str, int] = {}

    def buffer(self, size_bytes: int, name: str = "buffer") -> Buffer:
        """Memory of the device."""
        made = super().buffer(size_bytes, name)
        self.device_bytes += made.size_bytes
        return made

    def copy(self, to: Buffer, source: Buffer, stream: Stream | None = None) -> None:
        """Copy ``source`` to ``to``."""
        super().copy(to, source, stream)
        self.copied[to.name] = self.copied.get(to.name, 0) + 1


def run_offload(offload_step: Callable[..., Any], task: OffloadTask) -> OffloadRun:
    """Run a step: ``offload_step(device, backward, weights, gradients, updated, update)``."""
    start, count = task.weights(), task.layers
    with VirtualClock() as clock:
        link = Link(latency_s=0.0, pinned_bytes_per_s=_RATE)
        device = Device(clock, link=link, launch_s=LAUNCH_S)
        size = task.size_bytes
        weights = [device.buffer(size, f"weights {k}") for k in range(count)]
        for buffer, values in zip(weights, start, strict=True):
            buffer.values = values.copy()
        device.device_bytes = 0
        gradients = [device.host_buffer(size, f"gradient {k} on the host") for k in range(count)]
        updated = [device.host_buffer(size, f"weights {k} on the host") for k in range(count)]
        backward = [
            Kernel(f"backward {k}", task.backward_s, _gradient_kernel(k)) for k in range(count)
        ]
        given = {
            "backward": backward,
            "weights": list(weights),
            "gradients": list(gradients),
            "updated": list(updated),
        }

        def update(layer: int) -> None:
            if type(layer) is not int or not 0 <= layer < count:
                raise AnswerError(
                    f"`update` got {describe(layer)}, which is no layer from 0 to {count - 1}"
                )
            gradient = gradients[layer].read()
            if gradient is None:
                raise AnswerError(
                    f"`update({layer})` was called, and no gradient was copied to the host for it"
                )
            clock.work(task.update_s, "update", lane="host", label=str(layer))
            updated[layer].write(start[layer] - _STEP * gradient)

        with left_as_given("offload_step", **given):
            offload_step(device, *given.values(), update)
        device.use_on_host("the next step's read of the weights", reads=weights)
        device.synchronize()
    copied = device.copied
    return OffloadRun(
        tuple(one.values if type(one.values) is np.ndarray else None for one in weights),
        tuple(int(layer) for layer in map(layer_of, clock.timeline.on(COMPUTE)) if layer),
        device.races,
        tuple(copied.get(one.name, 0) for one in gradients),
        tuple(copied.get(one.name, 0) for one in weights),
        device.device_bytes,
        clock.timeline,
        max((one.end_s for one in clock.timeline.intervals), default=0.0),
    )


def layer_of(one: Interval) -> str:
    """The number of the layer of a kernel, or of a copy; "" where it has none."""
    found = _LAYER.search(one.label)
    return next(filter(None, found.groups())) if found else ""


def gradient_of(layer: int, weights: np.ndarray) -> np.ndarray:
    """What the backward pass makes of a layer's weights."""
    return np.sin(weights + layer)


def _gradient_kernel(layer: int) -> Callable[[Any], Any]:
    return lambda weights: None if weights is None else gradient_of(layer, weights)


SHOWN = OffloadTask(5, 2 * MS, 1 * MS, 1.5 * MS)
