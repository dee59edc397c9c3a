"""paged-cache: its pictures, of a memory that three texts share, and of waste by size of blocks."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import numbers
from gpuedu.exercises.serving.paged_cache.blocks import new_state, operate, read_state, told
from gpuedu.figures import style
from gpuedu.figures.block_rows import BlockRow, HeldBlock, plot_block_rows
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, plot_curves

_BLOCKS, _SIZE = 8, 4
_A, _B, _C = (("append", name) for name in "ABC")
MOMENTS = (
    ("A has 10 tokens", [_A] * 10),
    ("B and C fork from A", [("fork", "A", "B"), ("fork", "A", "C")]),
    ("each of them writes a token", [_A, _B, _C]),
    ("A ends, B writes 3 more", [("release", "A"), _B, _B, _B]),
)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048)
_TICKS = _SIZES[2::2]
_LONGEST = 2048


def draw_memory(
    append: Callable[..., Any], fork: Callable[..., Any], release: Callable[..., Any]
) -> Any:
    """The blocks after each of a few operations, by the learner's functions."""
    functions = {"append": append, "fork": fork, "release": release}
    state, rows = new_state(_BLOCKS, _SIZE), []
    for says, operations in MOMENTS:
        for operation in operations:
            operate(functions, state, operation)
            seen = read_state(state, told(operation))
        rows.append(_row(says, seen, rows[-1].held if rows else {}))
    alone = "; ".join(f"{row.says}: {_alt(row)}" for row in rows)
    caption = Caption(
        title=f"A memory of {_BLOCKS} blocks for {_SIZE} tokens each",
        source="By your functions. Left above a block: its number; right: who holds it.",
        alt=f"A row of blocks for each moment. {alone}.",
    )
    return plot_block_rows(rows, _BLOCKS, _SIZE, caption=caption)


def _row(says: str, state: Mapping[str, Any], earlier: Mapping[int, HeldBlock]) -> BlockRow:
    held: dict[int, HeldBlock] = {}
    for name, table in state["tables"].items():
        for at, block in enumerate(table):
            if not 0 <= block < _BLOCKS:
                raise AnswerError(f"the table of {name} has block {block}, and there are {_BLOCKS}")
            filled = max(0, min(_SIZE, state["lengths"].get(name, 0) - at * _SIZE))
            before = held.get(block, HeldBlock((), 0))
            holders = tuple(dict.fromkeys((*before.holders, name)))
            held[block] = HeldBlock(holders, max(before.filled, filled))
    tokens = sum(state["lengths"].values())
    return BlockRow(says, f"{_passed(earlier, held)}{len(held)} blocks for {tokens} tokens", held)


def _passed(before: Mapping[int, HeldBlock], held: Mapping[int, HeldBlock]) -> str:
    """Which block went from some texts to others since the moment before, in front of a note."""
    passed = [at for at in held if at in before and not {*before[at].holders} & {*held[at].holders}]
    if len(passed) > 1:
        return f"{len(passed)} blocks change hands; "
    names = ("".join(one[at].holders[:1]) for at in passed for one in (before, held))
    return f"block {passed[0]} goes from {' to '.join(names)}; " if passed else ""


def _alt(row: BlockRow) -> str:
    return ", ".join(
        f"block {block} of {' and '.join(one.holders)}" for block, one in sorted(row.held.items())
    )


def draw_waste(wasted_share: Callable[..., Any]) -> Any:
    """What share is wasted by the size of a block, and if the longest is reserved."""
    rng = np.random.default_rng(1)
    lengths = [int(one) for one in np.clip(rng.lognormal(5.0, 1.0, 400), 1, _LONGEST)]
    shares, contiguous = [], math.nan
    for size in _SIZES:
        found = wasted_share(list(lengths), size, _LONGEST)
        first, second = numbers(found, 2, "the result of `wasted_share`")
        contiguous, shares = 100 * first, [*shares, 100 * second]
    curve = Curve("in blocks", tuple(map(float, _SIZES)), tuple(shares), style.BLUE)
    level = Level("longest reserved", contiguous, style.ORANGE, at_left=True)
    mean = sum(lengths) / len(lengths)
    pairs = [f"{share:.2g}% with {size}" for size, share in zip(_SIZES, shares, strict=True)]
    caption = Caption(
        title="What a larger block wastes",
        x="tokens per block",
        y="% of the reserved memory",
        source=f"By your `wasted_share`, for 400 random texts of {mean:.0f} tokens on average, "
        f"{_LONGEST:,} at most.\nBoth axes are logarithmic{_unseen(shares)}.",
        alt=f"A curve over the size of blocks: {', '.join(pairs)}. A line: {contiguous:.2g}% if "
        "the longest is reserved.",
    )
    levels = [level] if contiguous > 0 else []
    ax = plot_curves([curve], levels, caption=caption)
    ax.set_xticks(_TICKS, [f"{size:,}" for size in _TICKS])
    return ax


def _unseen(shares: list[float]) -> str:
    """Which sizes waste nothing: a logarithmic axis has no 0."""
    sizes = [str(size) for size, share in zip(_SIZES, shares, strict=True) if share == 0]
    if not sizes:
        return ""
    if len(sizes) > 1:
        return f" and have no room for 0%, as with {len(sizes)} of these sizes"
    return f", so there's no point for blocks of {sizes[0]}, which waste 0%"


PICTURE = draw_memory
