"""Runs to save and to resume: with the attributes of the lesson's ``Run``, of several kinds.

Inputs of a case: ``seed``, ``kind`` (a name in ``KINDS``), ``before`` (steps until it is saved) and
``after`` (steps from there on).
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import torch
from torch import nn

from gpuedu.exercises.changeable import changeable

SAMPLES, NUMBERS, CLASSES, BATCH = 44, 12, 4, 8
"""Not a whole number of batches: each pass over the samples leaves some out."""

PARTS = ("model", "optimizer", "scheduler", "scaler", "chance", "data")


@dataclass(frozen=True)
class Kind:
    """How a run is made: its optimizer, its schedule, and what its model has."""

    optimizer: str
    options: Mapping[str, Any]
    scheduler: str
    schedule: Mapping[str, Any]
    normalized: bool


KINDS = {
    "Adam, cosine, batch norm": Kind(
        "Adam", {"lr": 0.02}, "CosineAnnealingLR", {"T_max": 30}, normalized=True
    ),
    "SGD with momentum, steps": Kind(
        "SGD", {"lr": 0.1, "momentum": 0.9}, "StepLR", {"step_size": 5, "gamma": 0.5}, False
    ),
    "AdamW, warm-up": Kind(
        "AdamW", {"lr": 0.03}, "LinearLR", {"start_factor": 0.1, "total_iters": 12}, True
    ),
}


@changeable
class Run:
    """Everything that a training run is made of, as the lesson gives it."""

    def __init__(self, kind: Kind, inputs: torch.Tensor, targets: torch.Tensor) -> None:
        self.inputs, self.targets = inputs, targets
        layers: list[nn.Module] = [nn.Linear(NUMBERS, 16)]
        layers += [nn.BatchNorm1d(16)] if kind.normalized else []
        layers += [nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, CLASSES)]
        self.model = nn.Sequential(*layers)
        self.optimizer = getattr(torch.optim, kind.optimizer)(
            self.model.parameters(), **kind.options
        )
        schedule = getattr(torch.optim.lr_scheduler, kind.scheduler)
        self.scheduler = schedule(self.optimizer, **kind.schedule)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12, growth_interval=3)
        self.order, self.place = torch.randperm(len(inputs)), 0

    def step(self) -> float:
        """Take a step; the loss."""
        if self.place + BATCH > len(self.order):
            self.order, self.place = torch.randperm(len(self.inputs)), 0
        chosen = self.order[self.place : self.place + BATCH]
        self.place += BATCH
        inputs = self.inputs[chosen]
        if random.random() < 0.5:
            inputs = inputs.flip(1)
        with torch.autocast("cpu", torch.float16):
            scores = self.model(inputs)
        loss = nn.functional.cross_entropy(scores.float(), self.targets[chosen])
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.scheduler.step()
        return loss.item()


def make_run(kind: str, seed: int) -> Run:
    """A run that begins, from this seed; its samples are the same for every seed."""
    source = torch.Generator().manual_seed(11)
    inputs = torch.randn(SAMPLES, NUMBERS, generator=source)
    targets = torch.randint(CLASSES, (SAMPLES,), generator=source)
    torch.manual_seed(seed)
    random.seed(seed)
    return Run(KINDS[kind], inputs, targets)


def parts_of(run: Run) -> dict[str, Any]:
    """What each part's state is now: as digests, for who wants to compare it, and not to save it.

    What of it counts is what a later step depends on.
    """
    return _digests(
        {
            "model": {**run.model.state_dict(), "in training mode": run.model.training},
            "optimizer": run.optimizer.state_dict(),
            "scheduler": run.scheduler.state_dict(),
            "scaler": run.scaler.state_dict(),
            "chance": {"torch": torch.get_rng_state(), "python": random.getstate()},
            "data": _rest_of_pass(run),
        }
    )


def _digests(state: Any) -> Any:
    """A state whose values can be told apart, and nothing more; objects are told by their type.

    >>> _digests({"a": [1, 2]}) == _digests({"a": [1, 3]}), list(_digests({"a": 1}))
    (False, ['a'])
    """
    if isinstance(state, Mapping):
        return {key: _digests(value) for key, value in state.items()}
    if isinstance(state, (list, tuple)):
        return [_digests(value) for value in state]
    told = type(state).__name__
    if isinstance(state, torch.Tensor):
        told += f"{state.dtype}{tuple(state.shape)}{state.detach().numpy().tobytes().hex()}"
    elif state is None or isinstance(state, (bool, int, float, str)):
        told += repr(state)
    return blake2b(told.encode()).hexdigest()


def _rest_of_pass(run: Run) -> dict[str, Any]:
    """What later steps read of a pass: not what of it is done with."""
    try:
        return {"left": samples_left(run), "order": run.order[run.place :]}
    except TypeError:  # no place, or no order: the next step says so
        return {"left": run.place, "order": run.order}


def samples_left(run: Run) -> int:
    """How many samples of this pass no step has seen yet."""
    return len(run.order) - run.place


def take_steps(run: Run, steps: int) -> list[list[float]]:
    """Steps, each as its loss, its learning rate, its scale and the samples left of the pass."""
    rows = []
    for _ in range(steps):
        rate = float(run.optimizer.param_groups[0]["lr"])
        loss = run.step()
        rows.append([loss, rate, float(run.scaler.get_scale()), float(samples_left(run))])
    return rows


def first_difference(one: Any, other: Any, path: str = "") -> str | None:
    """Where two states differ first, as ``['0.weight']``; None if they are equal to the bit.

    >>> first_difference({"a": [1, torch.ones(2)]}, {"a": [1, torch.zeros(2)]})
    "['a'][1]"
    """
    if isinstance(one, torch.Tensor) or isinstance(other, torch.Tensor):
        same = (
            isinstance(one, torch.Tensor)
            and isinstance(other, torch.Tensor)
            and one.dtype == other.dtype
            and one.shape == other.shape
            and one.detach().numpy().tobytes() == other.detach().numpy().tobytes()
        )
        return None if same else path
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        if list(one) != list(other):
            return path
        pairs = [(repr(key), one[key], other[key]) for key in one]
    elif isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        if len(one) != len(other):
            return path
        pairs = [(str(at), *pair) for at, pair in enumerate(zip(one, other, strict=True))]
    else:
        return None if type(one) is type(other) and _equal(one, other) else path
    found = (first_difference(mine, yours, f"{path}[{key}]") for key, mine, yours in pairs)
    return next((one for one in found if one is not None), None)


def _equal(one: Any, other: Any) -> bool:
    """Whether values are equal; of objects that cannot be compared, two are taken to be."""
    same = one == other
    return same if isinstance(same, bool) else True
