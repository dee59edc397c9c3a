"""A class's leaderboard: the reports on optimized programs that asked to be on it.

Only reports whose figures were recounted and confirmed are taken, so what is shown is what the
program costs. A learner appears only under the name in their report.
"""

from __future__ import annotations

import ast
import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gpuedu.course.csv_cells import as_cell
from gpuedu.exercises.capstone.report_text import Row, figure_of, leaderboard_name, rows_of

EXERCISE, ANSWER = "make-it-fast", "report"
_MUST_HOLD = ("same", "rows", "before", "after")


@dataclass(frozen=True)
class Entry:
    """One report: its name, its exercise's points, and its final figures by cost.

    ``times`` is the geometric mean of how many times less each cost is; costs that are gone
    entirely are left out.
    """

    name: str
    points: float
    times: float
    after: Mapping[str, str]


def entries_of(verdicts: Iterable[Mapping[str, Any]]) -> list[Entry]:
    """The reports that want to be shown, with the most points and the largest factor first."""
    found = [entry for one in verdicts if (entry := _entry_of(one)) is not None]
    return sorted(found, key=lambda one: (-one.points, -one.times, one.name))


def _entry_of(verdict: Mapping[str, Any]) -> Entry | None:
    judged = [one for one in verdict.get("exercises", ()) if one["id"] == EXERCISE]
    if not judged:
        return None
    held = {one["name"] for one in judged[0]["properties"] if one["holds"]}
    text = _report(verdict.get("answers", {}))
    name = leaderboard_name(text)
    if not name or not held.issuperset(_MUST_HOLD):
        return None
    firsts: dict[str, Row] = {}
    for one in rows_of(text):
        firsts.setdefault(one.cost, one)  # the first row of a cost is the one that was judged
    rows = list(firsts.values())
    factors = [_factor(figure_of(one.before), figure_of(one.after)) for one in rows]
    known = [math.log(one) for one in factors if one]
    times = math.exp(sum(known) / len(known)) if known else 1.0
    return Entry(name, judged[0]["points"], times, {one.cost: one.after for one in rows})


def _report(answers: Mapping[str, str]) -> str:
    """The report that was judged: what the exercise's last cell assigns, and does nothing else.

    What any other cell calls a report was assigned before, and isn't what was judged.
    """
    cells = [text for cell, text in answers.items() if cell.startswith(f"{EXERCISE}-answer")]
    try:
        body = ast.parse(cells[-1]).body if cells else []
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    match body:
        case [ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text)))]:
            return text if name == ANSWER else ""
    return ""


def _factor(before: float | None, after: float | None) -> float | None:
    """How many times less, or more, where more is better; None where one of them is nothing."""
    if not before or not after:
        return None
    return max(before, after) / min(before, after)


def as_csv(entries: Iterable[Entry]) -> str:
    """The leaderboard as comma-separated values, with a row for each entry."""
    entries = list(entries)
    costs = list(dict.fromkeys(cost for one in entries for cost in one.after))
    text = io.StringIO()
    write = csv.writer(text, lineterminator="\n")
    write.writerow(["place", "name", "points", "times less (geometric mean)", *map(as_cell, costs)])
    for place, one in enumerate(entries, 1):
        figures = [as_cell(one.after.get(cost, "")) for cost in costs]
        write.writerow([place, as_cell(one.name), one.points, f"{one.times:.3g}", *figures])
    return text.getvalue()
