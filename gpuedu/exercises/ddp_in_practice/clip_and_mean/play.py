"""clip-and-mean: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.plain import describe, items
from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.exercises.training.tensors import as_array, as_number
from gpuedu.exercises.training.unwritten import unwritten_is_nan


def _run(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """By rank, what one of the three functions gave; and how many collectives a rank called."""
    finish, mean_loss, moments = answers
    kept = True
    with unwritten_is_nan():
        if inputs["ask"] == "finish":
            run, observed = run_finish(finish, inputs)
        elif inputs["ask"] == "mean_loss":
            run, observed, kept = _run_mean_loss(mean_loss, inputs)
        else:
            rows = [torch.tensor(part) for part in inputs["parts"]]
            run, observed = _run_moments(moments, rows, seed=inputs["seed"])
            kept = _are_kept(rows, inputs["parts"])
    calls = [sum(one.rank == rank for one in run.exchanges) for rank in range(len(run.results))]
    kinds = sorted({one.kind for one in run.exchanges})
    return {"ranks": observed, "calls": calls, "kinds": kinds, "kept": kept}


def _are_kept(tensors: Sequence[torch.Tensor], planted: Sequence[Any]) -> bool:
    """Whether tensors still hold what they were made of."""
    pairs = zip(tensors, planted, strict=True)
    return all(np.array_equal(one.detach().numpy(), own, equal_nan=True) for one, own in pairs)


def planted_model(gradients: Sequence[np.ndarray | None]) -> nn.Module:
    """A model whose parameters are zeros, in float64, with these gradients; None is none."""
    model, shapes = nn.Module(), [(2,) if one is None else one.shape for one in gradients]
    for place, (shape, gradient) in enumerate(zip(shapes, gradients, strict=True)):
        p = nn.Parameter(torch.zeros(shape, dtype=torch.float64))
        p.grad = None if gradient is None else torch.tensor(gradient, dtype=torch.float64)
        model.register_parameter(f"p{place}", p)
    return model


def run_finish(finish: Any, inputs: Inputs) -> tuple[Ranked, list[dict[str, Any]]]:
    """``finish`` on ranks with planted gradients; by rank, gradients behind it, and what it gave.

    ``inputs`` has ``gradients`` by rank and parameter, ``max_norm`` and ``seed``.
    """
    models = [planted_model(one) for one in inputs["gradients"]]

    def body(rank: int) -> Any:
        given = finish(models[rank], inputs["max_norm"])
        return [p.grad for p in models[rank].parameters()], given

    run = run_ranks(body, len(models), [finish], seed=inputs["seed"])
    observed = [
        {
            "gradients": _plain_gradients(gradients, wanted),
            "norm": as_number(given, "what `finish` returns"),
        }
        for (gradients, given), wanted in zip(run.results, inputs["gradients"], strict=True)
    ]
    return run, observed


def _plain_gradients(gradients: Sequence[Any], wanted: Sequence[Any]) -> list[Any]:
    """Arrays; None where a parameter has none, or got one of zeros."""
    plain: list[Any] = []
    for place, (mine, planted) in enumerate(zip(gradients, wanted, strict=True)):
        if mine is None:
            plain.append(None)
        elif planted is None:
            plain.append(as_array(mine, (2,), f"`p{place}.grad`"))
        else:
            plain.append(as_array(mine, planted.shape, f"`p{place}.grad`"))
    return plain


def _run_mean_loss(mean_loss: Any, inputs: Inputs) -> tuple[Ranked, list[float], bool]:
    losses = [torch.tensor(one, dtype=torch.float32) for one in inputs["losses"]]

    def body(rank: int) -> Any:
        return mean_loss(losses[rank], inputs["samples"][rank])

    run = run_ranks(body, len(losses), [mean_loss], seed=inputs["seed"])
    kept = _are_kept(losses, np.array(inputs["losses"], dtype=np.float32))
    return run, [as_number(one, "what `mean_loss` returns") for one in run.results], kept


def run_moments(
    moments: Any, parts: Sequence[np.ndarray], *, seed: int = 0
) -> tuple[Ranked, list[list[np.ndarray]]]:
    """``moments`` on ranks with these rows; by rank, the mean and the variance it gave."""
    return _run_moments(moments, [torch.tensor(part) for part in parts], seed=seed)


def _run_moments(
    moments: Any, rows: Sequence[torch.Tensor], *, seed: int
) -> tuple[Ranked, list[list[np.ndarray]]]:
    run = run_ranks(lambda rank: moments(rows[rank]), len(rows), [moments], seed=seed)
    return run, [_plain_moments(given, rows[0].shape[1]) for given in run.results]


def _plain_moments(given: Any, columns: int) -> list[np.ndarray]:
    found = items(given) if isinstance(given, (tuple, list)) else []
    if len(found) != 2:
        told = describe(given)
        raise AnswerError(f"`moments` should return two tensors, mean and variance, got {told}")
    names = "the mean of `moments`", "the variance of `moments`"
    return [as_array(one, (columns,), name) for one, name in zip(found, names, strict=True)]


PLAY = Play(
    (
        Answer("finish", signature=("model", "max_norm")),
        Answer("mean_loss", signature=("loss", "samples")),
        Answer("moments", signature=("x",)),
    ),
    _run,
    time_limit_s=30.0,
)
