"""Which gradients travel together: parameters, from the last to the first, put into buckets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def group(
    sizes_bytes: Sequence[int], types: Sequence[str], first_bytes: float, max_bytes: float
) -> list[list[int]]:
    """Places of the parameters by bucket, in the order in which the buckets were begun.

    A parameter joins the newest bucket of its type if it fits in there, and begins one if not.

    Args:
        sizes_bytes: of each parameter, in the order of the model.
        types: their types, of which a bucket has one.
        first_bytes: what the first bucket may hold.
        max_bytes: what each other one may.

    >>> group([40, 8, 60, 8], ["float32"] * 4, 16, 100)
    [[3], [2, 1], [0]]
    """
    buckets: list[list[int]] = []
    newest: dict[str, int] = {}
    used: list[int] = []
    for place in reversed(range(len(sizes_bytes))):
        at = newest.get(types[place])
        limit = first_bytes if at == 0 else max_bytes
        if at is None or used[at] + sizes_bytes[place] > limit:
            at = newest[types[place]] = len(buckets)
            buckets.append([])
            used.append(0)
        buckets[at].append(place)
        used[at] += sizes_bytes[place]
    return buckets


def group_parameters(
    parameters: Sequence[Any], first_bytes: float, max_bytes: float
) -> list[list[Any]]:
    """The same with PyTorch's parameters; those that do not train are left out."""
    training = [one for one in parameters if one.requires_grad]
    sizes = [one.numel() * one.element_size() for one in training]
    types = [str(one.dtype) for one in training]
    return [
        [training[place] for place in bucket]
        for bucket in group(sizes, types, first_bytes, max_bytes)
    ]
