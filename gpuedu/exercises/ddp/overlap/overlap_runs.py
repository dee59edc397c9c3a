"""A learner's overlapped exchange at work: training steps on light ranks, on a simulated clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.ddp.overlap.layered import Plan, apply_sgd, compute_loss, make_parameters
from gpuedu.exercises.plain import describe
from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.exercises.training.tensors import as_array
from gpuedu.multi.network import Cluster, Link


def cluster_of(ranks: int, latency_s: float, bytes_per_s: float) -> Cluster:
    """Ranks side by side on a made-up network."""
    return Cluster(ranks, Link("made up", latency_s, bytes_per_s))


def train_overlapped(
    attach: Callable[..., Any],
    plan: Plan,
    buckets: Sequence[Sequence[int]],
    cluster: Cluster,
    seed: int | None = None,
) -> Ranked:
    """Train by the plan; ``results`` are each rank's gradients by step, after ``finish``.

    Args:
        attach: the learner's: gets the buckets, registers hooks, and returns ``finish``.
        plan: what is trained.
        buckets: places of the parameters, by bucket.
        cluster: the ranks and their network.
        seed: of the order of ranks that could go on at the same instant.
    """

    def body(rank: int) -> list[list[Any]]:
        parameters = make_parameters(plan)
        finish = attach([[parameters[place] for place in bucket] for bucket in buckets])
        if not callable(finish):
            raise AnswerError(
                f"attach should return the function `finish`, got {describe(finish)}",
                remedy="Define `finish` inside `attach`, and return it without calling it.",
            )
        found = []
        for step in range(plan.steps):
            for one in parameters:
                one.grad = None
            compute_loss(parameters, plan, rank, step).backward()
            finish()
            found.append([_read(one, place) for place, one in enumerate(parameters)])
            apply_sgd(parameters, plan)
        return found

    return run_ranks(body, plan.ranks, [attach], cluster=cluster, seed=seed)


def _read(one: Any, place: int) -> Any:
    name = f"the gradient of parameter {place}"
    return None if one.grad is None else as_array(one.grad, tuple(one.shape), name)


def plan_of(inputs: Mapping[str, Any]) -> Plan:
    """The plan that the inputs of a case tell."""
    routes = tuple(tuple(tuple(route) for route in step) for step in inputs["routes"])
    widths, times_s = tuple(inputs["widths"]), tuple(inputs["times_s"])
    return Plan(widths, times_s, routes, inputs["ranks"], inputs["seed"])
