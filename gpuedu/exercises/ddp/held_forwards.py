"""Forward passes that wait for their backward pass: how many samples are held in memory at once."""

from __future__ import annotations

import weakref
from typing import Any

import torch


class HeldForwards:
    """Counts the samples whose forward pass is kept until its backward pass, for one model.

    What a forward pass without gradients computes is not kept; a graph that nobody holds any more
    is let go.

    Attributes:
        most: samples that were held at once, at most.
    """

    def __init__(self, net: torch.nn.Module) -> None:
        self.most = 0
        self._held: dict[int, int] = {}
        self._passes = 0
        net.register_forward_hook(self._hold)

    def _hold(self, _: Any, inputs: tuple[Any, ...], scores: Any) -> Any:
        if not scores.requires_grad:
            return None
        self._passes += 1
        held = _Held(self._held, self._passes, len(inputs[0]))
        self.most = max(self.most, sum(list(self._held.values())))
        return _Until.apply(scores, held)


class _Held:
    """One forward pass; it is over with its backward pass, or with the last who holds its graph."""

    def __init__(self, held: dict[int, int], key: int, samples: int) -> None:
        held[key] = samples
        self.release = weakref.finalize(self, held.pop, key, None)


class _Until(torch.autograd.Function):
    """The scores as they are; their graph holds a pass, and their backward pass releases it."""

    @staticmethod
    def forward(scores: Any, held: _Held) -> Any:
        return scores.view_as(scores)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        # Apart from the forward, as `torch.func` asks.
        ctx.held = inputs[1]

    @staticmethod
    def backward(ctx: Any, grad: Any) -> tuple[Any, None]:
        ctx.held.release()
        return grad, None
