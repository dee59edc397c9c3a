"""The play of a matmul kernel: what is observed of a launch beside its results."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

from gpuedu.exercises.contract import Play
from gpuedu.exercises.kernels.launches import launch_play
from gpuedu.exercises.kernels.launching import MAX_TURNS
from gpuedu.exercises.kernels.traffic import loads_by_block
from gpuedu.exercises.tiling.precision import float64_lines, trace_flop
from gpuedu.trace import Trace


def matmul_play(call: str, *, with_tiles: bool = True) -> Play:
    """The play of a kernel of ``(a, b, c)``; see ``launch_play``.

    It observes the operations in floating point and the lines that do them in float64 as well, and
    ``with_tiles`` what each block loads, and the traffic in shared memory.
    """
    return launch_play(
        call,
        writes=("c",),
        counts=("a", "b", "c"),
        counts_shared=with_tiles,
        also=partial(_account, with_tiles=with_tiles),
        keep="accesses" if with_tiles else "writes",
        max_turns=MAX_TURNS,
        time_limit_s=30.0,
    )


def _account(trace: Trace, *, with_tiles: bool) -> dict[str, Any]:
    a, b = (argument.shape for argument in trace.launch.arguments[:2])
    found = {"flop": int(trace_flop(trace)), "float64_lines": float64_lines(trace, a[1])}
    if with_tiles:
        found["a_loads"] = loads_by_block(trace, 0, prod(a))
        found["b_loads"] = loads_by_block(trace, 1, prod(b))
    return found
