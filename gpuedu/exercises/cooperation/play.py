"""Plays of the lesson cooperation: each launches the learner's kernels on one case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Play, on_machine
from gpuedu.exercises.cooperation.histogram_play import HISTOGRAM
from gpuedu.exercises.cooperation.races_play import FIND_THE_RACE
from gpuedu.exercises.cooperation.softmax_play import ROW_SOFTMAX
from gpuedu.exercises.cooperation.teams import observe_teams
from gpuedu.exercises.cooperation.twins import call_on_lanes
from gpuedu.exercises.kernels.launching import observe, run_kernel
from gpuedu.exercises.kernels.sightings import read_sightings, sightings_of
from gpuedu.exercises.kernels.traffic import shared_traffic
from gpuedu.trace import Trace

MAX_TURNS = 600
"""Turns of a loop; one thread that adds up a block of 256 takes 255."""

_SPARE_TURNS = 50
_LAUNCHES = ("", "in the second launch, on `totals`, ", "in the third launch, ")
Inputs = Mapping[str, Any]


def play_block_sum(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """``sums`` after one launch, and how the blocks' threads shared the work."""
    (block_sum,) = answers
    return _sum_blocks(block_sum, inputs)


def play_warp_sum(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """What one warp's lanes get from the device function, or ``sums`` after a launch."""
    warp_sum, sum_by_warps = answers
    if inputs["ask"] == "sums":
        return _sum_blocks(sum_by_warps, inputs)
    x = inputs["x"]
    got = np.full(x.size, np.nan)
    try:
        trace = run_kernel(call_on_lanes(warp_sum), 1, x.size, x, got)
    except AnswerError as fault:
        if f"`{call_on_lanes.__name__}`" not in fault.message:
            raise
        raise AnswerError(
            "a kernel that calls `warp_sum(value)` gets no number from it",
            remedy="Is a `return` missing? And is `@cuda.jit(device=True)` above `def`?",
        ) from None
    return {**observe(trace, {"got": got}), **observe_teams(trace)}


def _sum_blocks(kernel: Any, inputs: Inputs) -> dict[str, Any]:
    x, sums, blocks = inputs["x"], inputs["sums"], inputs["blocks"]
    watch = {"watch": range(blocks), "max_turns": MAX_TURNS}
    trace = run_kernel(kernel, blocks, inputs["threads"], x, sums, **watch)
    return {
        **observe(trace, {"x": x, "sums": sums}),
        **observe_teams(trace),
        "shared": shared_traffic(trace),
    }


def play_scan(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The three launches of a scan: blocks, their totals, and what comes before each block.

    ``scanned`` and ``totals`` are what the first launch leaves, ``out`` what stands at the end.
    Findings of all launches come together, those of the first first.
    """
    scan_block, add_before = answers
    x, out, blocks, threads = (inputs[name] for name in ("x", "out", "blocks", "threads"))
    totals, upto = inputs["totals"], np.zeros_like(inputs["totals"])
    # One thread that walks over its block is slow, not endless.
    watch = {"watch": range(blocks), "max_turns": threads + _SPARE_TURNS}
    first = run_kernel(scan_block, blocks, threads, x, out, totals, **watch)
    scanned, block_totals = out.copy(), totals.copy()
    # What never comes to its end would not do so in a second launch, and takes its time.
    rest = _join_blocks(scan_block, add_before, inputs, totals, upto) if first.complete else []
    launches = [first, *rest]
    return {
        **observe(first, {"x": x, "out": out, "upto": upto}),
        **observe_teams(first),
        "shared": shared_traffic(first),
        "scanned": scanned,
        "totals": block_totals,
        "sightings": [
            seen
            for trace, launch in zip(launches, _LAUNCHES, strict=False)
            for seen in _told(trace, launch)
        ],
        "complete": all(trace.complete for trace in launches),
    }


def _told(trace: Trace, launch: str) -> list[str]:
    """Findings of one of several launches, which say where the sizes of the case do not hold."""
    return [
        replace(seen, message=f"{launch}{seen.message}").as_plain()
        for seen in read_sightings(sightings_of(trace))
    ]


def _join_blocks(
    scan_block: Any, add_before: Any, inputs: Inputs, totals: np.ndarray, upto: np.ndarray
) -> list[Trace]:
    """The second launch scans the totals in one block, the third adds them."""
    spare, blocks, threads = np.zeros(1, totals.dtype), inputs["blocks"], inputs["threads"]
    turns = threads + _SPARE_TURNS
    return [
        run_kernel(scan_block, 1, threads, totals, upto, spare, max_turns=turns),
        run_kernel(add_before, blocks, threads, upto, inputs["out"], watch=range(blocks)),
    ]


PLAYS = on_machine(
    {
        "block-sum": Play(
            (Answer("block_sum", signature=("x", "sums")),), play_block_sum, time_limit_s=30.0
        ),
        "warp-sum": Play(
            (
                Answer("warp_sum", signature=("value",)),
                Answer("sum_by_warps", signature=("x", "sums")),
            ),
            play_warp_sum,
            time_limit_s=30.0,
        ),
        "histogram": HISTOGRAM,
        "find-the-race": FIND_THE_RACE,
        "row-softmax": ROW_SOFTMAX,
        "scan": Play(
            (
                Answer("scan_block", signature=("x", "out", "totals")),
                Answer("add_before", signature=("upto", "out")),
            ),
            play_scan,
            time_limit_s=30.0,
        ),
    }
)
