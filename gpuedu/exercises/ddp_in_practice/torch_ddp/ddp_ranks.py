"""What real ranks do with the learner's functions on DistributedDataParallel; runs in a rank."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch.nn import Parameter
from torch.nn.parallel import DistributedDataParallel

from gpuedu.exercises.ddp.held_forwards import HeldForwards
from gpuedu.exercises.ddp.sgd import Sgd
from gpuedu.exercises.ddp_in_practice.torch_ddp.meetings import called, meeting
from gpuedu.exercises.ddp_in_practice.torch_ddp.one_process import EpochTask, State
from gpuedu.exercises.ddp_in_practice.torch_ddp.small_task import (
    CLASSES,
    RATE,
    MomentumSgd,
    NotingData,
    arrays_of,
    build_model,
    make_samples,
)
from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.training.unwritten import unwritten_is_nan

Tasks = Sequence[Mapping[str, Any]]
Found = list[dict[str, Any]]


class NotingSgd(Sgd):
    """SGD that keeps the model's state behind each update, and how many exchanges came before."""

    def __init__(self, model: torch.nn.Module, calls: list[int]) -> None:
        super().__init__(model.parameters(), RATE)
        self._model, self._calls = model, calls
        self.states: list[State] = []
        self.exchanges: list[int] = []

    def _update(self) -> None:
        super()._update()
        self.states.append(arrays_of(self._model))
        self.exchanges.append(len(self._calls))
        self._calls.clear()


@meeting()
@unwritten_is_nan()
def run_epochs(train_epoch: Callable[..., Any], tasks: Tasks) -> Found:
    """``train_epoch`` on each task, with a model that is wrapped already.

    DistributedDataParallel exchanges from compiled code, where nobody counts. A communication hook
    is called in place of that, once a bucket; these models have one.
    """
    found = []
    for task in (EpochTask(tuple(one["sizes"]), one["every"], one["seed"]) for one in tasks):
        model, calls = build_model(task.seed), []
        held = HeldForwards(model)
        ddp = DistributedDataParallel(model)
        ddp.register_comm_hook(calls, _counted_mean)
        optimizer = NotingSgd(model, calls)
        batches = task.batches(dist.get_rank())
        with left_as_given("train_epoch", batches=batches):
            loss = called(train_epoch, ddp, optimizer, batches, task.every)
        found.append(
            {
                "loss": loss,
                "states": optimizer.states,
                "exchanges": optimizer.exchanges,
                "left": len(calls),
                "most_samples": held.most,
            }
        )
    return found


def _counted_mean(calls, bucket):  # PyTorch refuses annotations that are texts
    """What DistributedDataParallel does with a bucket by itself, and a note of it."""
    flat = bucket.buffer()
    calls.append(flat.numel())
    # The group's own method: the functions of torch.distributed are counted as the learner's.
    work = dist.group.WORLD.allreduce([flat.div_(dist.get_world_size())])
    return work.get_future().then(lambda done: done.value()[0])


@meeting()
@unwritten_is_nan()
def run_trainings(train: Callable[..., Any], tasks: Tasks) -> Found:
    """``train`` on each task, from models that differ by rank; what each rank drew, and returned.

    What was returned is handed on as it is, but for a model's tensors, which are copied.
    """
    found = []
    for task in tasks:
        data = NotingData(*make_samples(task["samples"], task["seed"]))
        # Each rank has a random state of its own, as processes do.
        torch.manual_seed(task["seed"] + dist.get_rank())
        model = build_model(task["seed"] + dist.get_rank())
        how = task["epochs"], task["batch"], task["every"]
        given = called(train, model, data, *how, make_optimizer)
        found.append({"given": given, "drawn": data.drawn})
    return found


def make_optimizer(parameters: Iterable[Parameter]) -> MomentumSgd:
    """What ``train`` is handed as ``optimizer_for``: it keeps something from step to step."""
    return MomentumSgd(parameters)


@unwritten_is_nan()
def run_evaluations(accuracy: Callable[..., Any], tasks: Tasks) -> Found:
    """``accuracy`` on each task: a model that is right on all samples but some."""
    found = []
    for task in tasks:
        model = build_model(task["seed"]).eval()
        x, _ = make_samples(task["samples"], task["seed"])
        with torch.no_grad():
            y = model(x).argmax(dim=1)
        y[task["wrong"]] = (y[task["wrong"]] + 1) % CLASSES
        data = NotingData(x, y)
        given = called(accuracy, model, data, task["batch"])
        found.append({"given": given, "drawn": data.drawn})
    return found
