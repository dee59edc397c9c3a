"""Gradients after an exchange of buckets: the mean of all ranks, or which known mistake."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Fault
from gpuedu.exercises.ddp.buckets.planted import planted_gradients

_EPS = {"float32": 2.0**-23, "bfloat16": 2.0**-7}
Grads = Sequence[Sequence[Any]]


def mean_fault(prop: str, inputs: Mapping[str, Any], got: Grads) -> Iterable[Fault]:
    """The first gradient of the first rank that is not the mean.

    Gradients are whole numbers, whose sums are exact in every type; the division by the number of
    ranks is rounded once, or each part of the sum once: at most eps times the sum of magnitudes.
    """
    own = local_gradients(inputs)
    ranks = len(own)
    for rank in range(ranks):
        for place, name in enumerate(inputs["types"]):
            parts = [one[place] for one in own]
            where = f"on rank {rank}, the gradient of `params[{place}]`"
            if got[rank][place] is None:
                why = "Which of the ranks has one decides nothing: the mean is for all of them."
                yield Fault(prop, f"{where} is None", why)
                return
            expected = sum(parts) / ranks
            allowed = 2 * _EPS[name] * sum(np.abs(one) for one in parts) / ranks
            cause = _cause(got[rank][place], parts, rank)
            faults = array_fault(
                prop, got[rank][place], expected, tolerance=allowed, name="grad", cause=cause
            )
            for fault in faults:
                yield Fault(prop, f"{where}: {fault.message}", fault.cause)
                return


def local_gradients(inputs: Mapping[str, Any]) -> list[list[np.ndarray]]:
    """What each rank brings, zeros where it has none."""
    found = []
    for rank in range(inputs["ranks"]):
        own = planted_gradients(inputs["shapes"], rank, inputs["seed"])
        missing = inputs["missing"][rank] if rank < len(inputs["missing"]) else ()
        for place in missing:
            own[place][:] = 0
        found.append(own)
    return found


def _cause(got: np.ndarray, parts: Sequence[np.ndarray], rank: int) -> str:
    total, ranks = sum(parts), len(parts)
    known = {
        "It is the sum over the ranks. What makes a mean of it?": total,
        "It is the rank's own gradient, unchanged. Is the result copied back into `p.grad`?": parts[
            rank
        ],
        "It is the rank's own gradient over the number of ranks: what was divided?": parts[rank]
        / ranks,
        "It was divided by the number of ranks twice.": total / ranks**2,
    }
    for says, theirs in known.items():
        if theirs.any() and np.allclose(got, theirs, rtol=0.02, atol=0.02):
            return says
    return "Does each part go back to the parameter that it came from, in its shape?"
