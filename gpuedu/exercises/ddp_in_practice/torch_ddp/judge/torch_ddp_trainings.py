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
    MISTAKES,
    RANKS,
    is_alike,
    tell_difference,
)
from gpuedu.exercises.ddp_in_practice.torch_ddp.one_process import State, by_samples, train_alone
from gpuedu.exercises.ddp_in_practice.torch_ddp.small_task import (
    arrays_of,
    build_model,
    make_samples,
)

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
    each = ceil(samples / RANKS)
    for rank, mine in enumerate(drawn):
        if len(mine) != each * epochs:
            yield Fault(
                "epochs",
                f"of {samples} samples, rank {rank} drew {len(mine)} in {epochs} epochs, expected "
                f"{each * epochs}: {each} in each",
                "Every rank draws all samples: who gives it its share?"
                if len(mine) == samples * epochs
                else "",
            )
            return
    by_epoch = _by_epoch(task, drawn)
    for number, epoch in enumerate(by_epoch):
        missing = set(range(samples)) - {one for mine in epoch for one in mine}
        if missing:
            message = f"epoch {number}: no rank drew sample {min(missing)}"
            cause = f"{len(missing)} of {samples} samples were not drawn in that epoch."
            yield Fault("epochs", message, cause)
            return
    for number, epoch in enumerate(by_epoch[1:], 1):
        if epoch in by_epoch[:number]:
            is_sorted = epoch[0] == sorted(epoch[0])
            yield Fault(
                "epochs",
                f"epochs {by_epoch.index(epoch)} and {number} have the same order: rank 0 begins "
                f"both with samples {', '.join(map(str, epoch[0][:4]))}",
                "The samples are not shuffled."
                if is_sorted
                else "The sampler has to be told which epoch it is.",
            )
            return


def _state_faults(task: Task, states: Sequence[State], draws: Draws) -> Iterable[Fault]:
    names = arrays_of(build_model(0))
    for rank, state in enumerate(states):
        if set(state) != set(names):
            got = sorted(set(state) ^ set(names))
            yield Fault(
                "alike",
                f"rank {rank}'s state has the names {_some(state)}; the model's are {_some(names)}",
                "Those are the wrapper's names. The model itself is `ddp.module`."
                if any(name.startswith("module.") for name in got)
                else "",
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
            yield Fault("alike", message, _apart_cause(task, states))
            return
    if draws:
        wanted, _ = _alone(task, draws)
        told = tell_difference(states[0], wanted)
        if told:
            message = f"after training, rank 0's {told}, who has the same samples"
            yield Fault("alike", message, _cause(task, states[0], draws))


def _some(names: Iterable[str]) -> str:
    shown = [f"`{name}`" for name in list(names)[:2]]
    return ", ".join([*shown, "..."]) if shown else "none"


def _alone(task: Task, draws: Draws, **other: Any) -> tuple[State, list[float]]:
    """One process with rank 0's model, on what was drawn."""
    how = {"batch": task["batch"], "every": task["every"], "weigh": by_samples, "first": 0} | other
    seed = task["seed"] + how.pop("first")
    samples = make_samples(task["samples"], task["seed"])
    return train_alone(seed, samples, draws, how["batch"], how["every"], how["weigh"])


def _apart_cause(task: Task, states: Sequence[State]) -> str:
    begun = [arrays_of(build_model(task["seed"] + rank)) for rank in range(RANKS)]
    if all(is_alike(one, mine) for one, mine in zip(begun, states, strict=True)):
        return "Nothing was trained: that is what each rank began with."
    return (
        "Each rank trains on its own. Was the model wrapped, and is it the wrapped one that "
        "`train_epoch` gets?"
    )


def _cause(task: Task, state: State, draws: Draws) -> str:
    """By what known slips would give."""
    if is_alike(state, arrays_of(build_model(task["seed"]))):
        return "Nothing was trained: that is what it began with."
    known = [
        (
            {"batch": max(task["batch"] // RANKS, 1)},
            "`batch` is a rank's: it is not divided by the ranks.",
        ),
        ({"batch": task["batch"] * RANKS}, "`batch` is a rank's: that is twice as many."),
        ({"every": 1}, "There is an update after every batch: `every` of them make a group."),
        ({"first": 1}, "That is training from the model of rank 1."),
        *(({"weigh": weigh}, says) for weigh, says in MISTAKES),
    ]
    for other, says in known:
        if is_alike(state, _alone(task, draws, **other)[0]):
            return says
    return ""


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
                    "Each epoch's is what `train_epoch` returns.",
                )
                return


def accuracy_faults(task: Task, found: Sequence[Mapping[str, Any]]) -> Iterable[Fault]:
    """Of one evaluation: each sample once, and the same right number on every rank."""
    samples, drawn = task["samples"], [one["drawn"] for one in found]
    what = f"{samples} sample{'' if samples == 1 else 's'} on {RANKS} ranks"
    times = Counter(one for mine in drawn for one in mine)
    for sample in range(samples):
        if times[sample] != 1:
            yield Fault(
                "accuracy",
                f"{what}: sample {sample} was evaluated {times[sample]} times",
                _times_cause(samples, drawn),
            )
            return
    true = 1 - len(task["wrong"]) / samples
    for rank, got in enumerate(one["given"] for one in found):
        if not is_close(got, true, LOSS_REL):
            told, wanted = show_apart(got, true)
            message = f"{what}, wrong on {len(task['wrong'])}: rank {rank} says {told}"
            yield Fault("accuracy", f"{message}, expected {wanted}", _value_cause(task, got, drawn))
            return


def _times_cause(samples: int, drawn: Sequence[Sequence[int]]) -> str:
    if all(len(mine) == samples for mine in drawn):
        return "Every rank evaluated all samples: it takes as long as on one."
    if sum(map(len, drawn)) > samples:
        return "A DistributedSampler fills up, so that all ranks draw as many. Nobody waits here."
    return "Over all ranks, each sample is evaluated once."


def _value_cause(task: Task, got: float, drawn: Sequence[Sequence[int]]) -> str:
    hits = [sum(one not in task["wrong"] for one in mine) for mine in drawn]
    own = [hit / len(mine) if mine else float("nan") for hit, mine in zip(hits, drawn, strict=True)]
    if got != got:
        return "A rank without samples has no accuracy of its own: 0 of 0."
    if is_close(got, sum(own) / RANKS, LOSS_REL):
        return "That is the mean of the ranks' accuracies, and they have not as many samples."
    if any(is_close(got, one, LOSS_REL) for one in own):
        return "That is one rank's accuracy, on its samples."
    if is_close(got, sum(hits), LOSS_REL):
        return "That is the number of hits."
    return ""
