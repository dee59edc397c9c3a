"""Accelerate itself on light ranks: its own code, over the simulated network.

Accelerate asks three shared states which process this is, ``torch.distributed`` for its messages,
and ``DistributedDataParallel`` for the gradients. On a light rank, a thread, each has its own
states; ``torch.distributed`` means the network; and ``LightDataParallel`` stands in for the last,
which sends from compiled code. Held against real processes in
``tests/exercises/hugging_face/test_light_accelerate.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
from torch import nn

from gpuedu.exercises.hugging_face.states import own_states


class LightDataParallel(nn.Module):
    """A replica whose gradients are averaged over the ranks by the end of a backward pass.

    As with DistributedDataParallel, the forward pass decides whether its backward pass exchanges:
    within ``no_sync`` it doesn't. Gradients are exchanged one by one, not in buckets; a parameter
    without a gradient counts as zeros.
    """

    def __init__(self, module: nn.Module, *_: Any, **__: Any) -> None:
        super().__init__()
        self.module = module
        self.require_backward_grad_sync = True
        self._is_exchanging = self._is_queued = False
        for tensor in (*module.parameters(), *module.buffers()):
            dist.broadcast(tensor.detach(), 0)
        for p in module.parameters():
            if p.requires_grad:
                p.register_post_accumulate_grad_hook(self._arrived)

    def forward(self, *arguments: Any, **named: Any) -> Any:
        """What the module gives."""
        if torch.is_grad_enabled():
            self._is_exchanging = self.require_backward_grad_sync
        return self.module(*arguments, **named)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Forward passes inside belong to backward passes that exchange nothing."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def _arrived(self, _: torch.Tensor) -> None:
        if self._is_exchanging and not self._is_queued:
            self._is_queued = True
            torch.autograd.Variable._execution_engine.queue_callback(self._exchange)

    def _exchange(self) -> None:
        self._is_queued = False
        for p in self.module.parameters():
            if p.requires_grad:
                p.grad = torch.zeros_like(p) if p.grad is None else p.grad
                dist.all_reduce(p.grad)
                p.grad /= dist.get_world_size()


@contextmanager
def accelerate_lent() -> Iterator[None]:
    """Around a run on light ranks, in which ``light_accelerator`` makes Accelerate's objects."""
    original = nn.parallel.DistributedDataParallel
    with own_states():
        nn.parallel.DistributedDataParallel = LightDataParallel
        try:
            yield
        finally:
            nn.parallel.DistributedDataParallel = original


def light_accelerator(accumulation: int = 1) -> Any:
    """An ``Accelerator`` of the rank that calls, with a state of its own.

    Args:
        accumulation: its ``gradient_accumulation_steps``.
    """
    from accelerate import Accelerator
    from accelerate.state import AcceleratorState, GradientState, PartialState
    from accelerate.utils import DistributedType

    rank, ranks = dist.get_rank(), dist.get_world_size()
    for one in (PartialState, AcceleratorState, GradientState):
        one._shared_state.clear()
    PartialState._shared_state.update(
        _cpu=True,
        backend="gloo" if ranks > 1 else None,
        debug=False,
        device=torch.device("cpu"),
        distributed_type=DistributedType.MULTI_CPU if ranks > 1 else DistributedType.NO,
        fork_launched=False,
        local_process_index=rank,
        num_processes=ranks,
        process_index=rank,
    )
    return Accelerator(cpu=True, gradient_accumulation_steps=accumulation)
