"""A program that trains and writes, run and counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.capstone.counting_rows import counting_files
from gpuedu.exercises.capstone.runs import (
    history_of,
    largest_of,
    on_device,
    on_ranks,
    steps_in,
)
from gpuedu.exercises.capstone.started import started
from gpuedu.exercises.capstone.store import Store
from gpuedu.exercises.plain import describe, items, text

if TYPE_CHECKING:
    from gpuedu.exercises.capstone.metering import Operation
    from gpuedu.multi.exchanges import Exchange

LABEL = "faster"
"""The folder that errors name."""
SIZES = {"rows": 36, "prompts": 8, "prompt": 16}
TRAINING = {
    "epochs": 2,
    "batch": 12,
    "micro": 2,
    "learning_rate": 1e-2,
    "weight_decay": 0.01,
    "rank": 0,
    "ranks": 1,
}
"""Of every run, beside its seed and the device."""
LETTERS = 16
"""That are written behind each prompt."""
WEIGHTS = "weights.pt"
HISTORY = ("losses",)


def count_training(program: Mapping[str, str], seed: int) -> dict[str, Any]:
    """What training gives and costs on one device.

    ``weights`` tells what was written to the store, by name. Of the ``bill``, ``flop`` is that of
    the median step, ``wide_flop`` the share of it in more than 16 bits, ``alive`` how many bytes
    live all through the median step, in whole thousands; ``most_saved`` see ``Meter``.
    """
    from gpuedu.exercises.capstone.bill import require_steps, steps_of
    from gpuedu.exercises.capstone.metering import metered

    files = counting_files(seed, **SIZES)
    store = Store(files)
    with started(program, LABEL) as run, metered(saves=True) as meter:
        history = history_of(run(store.lent(), on_device(TRAINING, seed)), HISTORY)
    steps = steps_of(meter.operations) or [[]]
    require_steps(steps, steps_in(SIZES["rows"], TRAINING))
    flop = [sum(one.flop for one in step) for step in steps]
    wide = sum(one.flop for step in steps for one in step if not one.is_half)
    return {
        "history": history,
        "weights": _described(files.get(WEIGHTS, b"")),
        "bill": {
            "flop": float(median(flop)),
            "wide_flop": wide / max(sum(flop), 1),
            "alive": round(float(median(_least_alive(step) for step in steps)), -3),
            "most_saved": float(meter.most_saved),
        },
        "where": {},
    }


def _least_alive(step: Sequence[Operation]) -> int:
    return min((one.live_bytes for one in step), default=0)


def _described(file: bytes) -> list[str]:
    """Each weight's name, dtype and shape; AnswerError where the file holds none."""
    import io

    import torch

    try:
        weights = torch.load(io.BytesIO(file), weights_only=True)
        return [f"{name}: {one.dtype} {tuple(one.shape)}" for name, one in weights.items()]
    except Exception as fault:
        told = f"the store has no {WEIGHTS} with a dict of weights" if file else "nothing is there"
        raise AnswerError(f"after training {told}: {describe(fault)}") from None


def count_writing(program: Mapping[str, str], seed: int, weights: bytes) -> dict[str, Any]:
    """What is written with the weights of a file, and what it costs.

    Of the ``bill``, ``letter_flop`` and ``letter_launches`` are those of each letter, ``waits`` of
    all of them; ``where`` tells the line of the first wait.
    """
    from gpuedu.exercises.capstone.metering import metered
    from gpuedu.exercises.capstone.no_files import know_file
    from gpuedu.exercises.capstone.runs import place_of

    know_file(weights)
    store = Store({**counting_files(seed, **SIZES), WEIGHTS: weights})
    with started(program, LABEL, "write") as run, metered() as meter:
        given = items(run(store.lent(), writing_settings(seed)), "what `run` returned", "a list")
        texts = [text(one, f"text {place}", 1000) for place, one in enumerate(given)]
    count = SIZES["prompts"] * LETTERS
    waits = [wait for _, wait in meter.waits]
    return {
        "texts": texts,
        "bill": {
            "letter_flop": sum(one.flop for one in meter.operations) / count,
            "letter_launches": len(meter.operations) / count,
            "waits": len(waits),
        },
        "where": {"waits": f"The first: {place_of(waits[0])}"} if waits else {},
    }


def writing_settings(seed: int) -> dict[str, Any]:
    """The settings of ``write.run``."""
    return on_device({"letters": LETTERS}, seed)


def count_together(program: Mapping[str, str], seed: int, ranks: int) -> dict[str, Any]:
    """What training gives on several simulated ranks, by rank, and the bytes of a step's messages.

    Of the ``bill``, ``reduced_bytes`` is what a rank gives to reduce and to gather, ``sent_bytes``
    to broadcasts and the like; ``where`` names for both the line that gives most.
    """
    settings = on_device(TRAINING, seed, epochs=1)
    with started(program, LABEL) as run:
        found = on_ranks(run, counting_files(seed, **SIZES), settings, ranks)
        histories = [history_of(one, HISTORY) for one in found.results]
    steps = ranks * max(len(histories[0]["losses"]), 1)
    parts = {
        "reduced_bytes": [one for one in found.exchanges if _combines(one)],
        "sent_bytes": [one for one in found.exchanges if not _combines(one)],
    }
    return {
        "histories": histories,
        "bill": {name: sum(one.size_bytes for one in part) / steps for name, part in parts.items()},
        "where": {name: largest_of(part) for name, part in parts.items()},
    }


def _combines(one: Exchange) -> bool:
    return "reduce" in one.kind or one.kind.startswith("all_")


def example_run(seed: int = 1) -> tuple[Store, dict[str, Any]]:
    """A store with a task's files, and the settings of a run on one device, writing included."""
    return Store(counting_files(seed, **SIZES)), on_device(TRAINING, seed, letters=LETTERS)


def example_on_ranks(run: Callable[..., Any], ranks: int, seed: int = 1) -> Any:
    """What training gives on as many simulated ranks: on the first of them."""
    settings = on_device(TRAINING, seed)
    return on_ranks(run, counting_files(seed, **SIZES), settings, ranks).results[0]
