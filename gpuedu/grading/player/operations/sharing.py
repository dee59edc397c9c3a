"""Memory that something other than PyTorch operations may write to, such as a NumPy array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.utils._pytree import tree_leaves

from gpuedu.grading.player.operations.operands import storage_content
from gpuedu.training.dispatch import unwatched

InMemory = Callable[[int], torch.Tensor | None]
"""Returns a tensor that is in a memory, if there is one."""


class SharedMemory:
    """What was in such memory when it was last looked at, by storage."""

    def __init__(self) -> None:
        self._contents: dict[int, np.ndarray | None] = {}

    def look_at(self, tensor: torch.Tensor) -> None:
        """What is in a tensor's memory is known from now on."""
        self._contents[_storage_of(tensor)] = storage_content(tensor)

    def forget(self, storage: int) -> None:
        """This memory has ended."""
        self._contents.pop(storage, None)

    def settle(self, in_memory: InMemory) -> None:
        """What is in all of it is known from now on; memory without a tensor is not watched."""
        tensors = self.tensors(in_memory)
        self._contents.clear()
        for tensor in tensors:
            self.look_at(tensor)

    def tensors(self, in_memory: InMemory) -> list[torch.Tensor]:
        """A tensor in each."""
        found = map(in_memory, self._contents)
        return [one for one in found if one is not None]

    def among(self, values: Any) -> list[torch.Tensor]:
        """The tensors among some values that are in it."""
        if not self._contents:
            return []
        tensors = (one for one in tree_leaves(values) if isinstance(one, torch.Tensor))
        return [one for one in tensors if _storage_of(one) in self._contents]

    def written(self, tensor: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor] | None:
        """A tensor's whole memory, and a copy of its content if that is new; then known."""
        storage, before = tensor.untyped_storage(), self._contents.get(_storage_of(tensor))
        if before is None or np.array_equal(storage_content(tensor), before):
            return None
        self.look_at(tensor)
        with unwatched():
            size = storage.nbytes() // tensor.element_size()
            whole = torch.empty(0, dtype=tensor.dtype).set_(storage, 0, (size,), (1,))
            return whole, whole.clone()


def _storage_of(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata
