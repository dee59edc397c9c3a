"""make-it-fast: the bill of the slow program, and of the learner's."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.capstone.make_it_fast.costs import (
    COLLECTIVES,
    IMAGES,
    SHOWN_RANKS,
    SHOWN_SEED,
    costs_of,
    slow_costs,
)
from gpuedu.exercises.capstone.make_it_fast.counting import LABEL
from gpuedu.exercises.capstone.make_it_fast.limits import (
    LEAST_IMAGES,
    LIMITS,
    MOST_COLLECTIVES,
    Needs,
    needs_of,
)
from gpuedu.exercises.capstone.programs import require_program
from gpuedu.exercises.capstone.units import show_count
from gpuedu.figures.against_limits import CostRow, plot_against_limits
from gpuedu.figures.caption import Caption


def draw_bill(program: Any = None) -> Any:
    """The costs of the slow program as multiples of what is allowed, and those of ``program``."""
    needs = needs_of(SHOWN_SEED)
    before = slow_costs()
    is_changed = isinstance(program, dict)
    after = costs_of(require_program(program)) if is_changed else None
    rows = [_row(one, needs, before, after) for one in LIMITS]
    rows.append(_images(before, after))
    rows.append(_messages(before, after))
    over = sum(1 for row in rows if (row.before if row.after is None else row.after) > 1)
    whose = "your program" if is_changed else "the slow program"
    told = [f"{one.name}: {one.before_text}, {one.after_text or 'not changed'}" for one in rows]
    caption = Caption(
        title=f"{over} costs of {whose} are above what is allowed"
        if over
        else f"All costs of {whose} are within what is allowed",
        x="cost, as a multiple of what is allowed (each tick is ten times)",
        source=f"Counted in a run of two epochs, and on {SHOWN_RANKS} simulated ranks. Open: the "
        f"slow program; filled: the files in `{LABEL}`.",
        alt=f"Rows of costs, before and after. {'; '.join(told)}.",
    )
    return plot_against_limits(rows, caption=caption)


def _row(limit: Any, needs: Needs, before: Any, after: Any) -> CostRow:
    most = limit.most(needs) or 1
    values = [one and one[limit.figure] for one in (before, after)]
    return CostRow(
        limit.cost,
        values[0] / most if limit.most(needs) else 1 + values[0],
        _after(values[1], most, limit.most(needs)),
        limit.show(values[0]),
        limit.show(values[1]) if values[1] is not None else "",
    )


def _after(value: float | None, most: float, allowed: float) -> float | None:
    if value is None:
        return None
    return value / most if allowed or not value else 1 + value


def _images(before: Any, after: Any) -> CostRow:
    """Fewer images at once are a higher cost."""
    shares = [one and LEAST_IMAGES / max(one["evaluation_batch"], 0.1) for one in (before, after)]
    shown = [show_count(one["evaluation_batch"]) if one else "" for one in (before, after)]
    return CostRow(IMAGES, shares[0], shares[1], *shown)


def _messages(before: Any, after: Any) -> CostRow:
    shares = [one and one["messages"] / MOST_COLLECTIVES for one in (before, after)]
    shown = [show_count(one["messages"]) if one else "" for one in (before, after)]
    return CostRow(COLLECTIVES, shares[0], shares[1], *shown)


PICTURE = draw_bill
