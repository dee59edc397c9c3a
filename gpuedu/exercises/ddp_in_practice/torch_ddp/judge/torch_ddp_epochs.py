"""torch-ddp, `train_epoch`: updates against one process's, exchanges, the reported loss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import ceil
from typing import Any

import numpy as np

from gpuedu.exercises.compare import is_close, show_apart
from gpuedu.exercises.contract import Fault
from gpuedu.exercises.ddp_in_practice.torch_ddp.one_process import EpochTask, State, Updates
from gpuedu.exercises.ddp_in_practice.torch_ddp.small_task import GRADIENT_BYTES
from gpuedu.exercises.ddp_in_practice.torch_ddp.updates_alone import epoch_alone
from gpuedu.units import format_size

REL = 1e-6
"""Of the largest parameter; a weight that is a quotient of whole tensors is float32 in PyTorch."""
LOSS_REL = 1e-5
OWN_BYTES = 32
"""A rank may hand over so much for each batch by calls of its own: a loss, a count."""
RANKS = 2


@lru_cache(maxsize=256)
def epoch_of(task: EpochTask) -> Updates:
    """What one process has."""
    return epoch_alone(task, RANKS)


def epoch_faults(
    tasks: Sequence[Mapping[str, Any]], ranks: Sequence[Sequence[Mapping[str, Any]]], own: Any
) -> Iterable[Fault]:
    """Of every task; the property of its updates is named in it."""
    for place, fields in enumerate(tasks):
        task = EpochTask(tuple(fields["sizes"]), fields["every"], fields["seed"])
        found = [tasks_of_rank[place] for tasks_of_rank in ranks]
        faults = list(_update_faults(fields["decides"], task, found))
        yield from faults
        yield from _held_faults(task, found)
        yield from _count_faults(task, found)
        # Where a group is all there is, its losses come before the first update.
        if not faults or len(task.sizes) <= task.every:
            yield from _loss_faults(task, found)
    yield from _own_faults(sum(len(fields["sizes"]) for fields in tasks), own)


def _update_faults(prop: str, task: EpochTask, found: Sequence[Any]) -> Iterable[Fault]:
    wanted = epoch_of(task).states
    for rank, states in enumerate(one["states"] for one in found):
        if len(states) != len(wanted):
            yield Fault(
                prop,
                f"{task}: rank {rank} made {_count(len(states), 'update')}, expected {len(wanted)}",
            )
            return
        for number, (mine, true) in enumerate(zip(states, wanted, strict=True)):
            told = tell_difference(mine, true)
            if told:
                message = f"{task}: after update {number + 1} of {len(wanted)}, rank {rank}'s"
                yield Fault(prop, f"{message} {told}")
                return


def tell_difference(mine: State, true: State) -> str:
    """The largest difference of two states, or "" where they are equal but for rounding."""
    scale = max(np.abs(one).max() for one in true.values())
    for name, wanted in true.items():
        off = np.abs(np.nan_to_num(mine[name], nan=np.inf) - wanted)
        if off.max() > REL * scale:
            at = np.unravel_index(np.argmax(off), off.shape)
            got, expected = show_apart(float(mine[name][at]), float(wanted[at]))
            index = ", ".join(map(str, at))
            return f"`{name}` is {got} at [{index}], one process's is {expected}"
    return ""


def _held_faults(task: EpochTask, found: Sequence[Any]) -> Iterable[Fault]:
    largest = max(task.sizes)
    for rank, most in enumerate(one["most_samples"] for one in found):
        if most > largest:
            told = f"rank {rank} held the forward passes of {most} samples at once"
            yield Fault("by-batch", f"{task}: {told}, and its largest batch has {largest}")
            return


def _count_faults(task: EpochTask, found: Sequence[Any]) -> Iterable[Fault]:
    groups = ceil(len(task.sizes) / task.every)
    for rank, one in enumerate(found):
        total = sum(one["exchanges"]) + one["left"]
        if len(one["exchanges"]) != groups and total != groups:
            made, wanted = (_count(n, "update") for n in (len(one["exchanges"]), groups))
            yield Fault(
                "once",
                f"{task}: rank {rank} exchanged its gradients {_times(total)} and made {made}, "
                f"expected {_count(groups, 'exchange')} and {wanted}",
            )
            return
        for number, calls in enumerate(one["exchanges"]):
            if calls == 1:
                continue
            yield Fault(
                "once",
                f"{task}: rank {rank} exchanged its gradients {_times(calls)} before update "
                f"{number + 1}, expected once",
            )
            return


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _own_faults(batches: int, own_bytes: Sequence[int]) -> Iterable[Fault]:
    most = OWN_BYTES * batches
    for rank, sent in enumerate(own_bytes):
        if sent > most:
            yield Fault(
                "once",
                f"rank {rank} handed over {format_size(sent)} by its own calls; the gradients "
                f"have {format_size(GRADIENT_BYTES)}, a loss 8",
            )
            return


def _loss_faults(task: EpochTask, found: Sequence[Any]) -> Iterable[Fault]:
    truth = epoch_of(task)
    for rank, got in enumerate(one["loss"] for one in found):
        if not is_close(got, truth.loss, LOSS_REL):
            shown, wanted = show_apart(got, truth.loss)
            message = f"{task}: on rank {rank} the loss is {shown}, expected {wanted}"
            yield Fault("loss", message)
            return
