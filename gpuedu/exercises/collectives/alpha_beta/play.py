"""alpha-beta: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.collectives.play_costs import LINK
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.plain import items, number, numbers
from gpuedu.exercises.training.tensors import as_number


def play_alpha_beta(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """A time, a fitted link, or two bandwidths."""
    ring_s, fit_ring, bandwidths = answers
    ranks = inputs["ranks"]
    if inputs["ask"] == "time":
        got = ring_s(ranks, inputs["size_bytes"], inputs["alpha_s"], inputs["bytes_per_s"])
        return {"got": number(got, "ring_s' result")}
    if inputs["ask"] == "fit":
        sizes, times = np.array(inputs["sizes_bytes"], float), np.array(inputs["times_s"], float)
        with left_as_given("fit_ring", sizes_bytes=sizes, times_s=times):
            found = fit_ring(ranks, sizes, times)
        # Apart, as beside the rate alpha is next to nothing.
        name = "fit_ring's result"
        alpha_s, rate = numbers([_bare(one) for one in items(found, name, "2 numbers")], 2, name)
        return {"alpha_s": alpha_s, "bytes_per_s": rate}
    got = bandwidths(ranks, inputs["size_bytes"], inputs["time_s"])
    return {"got": numbers(got, 2, "bandwidths' result")}


def _bare(value: Any) -> Any:
    """The number in a tensor of one; anything else as it is."""
    return as_number(value) if hasattr(value, "detach") else value


PLAY = Play(
    (
        Answer("ring_s", signature=("ranks", "size_bytes", *LINK)),
        Answer("fit_ring", signature=("ranks", "sizes_bytes", "times_s")),
        Answer("bandwidths", signature=("ranks", "size_bytes", "time_s")),
    ),
    play_alpha_beta,
)
