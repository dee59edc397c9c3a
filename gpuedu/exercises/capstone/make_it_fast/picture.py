"""make-it-fast: the bill of the slow program, and of the learner's."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.capstone.cost_rows import plot_bill, row_of
from gpuedu.exercises.capstone.make_it_fast.costs import (
    COLLECTIVES,
    IMAGES,
    SHOWN_RANKS,
    SHOWN_SEED,
    costs_of,
)
from gpuedu.exercises.capstone.make_it_fast.counting import LABEL
from gpuedu.exercises.capstone.make_it_fast.limits import (
    LEAST_IMAGES,
    LIMITS,
    MOST_COLLECTIVES,
)
from gpuedu.exercises.capstone.make_it_fast.needs_alone import needs_of, slow_costs
from gpuedu.exercises.capstone.make_it_fast.play import PLAY
from gpuedu.exercises.capstone.programs import require_program
from gpuedu.exercises.capstone.units import show_count
from gpuedu.exercises.patience import takes_long
from gpuedu.figures.against_limits import CostRow


@takes_long(slow_costs, PLAY.time_limit_s)
def draw_bill(program: Any = None) -> Any:
    """The costs of the slow program as multiples of what is allowed, and those of ``program``."""
    needs = needs_of(SHOWN_SEED)
    before = slow_costs()
    after = costs_of(require_program(program)) if isinstance(program, dict) else None
    rows = [row_of(one, needs, before, after) for one in LIMITS]
    rows.append(_images(before, after))
    rows.append(_messages(before, after))
    counted = f"Counted in a run of two epochs, and on {SHOWN_RANKS} simulated ranks."
    return plot_bill(rows, counted, LABEL)


def _images(before: Any, after: Any) -> CostRow:
    """Fewer images at once are a higher cost."""
    shares = [one and LEAST_IMAGES / max(one["evaluation_batch"], 0.1) for one in (before, after)]
    shown = [show_count(one["evaluation_batch"]) if one else "" for one in (before, after)]
    return CostRow(IMAGES, shares[0], shares[1], *shown, f"at least {LEAST_IMAGES}")


def _messages(before: Any, after: Any) -> CostRow:
    shares = [one and one["messages"] / MOST_COLLECTIVES for one in (before, after)]
    shown = [show_count(one["messages"]) if one else "" for one in (before, after)]
    return CostRow(COLLECTIVES, shares[0], shares[1], *shown, f"at most {MOST_COLLECTIVES}")


PICTURE = draw_bill
