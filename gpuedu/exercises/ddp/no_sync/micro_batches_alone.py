"""The same steps by one process with the whole batch."""

from __future__ import annotations

from torch.nn import functional

from gpuedu.exercises.ddp.no_sync.micro_batches import KIND, MicroTask, micro_batches
from gpuedu.exercises.ddp.replica_models import build, state_of
from gpuedu.exercises.ddp.replicas import RATE, State
from gpuedu.exercises.ddp.sgd import Sgd
from gpuedu.exercises.training.quiet import quiet_torch


@quiet_torch()
def run_alone(task: MicroTask) -> list[State]:
    """What one process has after every step in which every sample counts alike."""
    net = build(KIND, task.seed)
    optimizer, states = Sgd(net.parameters(), RATE), []
    for step in range(task.steps):
        optimizer.zero_grad()
        for rank in range(task.ranks):
            for x, y in micro_batches(task, step, rank):
                loss = functional.cross_entropy(net(x), y, reduction="sum")
                (loss / task.total).backward()
        optimizer.step()
        states.append(state_of(net))
    return states
