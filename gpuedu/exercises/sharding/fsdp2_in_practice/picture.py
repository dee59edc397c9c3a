"""fsdp2-in-practice: which weights are whole while two real ranks train."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import number, numbers
from gpuedu.exercises.ranks.launching import launch_ranks
from gpuedu.exercises.sharding.fsdp2_in_practice.blocks_model import (
    BlocksSpec,
    build_blocks,
    shapes_in,
)
from gpuedu.exercises.sharding.fsdp2_in_practice.real_units import run_units
from gpuedu.exercises.sharding.fsdp2_in_practice.wrapping import (
    WHOLE,
    RefusedError,
    Wrapped,
    Wrapping,
    unit_of,
)
from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts

_SPEC = BlocksSpec(words=12, width=6, hidden=(10, 10, 10))
_KINDS = ("the model's unit", "other units", "in no unit")
_ROUNDING = 1e-9
_REMEDY = "`check` says which units you have, and which parameters are in none."


def draw_units(
    shard: Callable[..., Any],
    messages: Callable[..., Any] | None = None,
    peak: Callable[..., Any] | None = None,
) -> Any:
    """Bars of the weights that are whole, from block to block and back; their prediction a line."""
    (found,) = launch_ranks(run_units, 2, [shard], _SPEC).results[0]
    if "failed" in found:
        raise AnswerError(_failure(shard, found["failed"]), remedy=_REMEDY)
    rows = _rows(found)
    there = 1 + max(at for _, *own in rows for at, count in enumerate(own) if count)
    bars = [Parts(name, dict(zip(_KINDS[:there], own, strict=False))) for name, *own in rows]
    most = max(bar.total for bar in bars)
    bars = [Parts(bar.name, bar.parts, f"{bar.total:g}") for bar in bars]
    total = sum(map(math.prod, shapes_in(build_blocks(_SPEC)).values()))
    units = _units(shard)
    lines, said = [("the whole model", float(total))], ""
    if peak is not None:
        told = number(peak(list(units)), "the result of `peak`")
        lines.append((f"your `peak`: {told:g}", float(told)))
    counts = len(found["gathers"]), len(found["reductions"])
    if messages is not None:
        mine = numbers(messages(list(units)), 2, "the result of `messages`")
        said = f" (your `messages`: {mine[0]:g} and {mine[1]:g})"
    dtypes = " and ".join(
        f"{kind} in {', '.join(sorted({dtype for _, dtype in found[name]}))}"
        for kind, name in (("gathered", "gathers"), ("summed", "reductions"))
    )
    off = found["off"]
    same = "as in one process" if off < _ROUNDING else f"off by {off:.2g}"
    if not math.isfinite(off):
        same = "not trained, as gradients of two dtypes can't be clipped"
    caption = Caption(
        title=_title(counts, most, max(own[2] for _, *own in rows)),
        x="weights that are whole",
        source=f"Counted on two real processes, gloo{said}; {dtypes}.\n"
        f"In a second run, in float64 with AdamW and clipping, the weights are {same}.",
        alt=f"Whole weights by module: {'; '.join(f'{bar.name} {bar.text}' for bar in bars)}. "
        f"{_said(counts)}{said}, {dtypes}; in "
        f"float64 the weights are {same}. Of {total} weights at most {most:g} are whole at once.",
    )
    return plot_parts(bars, lines, caption=caption, row_in=0.36)


def _failure(shard: Callable[..., Any], told: str) -> str:
    """Why PyTorch fails, in the words of ``check`` where it knows."""
    model = build_blocks(_SPEC)
    noting = Wrapping(model)
    try:
        shard(model, noting.fully_shard)
    except RefusedError as fault:
        return f"{fault.message}, so PyTorch refuses it"
    left = [name for name in shapes_in(model) if not unit_of(name, noting.calls)]
    return f"`{left[0]}` is in no unit, and PyTorch fails" if left else f"PyTorch fails: {told}"


def _title(counts: Sequence[int], most: float, alone: int) -> str:
    if alone:
        return f"{alone} weights are in no unit: nobody sums their gradients"
    return f"{_said(counts)}; at most {most:g} weights are whole"


def _said(counts: Sequence[int]) -> str:
    kinds = zip(counts, ("all-gather", "reduce-scatter"), strict=True)
    return ", ".join(f"{count} {kind}{'s' * (count != 1)}" for count, kind in kinds)


def _rows(found: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The largest moment of the embedding, each block, and the head, in each direction."""
    rows: dict[str, tuple[Any, ...]] = {}
    for name, *counts in found["moments"]:
        way, module = name.split(" ")
        parts = module.split(".")
        place = f"block {parts[1]}" if parts[0] == "blocks" else module
        key = f"{way}, {place}"
        if place != "norm" and sum(counts) > sum(rows.get(key, ("", -1))[1:]):
            rows[key] = (key, *counts)
    return list(rows.values())


def _units(shard: Callable[..., Any]) -> Sequence[tuple[int, bool]]:
    """What the calls make, as `messages` and `peak` want it."""
    model = build_blocks(_SPEC)
    noting = Wrapping(model)
    shard(model, noting.fully_shard)
    sizes = {name: math.prod(shape) for name, shape in shapes_in(model).items()}
    found: list[tuple[int, bool]] = []
    outer = [(0, False)]
    for call in noting.calls:
        own = [n for name, n in sizes.items() if unit_of(name, noting.calls) == call.module]
        unit = sum(own), _is_freed(call)
        if call.module == WHOLE:
            outer = [unit]
        else:
            found.append(unit)
    return [*outer, *found]


def _is_freed(call: Wrapped) -> bool:
    return call.module != WHOLE if call.reshard is None else call.reshard


PICTURE = draw_units
