"""Play of the lesson ddp-in-practice on PyTorch's DistributedDataParallel, in real processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play
from gpuedu.exercises.ddp_in_practice import ddp_ranks
from gpuedu.exercises.plain import describe, numbers, text
from gpuedu.exercises.ranks.launching import launch_ranks
from gpuedu.exercises.training.tensors import as_number, require_tensor
from gpuedu.multi.launch import Launched, LaunchError

RANKS = 2
STALL_S, TIME_LIMIT_S = 5.0, 25.0
Inputs = Mapping[str, Any]


def play_torch_ddp(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """By rank and task, what the ranks of one launch did."""
    train_epoch, train, accuracy = answers
    asks = {
        "epoch": (ddp_ranks.run_epochs, train_epoch, _plain_epoch),
        "train": (ddp_ranks.run_trainings, train, plain_training),
        "accuracy": (ddp_ranks.run_evaluations, accuracy, _plain_accuracy),
    }
    on_rank, answer, make_plain = asks[inputs["ask"]]
    run = _launch(on_rank, answer, inputs["tasks"])
    observed = [[make_plain(one) for one in tasks] for tasks in run.results]
    own_bytes = [sum(e.size_bytes for e in run.exchanges if e.rank == r) for r in range(RANKS)]
    return {"ranks": observed, "own_bytes": own_bytes}


def _launch(on_rank: Callable[..., Any], answer: Any, tasks: Any) -> Launched:
    try:
        return launch_ranks(
            on_rank, RANKS, answer, tasks, stall_s=STALL_S, time_limit_s=TIME_LIMIT_S
        )
    except LaunchError as late:
        if "in time" not in late.message:
            raise
        # A wait inside of a backward is one that nobody sees: it counts as computing.
        remedy = (
            "Does a loop end? A backward of `ddp` waits until all ranks come to theirs: do all "
            "make as many?"
        )
        raise AnswerError(late.message, remedy=remedy) from None


def _plain_epoch(found: Mapping[str, Any]) -> dict[str, Any]:
    return {**found, "loss": as_number(found["loss"], "the loss that `train_epoch` returns")}


def _plain_accuracy(found: Mapping[str, Any]) -> dict[str, Any]:
    return {**found, "given": as_number(found["given"], "what `accuracy` returns")}


def plain_training(found: Mapping[str, Any]) -> dict[str, Any]:
    """What a rank's ``train`` returned, as plain values; AnswerError where it cannot be."""
    given = found["given"]
    if type(given) is not tuple or len(given) != 2:
        raise AnswerError(
            f"`train` should return two things, the state and the losses, got {describe(given)}"
        )
    state, losses = given
    if type(losses) not in (list, tuple):
        raise AnswerError(f"the losses of `train` should be a list, got {describe(losses)}")
    plain = [as_number(one, f"loss {at} of `train`") for at, one in enumerate(losses)]
    return {
        "state": plain_state(state),
        "losses": numbers(plain, len(plain)),
        "drawn": found["drawn"],
    }


def plain_state(state: Any) -> dict[str, np.ndarray]:
    """A state dict of the learner's as arrays by name; AnswerError where it is none."""
    if not isinstance(state, dict):
        raise AnswerError(
            f"the state that `train` returns should be a dict, got {describe(state)}",
            remedy="`model.state_dict()` gives one.",
        )
    return {
        text(name, "a name in the state"): require_tensor(value, f"`{name}` in the state")
        .detach()
        .double()
        .cpu()
        .numpy()
        .copy()
        for name, value in state.items()
    }


DDP_PLAYS = {
    "torch-ddp": Play(
        (
            Answer("train_epoch", signature=("ddp", "optimiser", "batches", "every")),
            Answer(
                "train", signature=("model", "data", "epochs", "batch", "every", "optimiser_for")
            ),
            Answer("accuracy", signature=("model", "data", "batch")),
        ),
        play_torch_ddp,
        time_limit_s=90.0,
    ),
}
