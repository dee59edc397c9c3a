"""What a loop does beside waiting: calls with tensors of both sides, and graphs that live on."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from gpuedu.training.call_sites import find_caller
from gpuedu.training.placement import Placement
from gpuedu.training.tensors import tensors_in

_OPERATORS = ("add", "sub", "mul", "div", "truediv", "pow")
_REFUSES = {
    *_OPERATORS,
    *(f"{name}_" for name in _OPERATORS),
    *(f"__{before}{name}__" for name in _OPERATORS for before in ("", "r", "i")),
    *("where", "minimum", "maximum", "fmin", "fmax", "clamp", "clamp_", "eq", "ne", "lt", "le"),
    *("gt", "ge", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "logical_and"),
    *("__and__", "__or__", "__iand__", "stack", "cat", "concat", "hstack", "vstack", "matmul"),
    *("__matmul__", "mm", "dot", "cross_entropy", "linear"),
}
"""Calls for which all tensors have to be on one device, but for single numbers."""


class Mixing(TorchFunctionMode):
    """Notes the first call that mixes tensors of the device and of the host, inside of a counter.

    A tensor of no dimension may be on the host: its number travels with the launch.
    """

    def __init__(self, placement: Placement) -> None:
        super().__init__()
        self.first: list[Any] = []
        self._placement = placement

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """See a call, and let it happen."""
        name = getattr(func, "__name__", "")
        if not self.first and name in _REFUSES:
            tensors = tensors_in(args, kwargs)
            there = [self._placement.is_on_device(one) for one in tensors]
            is_refused = any(
                one.ndim and not is_there for one, is_there in zip(tensors, there, strict=True)
            )
            if any(there) and is_refused:
                caller = find_caller(sys._getframe(1), own_file=__file__)
                if caller is not None:
                    self.first = [name.strip("_"), caller.line, caller.text]
        return func(*args, **(kwargs or {}))


class _Marked(torch.autograd.Function):
    """The identity; its node lives as long as the graph in which it is."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        """What goes in."""
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        """The gradient that comes in."""
        return gradient


class LivingGraphs:
    """How many graphs of a model's forward passes live at once."""

    def __init__(self) -> None:
        self._nodes: list[weakref.ref[Any]] = []
        self.most = 0

    def mark(self, module: Any, args: Any, output: torch.Tensor) -> torch.Tensor:
        """A forward hook of the model."""
        marked: torch.Tensor = _Marked.apply(output)
        if marked.grad_fn is not None:
            self._nodes.append(weakref.ref(marked.grad_fn))
        return marked

    def count(self) -> None:
        """Count those that live now, after a step."""
        self._nodes = [one for one in self._nodes if one() is not None]
        self.most = max(self.most, len(self._nodes))
