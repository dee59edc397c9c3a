"""scan: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.cooperation.block_work import rounds_of
from gpuedu.exercises.kernels.launching import observe, run_kernel
from gpuedu.exercises.kernels.sightings import read_sightings, sightings_of
from gpuedu.exercises.kernels.traffic import shared_traffic
from gpuedu.trace import Trace

_SPARE_TURNS = 50
_LATER = ("in the second launch, on `totals`, ", "in the third launch, ")


def play_scan(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The three launches of a scan: blocks, their totals, and what comes before each block.

    ``scanned`` and ``totals`` are what the first launch leaves, ``out`` is the array at the end.
    ``sightings`` are those of the first launch, ``later.sightings`` those of the others; so are
    ``rounds`` and, of the third launch, ``last rounds``.
    """
    scan_block, add_before = answers
    x, out, blocks, threads = (inputs[name] for name in ("x", "out", "grid", "block"))
    totals, upto = inputs["totals"], np.zeros_like(inputs["totals"])
    # One thread that walks over its block is slow, not endless.
    watch = {"watch": range(blocks), "max_turns": threads + _SPARE_TURNS}
    first = run_kernel(scan_block, blocks, threads, x, out, totals, **watch)
    scanned, block_totals = out.copy(), totals.copy()
    # What never comes to its end would not do so in a second launch, and takes its time.
    rest = _join_blocks(scan_block, add_before, inputs, totals, upto) if first.complete else []
    return {
        **observe(first, {"x": x, "out": out, "upto": upto}),
        **rounds_of(first),
        **{f"last {name}": value for name, value in rounds_of(rest[-1] if rest else first).items()},
        "shared.traffic": shared_traffic(first),
        "scanned": scanned,
        "totals": block_totals,
        "later.sightings": [
            seen
            for trace, launch in zip(rest, _LATER, strict=False)
            for seen in _told(trace, launch)
        ],
        "complete": all(trace.complete for trace in (first, *rest)),
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
    spare, blocks, threads = np.zeros(1, totals.dtype), inputs["grid"], inputs["block"]
    turns = threads + _SPARE_TURNS
    return [
        run_kernel(scan_block, 1, threads, totals, upto, spare, max_turns=turns),
        run_kernel(add_before, blocks, threads, upto, inputs["out"], watch=range(blocks)),
    ]


PLAY = Play(
    (
        Answer("scan_block", signature=("x", "out", "totals")),
        Answer("add_before", signature=("upto", "out")),
    ),
    play_scan,
    time_limit_s=30.0,
    on_machine=True,
)
