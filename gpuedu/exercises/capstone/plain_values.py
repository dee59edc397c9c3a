"""What a program of the capstone gives functions of PyTorch: tensors, numbers, lists of them.

An object of the program's, or a function, would run the program's lines in the middle of such a
function: where nothing is counted, and where PyTorch does not expect that a list changes.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from gpuedu.errors import AnswerError


class PlainValues(TorchFunctionMode):
    """While it is entered, functions take nothing else (AnswerError)."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Look at what a function is given, and run it."""
        _require_values(func, args)
        if kwargs:
            _require_values(func, kwargs)
            return func(*args, **kwargs)
        return func(*args)


_PLAIN = (
    *(type(None), bool, int, float, complex, str, bytes, slice, range, type(Ellipsis)),
    *(Tensor, nn.Parameter, torch.Size, torch.dtype, torch.device, torch.layout),
    *(torch.memory_format, torch.Generator, torch.Stream, torch.Event, np.ndarray),
    *(torch.ScriptObject, torch.UntypedStorage, torch.TypedStorage),
)


def _require_values(func: Any, given: Any) -> None:
    kind = type(given)
    if kind in _PLAIN or isinstance(given, (np.generic, np.dtype)):
        return
    module = str(getattr(given if isinstance(given, type) else kind, "__module__", ""))
    if kind in (list, tuple) or (isinstance(given, tuple) and module.startswith("torch.")):
        for one in given:
            _require_values(func, one)
    elif kind in (dict, OrderedDict):
        _require_values(func, list(given.values()))
    elif not (isinstance(given, type) and module.partition(".")[0] == "torch"):
        raise AnswerError(
            f"`{getattr(func, '__name__', func)}` is given an object of type {kind.__name__}",
            remedy="Give functions of PyTorch tensors, numbers, and lists of them.",
        )
