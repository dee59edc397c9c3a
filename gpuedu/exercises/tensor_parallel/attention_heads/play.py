"""attention-heads: beside the learner's code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import items, whole_number
from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.exercises.ranks.twice import play_twice
from gpuedu.exercises.tensor_parallel.failures import with_failures
from gpuedu.exercises.training.tensors import as_array

HEADS, COPIES, LOSS = "heads", "copies", "loss"
"""Which of the functions a case asks for."""
_MOST_HEADS = 1_000
"""In a list; no case has nearly as many."""


def play_attention_heads(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What the function of a case gave on every rank, and how many bytes each rank handed over.

    - ``heads``: by rank, its query heads and its key-value heads;
    - ``totals``: by rank, the gradients of its key-value heads; not there where ``heads_of``,
      which may be called for them, gives other heads than these gradients are of;
    - ``losses``: by rank; ``gradients``: all ranks' slices, side by side.
    """
    heads_of, add_copies, cross_entropy = answers
    if inputs["asks"] in (HEADS, COPIES):
        heads = [call_heads_of(heads_of, rank, inputs) for rank in range(inputs["ranks"])]
        if inputs["asks"] == HEADS or [keys for _, keys in heads] != inputs["held"]:
            return {"heads": heads}
        run = _sum_copies(add_copies, inputs)
        return {"totals": list(run.results), "handed_bytes": handed_bytes(run, inputs["ranks"])}
    run = _find_losses(cross_entropy, inputs)
    return {
        "losses": np.stack([losses for losses, _ in run.results]),
        "gradients": np.concatenate([slices for _, slices in run.results], axis=1),
        "handed_bytes": handed_bytes(run, inputs["ranks"]),
    }


def call_heads_of(heads_of: Callable[..., Any], rank: int, inputs: Inputs) -> list[list[int]]:
    """A rank's query heads and key-value heads, as plain lists."""
    given = heads_of(rank, inputs["ranks"], inputs["heads"], inputs["kv_heads"])
    both = items(given, "the result of `heads_of`", "two lists")
    if len(both) != 2:
        raise AnswerError(f"`heads_of` should return two lists, got {len(both)} items")
    found = []
    for place, (some, kind) in enumerate(zip(both, ("heads", "kv_heads"), strict=True), 1):
        name = f"list {place} of `heads_of`"
        heads = items(some, name)
        if len(heads) > _MOST_HEADS:
            raise AnswerError(f"{name} has {len(heads):,} heads, and there are {inputs[kind]}")
        found.append([whole_number(one, f"a head in {name}") for one in heads])
    return found


def handed_bytes(run: Ranked, ranks: int) -> list[int]:
    """What each rank handed to collectives and sends, all together.

    Of a scatter that is what its root sends to the others: its list is no tensor with a size.
    """
    found = [0] * ranks
    for one in run.exchanges:
        if one.kind != "recv":
            found[one.rank] += one.wire_bytes if one.kind == "scatter" else one.size_bytes
    return found


def _sum_copies(add_copies: Callable[..., Any], inputs: Inputs) -> Ranked:
    def body(rank: int) -> np.ndarray:
        gradient = torch.tensor(inputs["gradients"][rank])
        total = add_copies(gradient, inputs["heads"], inputs["kv_heads"])
        return as_array(total, gradient.shape, "what `add_copies` returned", "float64")

    return run_ranks(body, inputs["ranks"], [add_copies], seed=inputs["seed"])


def _find_losses(cross_entropy: Callable[..., Any], inputs: Inputs) -> Ranked:
    scores = torch.tensor(inputs["scores"])
    each = scores.shape[1] // inputs["ranks"]

    def body(rank: int) -> tuple[np.ndarray, np.ndarray]:
        mine = scores[:, rank * each : (rank + 1) * each].clone()
        targets = torch.tensor(inputs["targets"])
        given = cross_entropy(mine, targets, rank * each, inputs["vocabulary"])
        both = items(given, "the result of `parallel_cross_entropy`", "losses and a gradient")
        if len(both) != 2:
            raise AnswerError(f"`parallel_cross_entropy` should return two, got {len(both)} items")
        losses = as_array(both[0], targets.shape, "the losses", "float64")
        return losses, as_array(both[1], mine.shape, "the gradient", "float64")

    return run_ranks(body, inputs["ranks"], [cross_entropy], seed=inputs["seed"])


PLAY = Play(
    (
        Answer("heads_of", signature=("rank", "ranks", "heads", "kv_heads")),
        Answer("add_copies", signature=("gradient", "heads", "kv_heads")),
        Answer("parallel_cross_entropy", signature=("scores", "targets", "first", "vocabulary")),
    ),
    with_failures(play_twice(play_attention_heads)),
    time_limit_s=30.0,
)
