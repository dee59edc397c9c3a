"""plan: every plan by memory and time; the learner's, the fastest, and a published one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.pipelines.parallel_plans import (
    Cluster,
    Model,
    Plan,
    plain,
    why_impossible,
)
from gpuedu.exercises.pipelines.plan_answers import plan_of
from gpuedu.exercises.pipelines.plan_costs import fastest, fits, need_bytes, plans, step_s
from gpuedu.exercises.pipelines.plan_pictures import A100S, GPT_3, H100S, LLAMA, MEGATRON, META
from gpuedu.figures.caption import Caption
from gpuedu.figures.crowds import Mark, Spot, plot_crowd
from gpuedu.units import GB

_BEST = "is the fastest that fits"
_SHOWN = {
    "gpt-3": (GPT_3, A100S, MEGATRON, "Megatron-LM's", "GPT-3 on 1,536 A100s"),
    "llama-3": (LLAMA, H100S, META, "Meta's", "Llama 3 405B on 8,192 H100s"),
}


def draw_plans(best_plan: Callable[..., Any], name: str = "gpt-3") -> Any:
    """A point for each plan: bytes of a rank, and seconds of a step."""
    if name not in _SHOWN:
        raise AnswerError(f"there is no picture of {name!r}", remedy=f"One of {list(_SHOWN)}.")
    model, cluster, published, whose, title = _SHOWN[name]
    best, chosen = fastest(model, cluster), plan_of(best_plan(plain(model), plain(cluster)))
    assert best is not None
    is_best = _verdict(model, cluster, chosen, best) == _BEST
    marks = [
        _mark("fastest that fits", model, cluster, best),
        _mark("yours", model, cluster, chosen, is_wrong=not is_best),
        _mark(whose, model, cluster, published),
    ]
    spots = [_spot(model, cluster, one) for one in plans(model, cluster)]
    caption = Caption(
        title=f"{title}: yours {_verdict(model, cluster, chosen, best)}",
        x="GB on a rank in the first stage",
        y="seconds per step",
        source="Computed by the formulas of this exercise, not by yours: 8 GPUs in a node, half of "
        "the matrix peak.",
        alt=f"{len(spots):,} plans by memory and time. {'. '.join(one.name for one in marks)}.",
    )
    return plot_crowd(
        spots,
        marks,
        cluster.memory_bytes / GB,
        f"memory of a GPU: {cluster.memory_bytes / GB:g} GB",
        caption=caption,
        format_x=lambda x: f"{x:,g}",
        format_y=lambda y: f"{y:,g}",
    )


def _spot(model: Model, cluster: Cluster, plan: Plan) -> Spot:
    return Spot(need_bytes(model, plan) / GB, step_s(model, cluster, plan))


def _verdict(model: Model, cluster: Cluster, plan: Plan | None, best: Plan) -> str:
    """What to say of the learner's plan."""
    if plan is None:
        return "is none"
    if why_impossible(model, cluster, plan):
        return "breaks a rule"
    if not fits(model, cluster, plan):
        return "does not fit"
    is_best = step_s(model, cluster, plan) <= (1 + 1e-6) * step_s(model, cluster, best)
    return _BEST if is_best else "fits, and is not the fastest"


def _mark(
    name: str, model: Model, cluster: Cluster, plan: Plan | None, *, is_wrong: bool = False
) -> Mark:
    wrong = "no plan" if plan is None else why_impossible(model, cluster, plan)
    if plan is None or wrong:
        return Mark(f"{name}: {wrong}", None, is_wrong)
    spot = _spot(model, cluster, plan)
    return Mark(f"{name}: {plan}: {spot.y:.3g} s, {spot.x:.3g} GB", spot, is_wrong)


PICTURE = draw_plans
