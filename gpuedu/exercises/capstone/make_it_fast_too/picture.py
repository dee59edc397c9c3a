"""make-it-fast-too: the bill of the second slow program, and of the learner's."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.capstone.cost_rows import plot_bill, row_of
from gpuedu.exercises.capstone.make_it_fast_too.costs import RANKS, costs_of, slow_costs
from gpuedu.exercises.capstone.make_it_fast_too.counting import LABEL
from gpuedu.exercises.capstone.make_it_fast_too.limits import LIMITS, needs_of
from gpuedu.exercises.capstone.make_it_fast_too.play import PLAY
from gpuedu.exercises.capstone.programs import require_program
from gpuedu.exercises.patience import takes_long


@takes_long(slow_costs, PLAY.time_limit_s)
def draw_bill(program: Any = None) -> Any:
    """The costs of the slow program as multiples of what is allowed, and those of ``program``."""
    needs, before = needs_of(), slow_costs()
    after = costs_of(require_program(program)) if isinstance(program, dict) else None
    rows = [row_of(one, needs, before, after) for one in LIMITS]
    return plot_bill(
        rows,
        f"Counted in training, on one device and on {RANKS} simulated ranks, and in writing.",
        LABEL,
    )


PICTURE = draw_bill
