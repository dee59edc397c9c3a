"""How many numbers a program keeps for its backward pass, through PyTorch's hooks for that."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor


class SavedValues:
    """The most that is saved at a time while it is entered, in numbers: ``most``.

    Numbers, not bytes: so it is the same in every precision. What is saved twice counts once, and
    a weight does not count, nor does its copy in another precision.

    PyTorch does not look for tensors overwritten since they were saved where hooks are in place
    (documentation of ``torch.autograd.graph.saved_tensors_hooks``), so this does.

    Args:
        is_weight: tells whether a tensor shows a weight's numbers.

    >>> x = torch.ones(3, requires_grad=True)
    >>> with SavedValues(lambda tensor: tensor.is_leaf) as saved:
    ...     x.exp().sin().sum().backward()
    >>> saved.most
    3
    """

    def __init__(self, is_weight: Callable[[Tensor], bool]) -> None:
        self.most = 0
        self._is_weight = is_weight
        self._held: dict[int, list[int]] = {}
        """For each storage how many saved tensors hold it, and its numbers."""
        self._now = 0
        self._hooks = torch.autograd.graph.saved_tensors_hooks(self._pack, self._unpack)

    def __enter__(self) -> SavedValues:
        self._hooks.__enter__()
        return self

    def __exit__(self, *what: Any) -> None:
        self._hooks.__exit__(*what)

    def _pack(self, tensor: Tensor) -> _Saved:
        # Detached: a saved result that held its own node would never be freed.
        saved = _Saved(tensor.detach())
        if not self._is_weight(tensor):
            key = tensor.untyped_storage()._cdata
            held = self._held.setdefault(key, [0, 0])
            held[0] += 1
            self._now += max(tensor.numel() - held[1], 0)
            held[1] = max(held[1], tensor.numel())
            self.most = max(self.most, self._now)
            weakref.finalize(saved, self._let_go, key).atexit = False
        return saved

    def _let_go(self, key: int) -> None:
        held = self._held[key]
        held[0] -= 1
        if not held[0]:
            self._now -= self._held.pop(key)[1]

    @staticmethod
    def _unpack(saved: _Saved) -> Tensor:
        if saved.tensor._version != saved.version:
            shape = tuple(saved.tensor.shape)
            raise RuntimeError(
                f"a {shape} tensor that was saved for backward was overwritten in place"
            )
        return saved.tensor


class _Saved:
    """What is kept of a saved tensor."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor, self.version = tensor, tensor._version
