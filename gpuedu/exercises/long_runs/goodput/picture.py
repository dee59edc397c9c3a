"""goodput: a month's GPU hours by the learner's account, and what halving its largest loss does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.long_runs.accounts_alone import CAUSES, paid_hours
from gpuedu.exercises.long_runs.cluster_month import cluster_log
from gpuedu.exercises.long_runs.goodput.play import hours_of, loss_of
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.plain_bars import PlainBar, plot_plain_bars

_SEED = 1


def draw_month(account: Callable[..., Any], largest_loss: Callable[..., Any]) -> Any:
    """What trained and each cause of losses, as bars, the largest marked."""
    log = cluster_log(np.random.default_rng(_SEED))
    hours, (cause, halved) = hours_of(account(log)), loss_of(largest_loss(log))
    if cause not in CAUSES:
        raise AnswerError(
            f"`largest_loss` gave {cause!r}, which isn't one of the causes",
            remedy=f"The causes are {', '.join(CAUSES)}.",
        )
    paid = paid_hours(log)
    bars = [_bar("trained and kept", hours["trained"], paid, "", style.BLUE)]
    for name, kinds in CAUSES.items():
        parts = ", ".join(f"{kind} {hours[kind] / 1e3:.1f}" for kind in kinds)
        color = style.RED if name == cause else style.ORANGE
        bars.append(_bar(name, sum(map(hours.get, kinds)), paid, parts, color))
    share = hours["trained"] / paid
    title = (
        f"Goodput {share:.1%}; {halved:.1%} if {cause} took half as much"
        if 0 <= halved < 10
        else f"Goodput {share:.1%}"
    )
    told = "; ".join(f"{bar.name} {bar.text}" for bar in bars)
    caption = Caption(
        title=title,
        x="thousands of GPU hours",
        source="A simulated month of 1,056 GPUs, by your account. The parts are in thousands.",
        alt=f"Bars of GPU hours. {title}. {told}.",
    )
    return plot_plain_bars(bars, caption=caption)


def _bar(name: str, hours: float, paid: float, parts: str, color: str) -> PlainBar:
    behind = f" ({parts})" if "," in parts else ""
    return PlainBar(name, hours / 1e3, f"{hours / paid:.1%}{behind}", color)


PICTURE = draw_month
