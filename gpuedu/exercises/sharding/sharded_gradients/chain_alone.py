"""The same steps by one process with the whole batch."""

from __future__ import annotations

import torch

from gpuedu.exercises.sharding.chains import (
    ChainTask,
    backward_by_layer,
    build_chain,
    data_of,
    trained_of,
)
from gpuedu.exercises.sharding.sharded_gradients.gradient_runs import State, state_of
from gpuedu.exercises.sharding.updates import Rule, Updates
from gpuedu.exercises.training.quiet import quiet_torch


@quiet_torch()
def train_whole_chain(task: ChainTask, rule: Rule) -> list[State]:
    """What one process with the whole batch has after every step."""
    layers, updates, states = build_chain(task), Updates(rule), []
    for step in range(task.steps):
        for part in range(task.parts):
            for rank in range(task.ranks):
                data = data_of(task, step, part, rank)
                for _ in backward_by_layer(layers, data, 1 / (task.parts * task.ranks)):
                    pass
        for weight in (one for layer in layers for one in trained_of(layer)):
            gradient = torch.zeros_like(weight) if weight.grad is None else weight.grad
            updates.update(id(weight), weight, gradient)
            weight.grad = None
        states.append(state_of(layers))
    return states
