"""The step over the whole batch at once, which accumulated ones should equal."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.batch_and_learning_rate.accumulate_gradients.accumulation import (
    IGNORED,
    loss_sum,
)


def big_batch_step(model: Any, optimizer: Any, micro_batches: Any, max_norm: float) -> Any:
    """One step with all micro-batches put together: what is to be equalled."""
    import torch

    x, y = (torch.cat(parts) for parts in zip(*micro_batches, strict=True))
    optimizer.zero_grad()
    loss = loss_sum(model(x), y) / (y != IGNORED).sum()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.detach()
