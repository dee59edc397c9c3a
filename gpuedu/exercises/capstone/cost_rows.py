"""Costs as rows of a figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.exercises.capstone.limits import Limit
from gpuedu.figures.against_limits import CostRow, plot_against_limits
from gpuedu.figures.caption import Caption


def row_of(
    limit: Limit, needs: Any, before: Mapping[str, float], after: Mapping[str, float] | None
) -> CostRow:
    """A cost of two bills as a row of the figure; of nothing allowed, one is a whole multiple."""
    allowed = limit.most(needs)

    def multiple(value: float) -> float:
        if not allowed:
            return 1 + value if value else 0.0
        return value / allowed

    was, now = before[limit.figure], after and after[limit.figure]
    return CostRow(
        limit.cost,
        multiple(was),
        None if now is None else multiple(now),
        limit.show(was),
        "" if now is None else limit.show(now),
        f"at most {limit.show(allowed)}",
    )


def _after(row: CostRow) -> str:
    return "unchanged" if row.after_text in ("", row.before_text) else row.after_text


def plot_bill(rows: Sequence[CostRow], counted: str, folder: str) -> Any:
    """The figure of a bill, of the slow program and, where it was changed, of the learner's.

    Args:
        rows: the costs.
        counted: in what they were counted, a sentence.
        folder: of the learner's files.
    """
    is_changed = any(row.after is not None for row in rows)
    over = sum(1 for row in rows if (row.before if row.after is None else row.after) > 1)
    whose = "your program" if is_changed else "the slow program"
    told = [f"{one.name}: {one.before_text}, {_after(one)}, {one.allowed_text}" for one in rows]
    caption = Caption(
        title=f"{over} costs of {whose} are above what is allowed"
        if over
        else f"All costs of {whose} are within what is allowed",
        x="cost, as a multiple of what is allowed",
        source=f"{counted}\nOpen: the slow program; filled: the files in {folder}/, where they "
        "differ; arrow: less than this axis shows.",
        alt=f"Rows of costs, before and after. {'; '.join(told)}.",
    )
    return plot_against_limits(rows, caption=caption)
