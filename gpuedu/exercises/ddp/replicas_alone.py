"""The same steps by one process with the whole batch."""

from __future__ import annotations

import torch

from gpuedu.exercises.ddp.replica_models import build, state_of
from gpuedu.exercises.ddp.replicas import RATE, State, Task, backward, shards_of
from gpuedu.exercises.ddp.sgd import Sgd
from gpuedu.exercises.training.quiet import quiet_torch


@quiet_torch()
def train_alone(task: Task) -> list[State]:
    """What one process with rank 0's model and the whole batch has after every step."""
    net = build(task.kind, task.seed)
    optimizer, states = Sgd(net.parameters(), RATE), []
    for step in range(len(task.sizes)):
        xs, ys = zip(*shards_of(task, step), strict=True)
        backward(net, torch.cat(xs), torch.cat(ys))
        optimizer.step()
        states.append(state_of(net))
    return states
