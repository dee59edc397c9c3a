"""torch-ddp, `train` and `accuracy`: what ranks drew, what they became, what they evaluated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import Any

from gpuedu.exercises.compare import is_close, show_apart
from gpuedu.exercises.contract import Fault
from gpuedu.exercises.ddp_in_practice.torch_ddp.judge.torch_ddp_epochs import (
    LOSS_REL,
    tell_difference,
)
from gpuedu.exercises.ddp_in_practice.torch_ddp.one_process import State
from gpuedu.exercises.ddp_in_practice.torch_ddp.small_task import (
    arrays_of,
    build_model,
    make_samples,
)
from gpuedu.exercises.ddp_in_practice.torch_ddp.updates_alone import train_alone

Task = Mapping[str, Any]
Draws = list[list[list[int]]]


def training_faults(task: Task, found: Sequence[Mapping[str, Any]]) -> Iterable[Fault]:
    """Of one training: draws by epoch, the states at the end, the losses."""
    drawn = [one["drawn"] for one in found]
    yield from _draw_faults(task, drawn)
    states = [one["state"] for one in found]
    faults = list(_state_faults(task, states, _by_epoch(task, drawn)))
    yield from faults
    yield from _losses_faults(task, found, [] if faults else _by_epoch(task, drawn))


def _by_epoch(task: Task, drawn: Sequence[Sequence[int]]) -> Draws:
    """By epoch and rank; nothing where the ranks' epochs have not one and the same length."""
    epochs, count = task["epochs"], len(drawn[0])
    if count == 0 or count % epochs or any(len(mine) != count for mine in drawn):
        return []
    each = count // epochs
    return [[list(mine[e * each : (e + 1) * each]) for mine in drawn] for e in range(epochs)]


def _draw_faults(task: Task, drawn: Sequence[Sequence[int]]) -> Iterable[Fault]:
    samples, epochs = task["samples"], task["epochs"]
    each = ceil(samples / len(drawn))
    for rank, mine in enumerate(drawn):
        if len(mine) != each * epochs:
            yield Fault(
                "epochs",
                f"of {samples} samples, rank {rank} drew {len(mine)} in {epochs} epochs, expected "
                f"{each * epochs}: {each} in each",
            )
            return
    by_epoch = _by_epoch(task, drawn)
    for number, epoch in enumerate(by_epoch):
        missing = set(range(samples)) - {one for mine in epoch for one in mine}
        if missing:
            told = f"no rank drew sample {min(missing)}; of {samples}, {len(missing)} are missing"
            yield Fault("epochs", f"epoch {number}: {told}")
            return
    for number, epoch in enumerate(by_epoch[1:], 1):
        if epoch in by_epoch[:number]:
            yield Fault(
                "epochs",
                f"epochs {by_epoch.index(epoch)} and {number} have the same order: rank 0 starts "
                f"both with samples {', '.join(map(str, epoch[0][:4]))}",
            )
            return


def _state_faults(task: Task, states: Sequence[State], draws: Draws) -> Iterable[Fault]:
    names = arrays_of(build_model(0))
    for rank, state in enumerate(states):
        if set(state) != set(names):
            yield Fault(
                "alike",
                f"rank {rank}'s state has the names {_some(state)}; the model's are {_some(names)}",
            )
            return
        for name, wanted in names.items():
            if state[name].shape != wanted.shape:
                yield Fault("alike", f"rank {rank}'s `{name}` has shape {state[name].shape}")
                return
    for rank, state in enumerate(states[1:], 1):
        told = tell_difference(state, states[0])
        if told:
            told = told.replace("one process's", "rank 0's")
            message = f"after training, rank {rank}'s {told}"
            yield Fault("alike", message)
            return
    if draws:
        wanted, _ = _alone(task, draws)
        told = tell_difference(states[0], wanted)
        if told:
            message = f"after training, rank 0's {told}, for the same samples"
            yield Fault("alike", message)


def _some(names: Iterable[str]) -> str:
    shown = [f"`{name}`" for name in list(names)[:2]]
    return ", ".join([*shown, "..."]) if shown else "none"


def _alone(task: Task, draws: Draws) -> tuple[State, list[float]]:
    """One process with rank 0's model, on what was drawn."""
    samples = make_samples(task["samples"], task["seed"])
    return train_alone(task["seed"], samples, draws, task["batch"], task["every"])


def _losses_faults(task: Task, found: Sequence[Any], draws: Draws) -> Iterable[Fault]:
    for rank, losses in enumerate(one["losses"] for one in found):
        if len(losses) != task["epochs"]:
            yield Fault(
                "loss",
                f"`train` gave {len(losses)} loss{'' if len(losses) == 1 else 'es'} on rank "
                f"{rank} for {task['epochs']} epochs",
            )
            return
    if not draws:
        return
    _, wanted = _alone(task, draws)
    for rank, losses in enumerate(one["losses"] for one in found):
        for epoch, (got, true) in enumerate(zip(losses, wanted, strict=True)):
            if not is_close(got, true, LOSS_REL):
                told, expected = show_apart(got, true)
                yield Fault(
                    "loss",
                    f"`train`: the loss of epoch {epoch} on rank {rank} is {told}, expected "
                    f"{expected}",
                )
                return


def accuracy_faults(task: Task, found: Sequence[Mapping[str, Any]]) -> Iterable[Fault]:
    """Of one evaluation: each sample once, and the same right number on every rank."""
    samples, drawn = task["samples"], [one["drawn"] for one in found]
    what = f"{samples} sample{'' if samples == 1 else 's'} on {len(found)} ranks"
    times = Counter(one for mine in drawn for one in mine)
    for sample in range(samples):
        if times[sample] != 1:
            yield Fault(
                "accuracy",
                f"{what}: sample {sample} was evaluated {times[sample]} times",
            )
            return
    true = 1 - len(task["wrong"]) / samples
    for rank, got in enumerate(one["given"] for one in found):
        if not is_close(got, true, LOSS_REL):
            told, wanted = show_apart(got, true)
            message = f"{what}, wrong on {len(task['wrong'])}: rank {rank} says {told}"
            yield Fault("accuracy", f"{message}, expected {wanted}")
            return
