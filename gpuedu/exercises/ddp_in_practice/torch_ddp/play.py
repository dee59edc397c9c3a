"""torch-ddp: beside the learner's code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.ddp_in_practice.torch_ddp import ddp_ranks
from gpuedu.exercises.ddp_in_practice.torch_ddp.meetings import is_meeting, launch_learners
from gpuedu.exercises.plain import describe, entries, items, numbers, text
from gpuedu.exercises.training.tensors import as_number, require_tensor


def play_torch_ddp(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """By rank and task, what the ranks of one launch did."""
    train_epoch, train, accuracy = answers
    asks = {
        "epoch": ("train_epoch", ddp_ranks.run_epochs, train_epoch, _plain_epoch),
        "train": ("train", ddp_ranks.run_trainings, train, plain_training),
        "accuracy": ("accuracy", ddp_ranks.run_evaluations, accuracy, _plain_accuracy),
    }
    name, on_rank, answer, make_plain = asks[inputs["ask"]]
    ranks = inputs["ranks"]
    run = launch_learners(on_rank, answer, inputs["tasks"], name=name, ranks=ranks)
    observed = [[make_plain(one) for one in tasks] for tasks in run.results]
    own = [one for one in run.exchanges if not is_meeting(one)]
    own_bytes = [sum(one.size_bytes for one in own if one.rank == r) for r in range(ranks)]
    return {"ranks": observed, "own_bytes": own_bytes}


def _plain_epoch(found: Mapping[str, Any]) -> dict[str, Any]:
    return {**found, "loss": as_number(found["loss"], "the loss that `train_epoch` returns")}


def _plain_accuracy(found: Mapping[str, Any]) -> dict[str, Any]:
    return {**found, "given": as_number(found["given"], "what `accuracy` returns")}


def plain_training(seen: Mapping[str, Any]) -> dict[str, Any]:
    """What a rank's ``train`` returned, as plain values; AnswerError where it cannot be."""
    given = seen["given"]
    found = items(given) if isinstance(given, (tuple, list)) else []
    if len(found) != 2:
        raise AnswerError(
            f"`train` should return two things, the state and the losses, got {describe(given)}"
        )
    state, losses = found[0], items(found[1], "the losses of `train`")
    plain = [as_number(one, f"loss {at} of `train`") for at, one in enumerate(losses)]
    return {
        "state": plain_state(state),
        "losses": numbers(plain, len(plain)),
        "drawn": seen["drawn"],
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
        for name, value in entries(state).items()
    }


PLAY = Play(
    (
        Answer("train_epoch", signature=("ddp", "optimizer", "batches", "every")),
        Answer("train", signature=("model", "data", "epochs", "batch", "every", "optimizer_for")),
        Answer("accuracy", signature=("model", "data", "batch")),
    ),
    play_torch_ddp,
    time_limit_s=90.0,
    launches=True,
    observes="messages between ranks, and a model's steps",
)
