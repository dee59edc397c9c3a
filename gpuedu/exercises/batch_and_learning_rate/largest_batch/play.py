"""largest-batch: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.batch_and_learning_rate.largest_batch.trials import (
    Task,
    as_batch,
    collector_at_rest,
    search,
)
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import whole_number

MOST_TRIALS = 20_000


_NAME = "what `largest_batch` returned"


class Interrupted(KeyboardInterrupt):
    """An interruption that a case makes; one that a person makes is none of these."""


def play_largest_batch(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """A search on a made-up device, one that is broken off, one of real steps, or a guess."""
    largest_batch, guess_batch = answers
    ask = inputs["ask"]
    with collector_at_rest():
        return _play(ask, largest_batch, guess_batch, inputs)


def _play(ask: str, largest_batch: Any, guess_batch: Any, inputs: Inputs) -> dict[str, Any]:
    if ask == "guess":
        small, large = tuple(inputs["small"]), tuple(inputs["large"])
        got = guess_batch(small, large, inputs["budget_bytes"])
        return {"got": whole_number(got, "what `guess_batch` returned")}
    if ask == "real":
        return _play_real(largest_batch, inputs)
    if ask == "error":
        return _play_error(largest_batch, inputs)
    trials: list[int] = []
    got = largest_batch(_device(trials, inputs["fits"], inputs["most"]), inputs["most"])
    return {"got": whole_number(got, _NAME), "trials": trials}


def _device(trials: list[int], fits: int, most: int, error: str = "", at: int = 0) -> Any:
    """A ``try_step`` that remembers its batches, and raises the named error from ``at`` on."""
    import torch

    def try_step(batch: int) -> None:
        size = as_batch(batch, most)
        trials.append(size)
        if len(trials) > MOST_TRIALS:
            raise AnswerError(f"more than {MOST_TRIALS:,} trials")
        if error and size >= at:
            raise _errors()[error]
        if size > fits:
            raise torch.OutOfMemoryError("out of memory: no room on this made-up device")

    return try_step


def _errors() -> dict[str, BaseException]:
    from gpuedu.training.errors import LossError, OutputShapeError

    return {
        "shape": OutputShapeError(
            "the output is (8, 3) for targets (8,) from 0 to 9", remedy="as many scores as classes"
        ),
        "loss": LossError("the loss is (8,), not one number", remedy="a mean over the batch"),
        "value": ValueError("a broken picture in this batch"),
        # What PyTorch raises for layers that do not fit together, and for much else.
        "plain": RuntimeError("mat1 and mat2 shapes cannot be multiplied (4x3 and 5x2)"),
        # What a kernel that reads past its tensors leaves, and a view of strides that do not fit.
        "access": RuntimeError("CUDA error: an illegal memory access was encountered"),
        "format": RuntimeError("unsupported memory format option ChannelsLast"),
        "interrupt": Interrupted(),
    }


def _play_error(largest_batch: Any, inputs: Inputs) -> dict[str, Any]:
    """Whether an error that is not about memory gets out."""
    trials: list[int] = []
    step = _device(trials, inputs["fits"], inputs["most"], inputs["error"], inputs["at"])
    wanted = type(_errors()[inputs["error"]])
    try:
        largest_batch(step, inputs["most"])
    except wanted:
        return {"raised": True, "trials": trials}
    return {"raised": False, "trials": trials}


def _play_real(largest_batch: Any, inputs: Inputs) -> dict[str, Any]:
    found = search(largest_batch, Task(**inputs["task"]), inputs["budget_bytes"])
    return {
        "got": whole_number(found.result, _NAME),
        "trials": [one.batch for one in found.trials],
        "fits": [one.fits for one in found.trials],
        "over_bytes": [one.before_bytes - found.free_bytes for one in found.trials],
    }


PLAY = Play(
    (
        Answer("largest_batch", signature=("try_step", "most")),
        Answer("guess_batch", signature=("small", "large", "budget_bytes")),
    ),
    play_largest_batch,
    time_limit_s=20.0,
    on_machine=True,
    observes="what a learner's process says that it still holds of a failed trial",
    observed_in=("released",),
)
