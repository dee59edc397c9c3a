"""What a report on a fast program may claim."""

from __future__ import annotations

from gpuedu.exercises.capstone.make_it_fast.costs import COSTS
from gpuedu.exercises.capstone.make_it_fast.judge.claims import CLAIMS
from gpuedu.exercises.contract import Case

ROWS = [f"| {cost.name} | 2 | 1 | 2 | data.py |" for cost in COSTS]


def told(*rows):
    (prop,) = (one for one in CLAIMS if one.name == "rows")
    case = Case("a report", {}, ("rows",))
    return [one.message for one in prop.test(case, {"report": "\n".join(rows)})]


def test_each_cost_has_one_row():
    assert told(*ROWS) == []
    assert told(*ROWS, ROWS[1]) == [f"line {len(ROWS) + 1}: `{COSTS[1].name}` has a row already"]
    assert told(*ROWS[1:]) == [
        f"1 of {len(COSTS)} costs have no row: `{COSTS[0].name}`",
    ]
