"""Numbers of devices as known mistakes give them, each with what to say of it."""

from __future__ import annotations

import math
from collections.abc import Callable

from gpuedu.exercises.batch_and_learning_rate.noise_scale.gradient_noise import saving
from gpuedu.exercises.compare import Misconception


def _doubled(pays: Callable[[float, int], bool], most: int = 2**40) -> int:
    """Doubled from one as long as ``pays(devices before)``."""
    devices = 1
    while devices < most and pays(devices):
        devices *= 2
    return devices


def devices(scale: float, per_device: int, gain: float) -> float:
    """The right number: as long as one more doubling divides the steps by ``gain``; or infinity."""
    if math.isinf(scale):
        return math.inf
    return _doubled(lambda count: saving(scale, count * per_device) >= gain)


def _one_too_many(scale: float, per_device: int, gain: float) -> float:
    return 2 * devices(scale, per_device, gain)


def _to_the_scale(scale: float, per_device: int, gain: float) -> int:
    return _doubled(lambda count: 2 * count * per_device <= scale)


def _from_the_start(scale: float, per_device: int, gain: float) -> int:
    def all_together(count: int) -> float:
        return (1 + scale / per_device) / (1 + scale / (2 * count * per_device))

    return _doubled(lambda count: all_together(count) >= gain, 2**12)


def _by_efficiency(scale: float, per_device: int, gain: float) -> int:
    def each_gives(count: int) -> float:
        return (1 + scale / per_device) / (1 + scale / (count * per_device)) / count

    return _doubled(lambda count: each_gives(2 * count) >= gain / 2)


def _without_the_batch(scale: float, per_device: int, gain: float) -> int:
    return _doubled(lambda count: saving(scale, count) >= gain)


DEVICES = (
    Misconception(_one_too_many, "The last of these doublings saves less than was asked for."),
    Misconception(
        lambda scale, per_device, gain: devices(scale, per_device, gain) * per_device,
        "That is the batch. How many devices share it?",
    ),
    Misconception(
        lambda scale, per_device, gain: devices(scale, per_device, gain) // 2,
        "One more doubling pays.",
    ),
    Misconception(
        _from_the_start,
        "That holds the steps against those of *one* device. What does the next doubling save?",
    ),
    Misconception(
        _without_the_batch,
        "There a device has one sample. With `count` devices the batch is `count * per_device`.",
    ),
    Misconception(
        _to_the_scale,
        "That goes on until the batch is the noise scale. By how much does the last doubling "
        "divide the steps there?",
    ),
    Misconception(
        _by_efficiency,
        "That is what all devices together save, by their number. What does the next doubling "
        "save?",
    ),
)
