"""Which tensors are on a simulated device: those copied there, and what is computed from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves
from torch.utils.weak import WeakIdKeyDictionary

from gpuedu.errors import AnswerError

_WRITES = ("copy_", "__setitem__")
_TO_NUMPY = ("numpy", "__array__", "__dlpack__")
_TAKES_PLACES = ("__getitem__", "index", "index_select")
_LOOKS = ("expand_as", "is_same_size", "new_tensor", "reshape_as", "resize_as_", "to", "type_as")
_BESIDE = (*_TAKES_PLACES, *_LOOKS, "unflatten_dense_tensors", "view_as")
"""What they want of a tensor of the host is its shape or dtype, or places in another one."""


class OnDevice(TorchFunctionMode):
    """Watches calls of PyTorch while its ``with`` block runs.

    A result is on the device if one of the arguments is; only ``.cpu()`` brings it back. As on a
    GPU, NumPy does not see what is there, and whatever is written from one side into a tensor of
    the other is a copy, too. No operation computes with tensors of both sides: a single number of
    the host's goes with the launch.

    Args:
        wrote: is told the bytes of each such copy.

    >>> device, host = OnDevice(), torch.ones(2)
    >>> with device:
    ...     there = device.receive(host)
    ...     part, lost = there[:1], there.cpu()
    >>> there in device, part in device, host in device, lost in device
    (True, True, False, False)
    """

    def __init__(self, wrote: Callable[[int], None] = lambda _: None) -> None:
        super().__init__()
        self._wrote = wrote
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
        name = getattr(func, "__name__", "").partition(".")[0]
        if name in _TO_NUMPY and args[0] in self:
            raise AnswerError(
                "NumPy does not see a tensor that is on the device",
                remedy="`.cpu()` brings it back to the host, which is another copy.",
            )
        if name in _WRITES and (args[0] in self) != (args[-1] in self):
            self._note(args[-1])
        elif name not in (*_WRITES, *_BESIDE) and self._is_mixed(tree_leaves((args, kwargs))):
            raise AnswerError(
                "an operation got a tensor on the device and one on the host",
                remedy="All of its tensors have to be on the device, so what `copy` gets has to "
                "hold all that is needed there.",
            )
        result = func(*args, **kwargs)
        on_host = name in ("cpu", "new_tensor")
        if not on_host and any(one in self for one in tree_leaves((args, kwargs))):
            for one in tree_leaves(result):
                if isinstance(one, torch.Tensor):
                    self._there[one] = True
        elif name == "cpu" and result is args[0]:
            return result.view_as(result)
        return result

    def _is_mixed(self, values: Sequence[Any]) -> bool:
        tensors = [one for one in values if isinstance(one, torch.Tensor)]
        on_host = [one for one in tensors if one not in self and one.dim()]
        return bool(on_host) and any(one in self for one in tensors)

    def _note(self, written: Any) -> None:
        if isinstance(written, torch.Tensor):
            self._wrote(written.numel() * written.element_size())
