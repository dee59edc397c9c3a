"""dtensor-in-practice: how two real ranks share a block by a plan, and what they send."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe
from gpuedu.exercises.ranks.launching import launch_ranks
from gpuedu.exercises.tensor_parallel.dtensor_in_practice.plans import (
    LINEARS,
    MODULES,
    NORMS,
    ROWS,
    Style,
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
from gpuedu.figures.placements import PLAIN, PlacedMatrix, plot_placements

_RANKS, _CHARACTERS = 2, 52


def draw_plan(plan: Callable[..., Any], tokens: bool = False) -> Any:
    """A forward and a backward pass by a plan; with ``tokens``, each rank has some of them."""
    found_plan = plan_given_by(plan)
    launched = launch_ranks(run_plans, _RANKS, [(plain_plan(found_plan), tokens)])
    per_rank = [one[0] for one in launched.results]
    found = per_rank[0]
    order = [name for name in MODULES if name in (*LINEARS, *NORMS)]
    order.sort(key=lambda name: (name in ("norm2", "mlp.up", "mlp.down"), name not in NORMS))
    rows = [_row(name, found) for name in order]
    lists = [(f"sent {way}", _told(found[way])) for way in ("forward", "backward") if way in found]
    failed = next((one["failed"] for one in per_rank if "failed" in one), "")
    if failed:
        lists = [("PyTorch says", textwrap.wrap(failed, _CHARACTERS))]
    title = _title(per_rank, failed)
    if (failed or "Wrong" in title) and not tokens and _is_for_tokens(found_plan):
        title += ". With tokens cut, add `True`"
    each = f"{TOKENS // _RANKS} of {TOKENS}" if tokens else f"all {TOKENS}"
    told = "; ".join(f"{name}: {' '.join(texts)}" for name, texts in lists)
    shown = ", ".join(f"{row.name} {row.placement}" for row in rows)
    caption = Caption(
        title=title,
        source=f"Two real processes, gloo; each has {each} tokens. Width {WIDTH}, "
        f"hidden width {HIDDEN}. Messages in their order, each\nwith the shape of the whole "
        "tensor. A weight is (outputs, inputs): Shard(0) cuts its rows, the product's columns.",
        alt=f"{title.rstrip('.')}. Weights: {shown}. {told.rstrip('.')}.",
    )
    return plot_placements(rows, lists, caption=caption)


def plan_given_by(plan: Any) -> dict[str, Style]:
    """The plan that a learner's function returns; AnswerError where it is none."""
    if not callable(plan):
        raise AnswerError(
            f"`see` got {describe(plan)} where it wants a function that returns a plan",
            remedy="Hand over the function itself, without parentheses.",
        )
    return plan_of(plan(), getattr(plan, "__name__", "the plan"))


def _is_for_tokens(plan: Mapping[str, Style]) -> bool:
    return any(ROWS in one or one.kind == "sequence" for one in plan.values())


def _row(name: str, found: Mapping[str, Any]) -> PlacedMatrix:
    placement = found["weights"].get(f"{name}.weight", PLAIN)
    return PlacedMatrix(name, placement, placement == PLAIN and name in LINEARS)


def _told(messages: Sequence[tuple[str, int]]) -> list[str]:
    told = [f"{kind} {_shape(numbers)}" for kind, numbers in messages]
    return [f"{place}. {text}" for place, text in enumerate(told, start=1)] or ["nothing"]


def _shape(numbers: int) -> str:
    """Of the whole tensor, whose rows are tokens."""
    width = HIDDEN if numbers == TOKENS * HIDDEN else WIDTH
    return f"{numbers // width} x {width}" if numbers % width == 0 else str(numbers)


def _title(per_rank: Sequence[Mapping[str, Any]], failed: str) -> str:
    if failed:
        return "PyTorch fails"
    worst = max(per_rank, key=lambda one: one["off"])
    if worst["where"]:
        return f"Wrong: {worst['where']} is off by {worst['off']:.2g}"
    count = sum(len(per_rank[0][way]) for way in ("forward", "backward"))
    return f"Output and all gradients are those of the whole block; {count} messages"


PICTURE = draw_plan
