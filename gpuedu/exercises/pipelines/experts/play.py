"""experts: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.pipelines.experts.layer import (
    Moe,
    call_route,
    run_layer,
    run_loss,
)
from gpuedu.exercises.ranks import run_ranks
from gpuedu.exercises.ranks.twice import play_twice
from gpuedu.multi.exchanges import wire_bytes

ROUTE, FORWARD, LOSS = "route", "forward", "loss"
"""Which of the functions a case asks for."""


def play_experts(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What the function of a case gave.

    - of ``route``: ``expert``, ``gate`` and ``kept`` of each token;
    - of ``moe_forward``: ``outputs`` by rank, ``bytes`` that all ranks send; and what ``route``
      said on each rank: ``experts``, ``gates``, ``kepts``;
    - of ``balance_loss``: ``losses`` by rank.
    """
    if inputs["asks"] == ROUTE:

        def body(rank: int) -> dict[str, np.ndarray]:
            return vars(call_route(answers[0], torch.tensor(inputs["logits"]), inputs["capacity"]))

        return dict(run_ranks(body, 1, answers).results[0])
    moe = Moe.of(inputs["moe"])
    if inputs["asks"] == LOSS:
        return {"losses": np.stack(run_loss(answers, moe, inputs["seed"]).results)}
    run = run_layer(answers, moe, inputs["seed"])
    ways, outputs = zip(*run.results, strict=True)
    named = {f"{name}s": [getattr(one, name) for one in ways] for name in vars(ways[0])}
    sent = wire_bytes(run.exchanges)
    return {**named, "outputs": list(outputs), "bytes": sent}


PLAY = Play(
    (
        Answer("route", signature=("logits", "capacity")),
        Answer("moe_forward", signature=("x", "logits", "capacity", "w1", "w2")),
        Answer("balance_loss", signature=("logits",)),
    ),
    play_twice(play_experts),
    time_limit_s=30.0,
)
