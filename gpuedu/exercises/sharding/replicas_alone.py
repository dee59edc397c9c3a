"""The same steps by one process with the whole batch."""

from __future__ import annotations

import torch

from gpuedu.exercises.ddp.replica_models import build, state_of
from gpuedu.exercises.ddp.replicas import State, Task, backward, shards_of
from gpuedu.exercises.sharding.updates import Rule, Updates
from gpuedu.exercises.training.quiet import quiet_torch


@quiet_torch()
def train_whole(task: Task, rule: Rule) -> list[State]:
    """What one process with the whole batch has after every step."""
    net, updates, states = build(task.kind, task.seed), Updates(rule), []
    for step in range(len(task.sizes)):
        xs, ys = zip(*shards_of(task, step), strict=True)
        backward(net, torch.cat(xs), torch.cat(ys))
        for place, weight in enumerate(net.parameters()):
            if weight.requires_grad:
                gradient = torch.zeros_like(weight) if weight.grad is None else weight.grad
                updates.update(place, weight, gradient)
        states.append(state_of(net))
    return states
