"""On which side a tensor is, host or device, while PyTorch calls are watched.

On a GPU the tensor says so. If CPU tensors stand in for both sides, that is kept here: see
``gpuedu.training.synchronizations`` for the rules.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.weak import WeakIdKeyDictionary

from gpuedu.training.tensors import tensors_in

Arguments = tuple[Any, ...]
Keywords = dict[str, Any]


class Placement:
    """Which tensors are on the host; every other one is on the device.

    ``stand_in`` says that CPU tensors stand in for both sides, and nothing is on a GPU.
    """

    def __init__(self, *, stand_in: bool) -> None:
        self.stand_in = stand_in
        self._on_host: WeakIdKeyDictionary = WeakIdKeyDictionary()

    def is_on_device(self, value: Any) -> bool:
        """True if this is a tensor, and on the device."""
        if not isinstance(value, torch.Tensor):
            return False
        return value not in self._on_host if self.stand_in else value.is_cuda

    def has_any(self, data: Any) -> bool:
        """True if a tensor on the device is among the data."""
        return any(map(self.is_on_device, tensors_in(data)))

    def is_device(self, device: Any) -> bool:
        """True if this names the device: for a stand-in, all but the string "cpu" does."""
        if device is None or device == "cpu":
            return False
        return self.stand_in or torch.device(device).type == "cuda"

    def place(self, name: str, args: Arguments, kwargs: Keywords, result: Any) -> Any:
        """Note on which side a call's result is; a move that moved nothing gives a new view."""
        if not self.stand_in:
            return result
        on_host = self.is_for_host(name, args, kwargs)
        if isinstance(result, torch.Tensor) and name in ("cpu", "cuda", "to"):
            moved = self.is_on_device(args[0]) == on_host
            result = result.view_as(result) if moved and result is args[0] else result
        elif not on_host and kwargs.get("device") is None:
            self._mark_shown(result, (args, kwargs))
            return result
        self.mark(result, on_host=on_host)
        return result

    def _mark_shown(self, results: Any, given: Any) -> None:
        """Note results as on the device, but for those that show the numbers of a host's tensor."""
        held = {_storage(one) for one in tensors_in(given) if one in self._on_host}
        for one in tensors_in(results):
            self.mark(one, on_host=bool(held) and _storage(one) in held)

    def mark(self, values: Any, *, on_host: bool) -> None:
        """Note on which side tensors are, also those in lists and dicts; only for stand-ins."""
        for one in tensors_in(values) if self.stand_in else ():
            if on_host:
                self._on_host[one] = True
            else:
                self._on_host.pop(one, None)

    def is_for_host(self, name: str, args: Arguments, kwargs: Keywords) -> bool:
        """True if a call's result is on the host, when tensors are stand-ins."""
        device = named_device(args, kwargs) if name == "to" else kwargs.get("device")
        if name == "cpu" or device == "cpu":
            return True
        return name != "cuda" and device is None and not self.has_any((args, kwargs))


def named_device(args: Arguments, kwargs: Keywords) -> Any:
    """The device that a ``.to`` was given, as given; None if it was given none."""
    named = (*args[1:], kwargs.get("device"))
    return next((one for one in named if isinstance(one, str | torch.device)), None)


def is_queued(args: Arguments, kwargs: Keywords) -> bool:
    """True if a copy is ``non_blocking``: by name, or by the first flag after the tensor."""
    flags = (one for one in args[1:] if isinstance(one, bool))
    return bool(kwargs.get("non_blocking", next(flags, False)))


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata
