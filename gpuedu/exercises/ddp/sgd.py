"""Plain SGD as checks use it: PyTorch's imports its compiler first, which takes seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.nn import Parameter


class Sgd:
    """``p -= rate * p.grad``, with the two calls of every optimizer of PyTorch.

    A parameter without a gradient stays as it is, and one that is frozen does not, if it has one:
    as with ``torch.optim.SGD``.

    >>> p = Parameter(torch.ones(2))
    >>> p.grad = torch.ones(2)
    >>> Sgd([p], 0.5).step()
    >>> p.tolist()
    [0.5, 0.5]
    """

    def __init__(self, parameters: Iterable[Parameter], rate: float) -> None:
        self.param_groups = [{"params": list(parameters), "lr": rate}]

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients; without ``set_to_none``, they become zeros."""
        for one in self.param_groups[0]["params"]:
            if set_to_none:
                one.grad = None
            elif one.grad is not None:
                one.grad = torch.zeros_like(one.grad)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """One update; with a ``closure``, behind a call of it, and returns what that gave."""
        given = None if closure is None else _with_gradients(closure)
        self._update()
        return given

    @torch.no_grad()
    def _update(self) -> None:
        for one in self.param_groups[0]["params"]:
            if one.grad is not None:
                one -= self.param_groups[0]["lr"] * one.grad


@torch.enable_grad()
def _with_gradients(closure: Callable[[], Any]) -> Any:
    return closure()
