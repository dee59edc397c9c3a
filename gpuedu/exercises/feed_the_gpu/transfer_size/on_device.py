"""Which tensors are on a simulated device: those copied there, and what is computed from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves
from torch.utils.weak import WeakIdKeyDictionary


class OnDevice(TorchFunctionMode):
    """Watches calls of PyTorch while its ``with`` block runs.

    A result is on the device if one of the arguments is; only ``.cpu()`` brings it back.

    >>> device, host = OnDevice(), torch.ones(2)
    >>> with device:
    ...     there = device.receive(host)
    ...     part, lost = there[:1], there.cpu()
    >>> there in device, part in device, host in device, lost in device
    (True, True, False, False)
    """

    def __init__(self) -> None:
        super().__init__()
        self._there: WeakIdKeyDictionary = WeakIdKeyDictionary()

    def __contains__(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor) and value in self._there

    def receive(self, tensor: torch.Tensor) -> torch.Tensor:
        """A copy of the host's tensor, on the device."""
        copy = tensor.detach().clone()
        self._there[copy] = True
        return copy

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Let a call happen, and note what it makes on the device."""
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = getattr(func, "__name__", "")
        if name != "cpu" and any(one in self for one in tree_leaves((args, kwargs))):
            for one in tree_leaves(result):
                if isinstance(one, torch.Tensor):
                    self._there[one] = True
        elif name == "cpu" and result is args[0]:
            return result.view_as(result)
        return result
