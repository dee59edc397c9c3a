"""Runs of a program of the capstone: what it gives, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe, items, number

if TYPE_CHECKING:
    from gpuedu.multi.exchanges import Exchange
    from gpuedu.multi.light.world import LightRun

SIZES = {"train": 36, "held_out": 8}
SETTINGS = {
    "epochs": 2,
    "batch": 12,
    "learning_rate": 3e-3,
    "weight_decay": 0.01,
    "clip": 1.0,
    "rank": 0,
    "ranks": 1,
}
"""Of every run, beside its seed and the device."""
HISTORY = ("losses", "train_accuracy", "loss", "accuracy")
"""What a run gives: the first for each step, the others for each epoch."""


def settings_of(seed: int, **others: Any) -> dict[str, Any]:
    """The settings of one run, a dict of its own."""
    return on_device(SETTINGS, seed, **others)


def on_device(settings: Mapping[str, Any], seed: int, **others: Any) -> dict[str, Any]:
    """Settings with a seed, and with the device that stands for a GPU."""
    import torch

    return {**settings, "seed": seed, "device": torch.device("cpu"), **others}


def history_of(given: Any, parts: Sequence[str] = HISTORY) -> dict[str, list[float]]:
    """A run's history in plain numbers; AnswerError where it is none."""
    if not isinstance(given, dict):
        raise AnswerError(f"`run` should return the history, a dict, got {describe(given)}")
    missing = [name for name in parts if name not in given]
    if missing:
        raise AnswerError(f"the history that `run` returned has no {missing[0]!r}")
    return {name: _numbers(given[name], f"history[{name!r}]") for name in parts}


def _numbers(value: Any, name: str) -> list[float]:
    found = items(value, name, "a list of numbers")
    return [float(number(one, f"{name}[{place}]")) for place, one in enumerate(found)]


def steps_in(samples: int, settings: Mapping[str, Any]) -> int:
    """The steps of a run.

    >>> steps_in(36, {"epochs": 2, "batch": 12})
    6
    """
    return settings["epochs"] * -(-samples // settings["batch"])


def run_alone(run: Callable[..., Any], seed: int) -> dict[str, Any]:
    """What a program gives and costs on one device.

    ``history`` is of a whole run, which is metered; ``resumed`` of one that ended after its first
    epoch, and was gone on from its checkpoint; ``bill`` holds the figures of ``bill_of``, and
    ``first_wait`` says where the host first waited in training, or nothing.
    """
    from gpuedu.exercises.capstone.bill import bill_of
    from gpuedu.exercises.capstone.digit_rows import task_files
    from gpuedu.exercises.capstone.metering import metered
    from gpuedu.exercises.capstone.store import Store

    files = task_files(seed, **SIZES)
    store = Store(dict(files))
    with metered() as meter:
        history = history_of(run(store.lent(), settings_of(seed)))
    halves = Store(dict(files))
    run(halves.lent(), settings_of(seed, epochs=1))
    resumed = history_of(run(halves.lent(), settings_of(seed)))
    waits = [wait for in_evaluation, wait in meter.waits if not in_evaluation]
    return {
        "history": history,
        "resumed": resumed,
        "bill": bill_of(
            meter, store, epochs=SETTINGS["epochs"], steps=steps_in(SIZES["train"], SETTINGS)
        ),
        "first_wait": place_of(waits[0]) if waits else "",
    }


def run_to_infinity(run: Callable[..., Any], seed: int, learning_rate: float) -> dict[str, Any]:
    """What it does at a rate that makes the second loss infinite.

    ``stopped`` is the exception that ended it, "" where none did; ``history`` is that of a run at
    the usual rate on the same store, which finds a checkpoint there if one was written.
    """
    from gpuedu.exercises.capstone.digit_rows import task_files
    from gpuedu.exercises.capstone.store import Store

    store, stopped = Store(task_files(seed, **SIZES)), ""
    try:
        run(store.lent(), settings_of(seed, epochs=1, learning_rate=learning_rate))
    except AnswerError:
        raise
    except Exception as fault:
        stopped = type(fault).__name__
    again = run(store.lent(), settings_of(seed, epochs=1)) if stopped else {}
    return {"stopped": stopped, "history": history_of(again) if stopped else {}}


def place_of(wait: Any) -> str:
    """What kind of wait it is, and in which line."""
    return f"{wait.kind} in {wait.file}, line {wait.line}: `{wait.text[:100]}`"


def run_together(run: Callable[..., Any], seed: int, ranks: int) -> dict[str, Any]:
    """What it gives on several simulated ranks, by rank, and the messages of a step.

    ``messages`` is how many collectives a step starts on each rank, the mean over one epoch, and
    ``message_bytes`` how much of them a rank puts on the wires: an all-reduce as much as a
    reduce-scatter and an all-gather.
    """
    from gpuedu.exercises.capstone.digit_rows import task_files
    from gpuedu.multi.exchanges import wire_bytes

    files = task_files(seed, **SIZES)
    found = on_ranks(run, files, settings_of(seed, epochs=1), ranks)
    histories = [history_of(one) for one in found.results]
    steps = ranks * max(len(histories[0]["losses"]), 1)
    return {
        "histories": histories,
        "messages": len(found.exchanges) / steps,
        "message_bytes": wire_bytes(found.exchanges) / steps,
        "largest": largest_of(found.exchanges),
    }


def largest_of(exchanges: Iterable[Exchange]) -> str:
    """What kind of message is the largest, and in which line; "" where there is none."""
    found = max(exchanges, key=lambda one: one.size_bytes, default=None)
    return f"dist.{found.kind} on line {found.line}: `{found.text[:100]}`" if found else ""


def on_ranks(
    run: Callable[..., Any], files: Mapping[str, bytes], settings: Mapping[str, Any], ranks: int
) -> LightRun:
    """What a program gives on simulated ranks, each with a store of its own that has the files."""
    import torch.distributed as dist

    from gpuedu.exercises.capstone.operations import AllowedOperations
    from gpuedu.exercises.capstone.plain_values import PlainValues
    from gpuedu.exercises.capstone.store import Store
    from gpuedu.multi.light.running import run_light

    def one_rank() -> Any:
        here = {**settings, "rank": dist.get_rank(), "ranks": ranks}
        with AllowedOperations(), PlainValues():  # each rank is a thread, and has modes of its own
            return run(Store(dict(files)).lent(), here)

    return run_light(one_rank, ranks, lend_to=(run,))


def example_run(seed: int = 1) -> tuple[Any, dict[str, Any]]:
    """A store with a task's files, and the settings of a run on one device."""
    from gpuedu.exercises.capstone.digit_rows import task_files
    from gpuedu.exercises.capstone.store import Store

    return Store(task_files(seed, **SIZES)), settings_of(seed)


def example_on_ranks(run: Callable[..., Any], ranks: int, seed: int = 1) -> Any:
    """What a run gives on as many simulated ranks: on the first of them."""
    from gpuedu.exercises.capstone.digit_rows import task_files

    return on_ranks(run, task_files(seed, **SIZES), settings_of(seed), ranks).results[0]
