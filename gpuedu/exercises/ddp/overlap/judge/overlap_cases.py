"""Cases of the exercise overlap: chains to hide in, branches whose order differs by rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Case
from gpuedu.exercises.ddp.overlap.layered import IDLE

_ALPHA_S = 50e-6
_LAYER_S = 1e-3
_LONG_S = 5.4e-3
"""A backward beside which the all-reduces of four buckets have room."""
_FLOAT64_BYTES = 8
_BUSY = 0.65
"""Time of a usual bucket's all-reduce, of that of its layers' backward."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Chains, a layer that is used twice, several steps, other orders by rank, unused layers."""
    same = [[0, 1, 2, 0]] * 3
    orders = [[[0, 1, 2], [2, 1, 0], [1, 2, 0]], [[2, 0, 1], [0, 2, 1], [1, 0, 2]]]
    some = [[[0, 2], [2], [0, 2]], [[2, 0], [0, 1, 2], [2]]]
    idle = [[[0, 1, 2]] * 3, [[0, 1], [IDLE], [2, 0]], [[1], [2], [IDLE]]]
    again = [[[0, 2], [2], [0, 1, 2]], [[0, 1, 2]] * 3, [[2, 1], [1, 0, 2], [0, 1, 2]]]
    return [
        _chain(rng, "9 layers on 4 ranks", 4, 9, 1, ("mean", "hidden", "whole")),
        _chain(rng, "7 layers on 2 ranks", 2, 7, 1, ("mean", "hidden", "whole")),
        _held_up(rng, "a first bucket that is complete late"),
        _branches(rng, "a layer that is used twice", [same], ("mean",)),
        _chain(rng, "3 steps on 3 ranks", 3, 5, 3, ("again",)),
        _branches(rng, "gradients arrive in a different order on each rank", orders, ("order",)),
        _branches(rng, "layers that some ranks, or all, do not use", some, ("unused",)),
        _branches(rng, "a rank that uses nothing in a step", idle, ("unused",)),
        _branches(
            rng,
            "a layer that shares a bucket, unused in one step and used in the next",
            again,
            ("unused",),
            buckets=((4, 3), (2,), (1,), (0,)),
        ),
    ]


def _chain(
    rng: np.random.Generator, label: str, ranks: int, layers: int, steps: int, decides: tuple
) -> Case:
    """Equal layers; the last is a bucket alone, the others go in pairs."""
    width = int(rng.integers(6, 11))
    pairs = [(place, place - 1) for place in range(layers - 2, 0, -2)]
    buckets = [_of_layers([layers - 1]), *(_of_layers(pair) for pair in pairs)]
    size = 2 * _FLOAT64_BYTES * (width * width + width)
    inputs = {
        "widths": [width] * (layers + 1),
        "times_s": _times(rng, layers),
        "routes": [[[]] * ranks] * steps,
        "buckets": buckets,
        **_network(rng, ranks, size),
    }
    return Case(label, inputs, decides)


def _held_up(rng: np.random.Generator, label: str) -> Case:
    """The bucket of layer 1 stands first, before those of all layers whose backward is earlier.

    Its last gradient is the last of five buckets, with the long backward of layer 0 behind it.
    """
    ranks, layers = 3, 6
    width = int(rng.integers(6, 11))
    inputs = {
        "widths": [width] * (layers + 1),
        "times_s": [_LONG_S, *_times(rng, layers - 1)],
        "routes": [[[]] * ranks],
        "buckets": [_of_layers([place]) for place in (1, 5, 4, 3, 2, 0)],
        **_network(rng, ranks, _FLOAT64_BYTES * (width * width + width)),
    }
    return Case(label, inputs, ("hidden",))


def _branches(
    rng: np.random.Generator,
    label: str,
    routes: Sequence[Any],
    decides: tuple,
    *,
    buckets: Sequence[Sequence[int]] = ((4,), (3,), (2,), (1,), (0,)),
) -> Case:
    """A stem of two layers and three branches; ``buckets`` are of layers."""
    width, ranks = int(rng.integers(4, 8)), len(routes[0])
    inputs = {
        "widths": [int(rng.integers(3, 8)), width + 1, width],
        "times_s": _times(rng, 5),
        "routes": routes,
        "buckets": [_of_layers(layers) for layers in buckets],
        **_network(rng, ranks, _FLOAT64_BYTES * (width * width + width)),
    }
    return Case(label, inputs, decides)


def _of_layers(layers: Sequence[int]) -> list[int]:
    """Places of bias and weight of these layers."""
    return [place for layer in layers for place in (2 * layer + 1, 2 * layer)]


def _times(rng: np.random.Generator, layers: int) -> list[float]:
    return [round(_LAYER_S * float(t), 7) for t in rng.uniform(0.9, 1.1, layers)]


def _network(rng: np.random.Generator, ranks: int, size_bytes: int) -> dict[str, Any]:
    """A link on which a bucket of two layers takes about ``_BUSY`` of their backward."""
    messages = 2 * (ranks - 1)
    left_s = _BUSY * 2 * _LAYER_S / messages - _ALPHA_S
    return {
        "ranks": ranks,
        "latency_s": _ALPHA_S,
        "bytes_per_s": size_bytes / ranks / left_s * float(rng.uniform(0.95, 1.05)),
        "seed": int(rng.integers(1_000_000)),
    }
