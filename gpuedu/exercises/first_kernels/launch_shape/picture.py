"""launch-shape: its picture."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gpuedu.exercises.plain import number
from gpuedu.figures.caption import Caption
from gpuedu.figures.kernels.warp_fill import plot_warp_fill

BLOCK_SIZES = tuple(range(1, 257))


def draw_launch_shape(
    blocks_for: Callable[..., Any], can_launch: Callable[..., Any], empty_lanes: Callable[..., Any]
) -> Any:
    """The share of lanes without a thread by the learner's function, for blocks of 1 to 256."""
    shares = [_empty_share(empty_lanes, size) for size in BLOCK_SIZES]
    named = {size: 100 * shares[size - 1] for size in (32, 33, 100, 256)}
    blocks = number(blocks_for(1_000_000, 256), "the number of blocks")
    caption = Caption(
        title="A block that doesn't fill its last warp wastes lanes",
        x="threads in a block (dots: multiples of 32)",
        y="lanes without a thread, %",
        source="Computed by your empty_lanes. By your blocks_for, a million elements take "
        f"{blocks:,.0f} blocks of 256 threads.",
        alt="Share of lanes without a thread by threads in a block: "
        + ", ".join(f"{share:.3g}% at {size}" for size, share in named.items())
        + ".",
    )
    return plot_warp_fill(BLOCK_SIZES, shares, caption=caption)


def _empty_share(empty_lanes: Callable[..., Any], size: int) -> float:
    empty = number(empty_lanes(size), "the number of lanes")
    lanes = size + empty
    return empty / lanes if lanes > 0 and math.isfinite(empty) else math.nan


PICTURE = draw_launch_shape
