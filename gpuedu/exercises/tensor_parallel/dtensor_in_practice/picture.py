"""dtensor-in-practice: how two real ranks share a block by a plan, and what they send."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpuedu.exercises.ranks.launching import launch_ranks
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.plans import (
    LINEARS,
    MODULES,
    NORMS,
    plain_plan,
    plan_of,
)
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.real_block import (
    HIDDEN,
    TOKENS,
    WIDTH,
    run_plans,
)
from gpuedu.figures.caption import Caption
from gpuedu.figures.placements import PlacedMatrix, plot_placements

_ROUNDING = 1e-9
_WIDTHS = {TOKENS * WIDTH: f"{TOKENS} x {WIDTH}", TOKENS * HIDDEN: f"{TOKENS} x {HIDDEN}"}
_WHOLE = "on every rank"
_LONGEST = 84


def draw_plan(plan: Callable[..., Any], tokens: bool = False) -> Any:
    """A forward and a backward pass by a plan; with ``tokens``, each rank has some of them."""
    found_plan = plan_of(plan(), getattr(plan, "__name__", "the plan"))
    launched = launch_ranks(run_plans, 2, [(plain_plan(found_plan), tokens)])
    per_rank = [one[0] for one in launched.results]
    found = per_rank[0]
    order = [name for name in MODULES if name in (*LINEARS, *NORMS)]
    order.sort(key=lambda name: (name in ("norm2", "mlp.up", "mlp.down"), name not in NORMS))
    rows = [_row(name, found) for name in order]
    lists = [(f"sent {way}, in order", _told(found.get(way))) for way in ("forward", "backward")]
    title = _title(per_rank)
    told = "; ".join(f"{name}: {', '.join(texts) or 'nothing'}" for name, texts in lists)
    shown = ", ".join(f"{row.name} {row.placement}" for row in rows)
    caption = Caption(
        title=title,
        source=f"Counted on two real processes, gloo: {TOKENS} tokens, width {WIDTH}, hidden width "
        f"{HIDDEN}.\nA weight is (outputs, inputs): Shard(0) cuts its rows, which are the "
        "product's columns.",
        alt=f"{title.rstrip('.')}. Weights: {shown}. {told}.",
    )
    return plot_placements(rows, lists, caption=caption)


def _row(name: str, found: Mapping[str, Any]) -> PlacedMatrix:
    placement = found["weights"].get(f"{name}.weight", _WHOLE)
    return PlacedMatrix(name, placement, placement == _WHOLE and name in LINEARS)


def _told(messages: Sequence[tuple[str, int]] | None) -> list[str]:
    if messages is None:
        return ["not done"]
    return [f"{kind} {_WIDTHS.get(numbers, numbers)}" for kind, numbers in messages]


def _title(per_rank: list[Mapping[str, Any]]) -> str:
    failed = [one["failed"] for one in per_rank if "failed" in one]
    if failed:
        said = f"PyTorch fails: {failed[0].rstrip('.')}"
        return said if len(said) < _LONGEST else f"{said[:_LONGEST]} ..."
    off = max(one["off"] for one in per_rank)
    if off < _ROUNDING:
        count = sum(len(per_rank[0][way]) for way in ("forward", "backward"))
        return f"Output and all gradients are those of the whole block; {count} messages"
    return f"Wrong: output or gradients are off by {off:.2g}"


PICTURE = draw_plan
