"""Counts every storage that PyTorch's operators make, from its birth to its end.

``LiveCounter`` is a dispatch mode: it sees each operator's results, including those of autograd's
backward pass, below anything that Python code can do to them. A result that shares the storage of
an argument (a view, an in-place operation) is nothing new. A storage's end is noticed by a weak
reference. So the count moves at the same moments as the bytes of an allocator do.

What it cannot see: scratch memory inside an operator, and storages that are not made by an operator
(``torch.from_numpy``); the latter are registered (``adopt``) or left out.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch._C._functorch import is_functorch_wrapped_tensor
from torch.utils._pytree import tree_leaves

from gpuedu.training.dispatch import DispatchWatch
from gpuedu.training.errors import SimulatedOutOfMemoryError
from gpuedu.training.memory.live_block import LiveBlock
from gpuedu.training.tensors import tensors_in


class LiveCounter(DispatchWatch):
    """Counts while it is entered.

    Args:
        device: storages elsewhere are not counted.
        budget_bytes: passing it raises ``SimulatedOutOfMemoryError``; what passed it is freed.
        layer: gives the layer that is running.
        on_birth: called after each storage that is new.
    """

    def __init__(
        self,
        device: torch.device,
        *,
        budget_bytes: int | None = None,
        layer: Callable[[], str] = lambda: "",
        on_birth: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__()
        self.device, self.budget_bytes = device, budget_bytes
        self.layer, self.on_birth = layer, on_birth
        self.blocks: list[LiveBlock] = []
        self.ticks = 0
        self.live_bytes = 0
        self._living: dict[int, LiveBlock] = {}
        self._ends: dict[int, weakref.finalize] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run the operator and count what it made."""
        result = func(*args, **(kwargs or {}))
        made = tensors_in(result)
        if made:
            given = {_key(value) for value in tree_leaves((args, kwargs)) if _has_storage(value)}
            if func is torch.ops.aten.lift_fresh.default:  # how torch.tensor hands over its result
                given.clear()
            for tensor in made:
                if self._is_mine(tensor) and _key(tensor) not in given:
                    self.adopt(tensor, layer=self.layer())
        return result

    def adopt(
        self, tensor: Tensor, *, kind: str = "other", layer: str = "", size_bytes: int | None = None
    ) -> LiveBlock | None:
        """Count the tensor's storage, unless it already is; returns its block, or None if foreign.

        Raises:
            SimulatedOutOfMemoryError: if the budget cannot hold it.
        """
        if not self._is_mine(tensor):
            return None
        storage, key = tensor.untyped_storage(), _key(tensor)
        if key in self._living:
            return self._living[key]
        size_bytes = storage.nbytes() if size_bytes is None else size_bytes
        if not size_bytes:
            return None
        self._require_room(size_bytes)
        block = LiveBlock(kind, size_bytes, self._tick(size_bytes), layer=layer)
        self._living[key] = block
        self.blocks.append(block)
        self._ends[key] = weakref.finalize(storage, self._let_go, key)
        self._ends[key].atexit = False
        self.on_birth()
        return block

    def block_of(self, tensor: Tensor) -> LiveBlock | None:
        """The block of the tensor's storage, if it is counted."""
        return self._living.get(_key(tensor)) if self._is_mine(tensor) else None

    def name_living(self, kind: str, *, since: int) -> None:
        """Give a kind to everything that was made since a tick and is still live."""
        for block in self._living.values():
            if block.born >= since:
                block.become(kind, block.layer)

    def close(self) -> None:
        """Stop watching: what is live now outlives the count."""
        for end in self._ends.values():
            end.detach()
        self._living.clear()
        self._ends.clear()

    def _let_go(self, key: int) -> None:
        block = self._living.pop(key)
        del self._ends[key]
        block.freed = self._tick(-block.size_bytes)

    def _tick(self, size_bytes: int) -> int:
        self.live_bytes += size_bytes
        self.ticks += 1
        return self.ticks - 1

    def _require_room(self, size_bytes: int) -> None:
        if self.budget_bytes is not None and self.live_bytes + size_bytes > self.budget_bytes:
            raise SimulatedOutOfMemoryError(
                size_bytes, in_use_bytes=self.live_bytes, budget_bytes=self.budget_bytes
            )

    def _is_mine(self, tensor: Tensor) -> bool:
        is_here = tensor.device.type == self.device.type and (
            self.device.index is None or tensor.device.index == self.device.index
        )
        return is_here and _has_storage(tensor)


def _has_storage(value: Any) -> bool:
    """A tensor that ``torch.func`` has wrapped has none: what is inside it is counted."""
    is_dense = isinstance(value, Tensor) and value.layout == torch.strided
    return is_dense and not is_functorch_wrapped_tensor(value)


def _key(tensor: Tensor) -> int:
    return tensor.untyped_storage()._cdata
