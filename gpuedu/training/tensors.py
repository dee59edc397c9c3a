"""The tensors in what a call was given, or gave."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

_NUMBERS = frozenset({int, float, bool, str, type(None), torch.dtype, torch.device, slice})


def tensors_in(*data: Any) -> list[torch.Tensor]:
    """Tensors, also those in lists, tuples, dicts and what else PyTorch looks into, in order.

    As with ``tree_leaves``, which takes ten times as long: some watch every call.

    >>> len(tensors_in(torch.zeros(2), [1, {"a": torch.ones(1)}], None))
    2
    """
    found: list[torch.Tensor] = []
    _add(data, found)
    return found


def _add(values: Iterable[Any], found: list[torch.Tensor]) -> None:
    for one in values:
        kind = type(one)
        if isinstance(one, torch.Tensor):
            found.append(one)
        elif kind is list or kind is tuple:
            _add(one, found)
        elif kind is dict:
            _add(one.values(), found)
        elif kind not in _NUMBERS:
            found += [leaf for leaf in tree_leaves(one) if isinstance(leaf, torch.Tensor)]
