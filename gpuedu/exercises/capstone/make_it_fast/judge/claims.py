"""What a report on the program claims, held against what is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gpuedu.exercises.capstone.make_it_fast.costs import COSTS, Cost
from gpuedu.exercises.capstone.make_it_fast.counting import LABEL
from gpuedu.exercises.capstone.programs import given_program
from gpuedu.exercises.capstone.report_text import UNITS_TOLD, Row, figure_of, rows_of
from gpuedu.exercises.contract import Case, Fault, Plain, Property, Undecided

_NEAR = 0.03
"""How far off the quotient of two figures may be, which are rounded themselves."""
_NOT_COUNTED = "the program's costs couldn't be counted"
_PLENTY = ("all", "no limit", "inf", "∞")
"""How many times less something is of which nothing is left."""
_ARISES = {
    "read_bytes": "data.py train.py",
    "requests": "checkpoint.py data.py train.py",
    "copies": "data.py",
    "copied_bytes": "data.py",
    "waits": "checkpoint.py losses.py optimizer.py parallel.py train.py",
    "preparation": "data.py losses.py",
    "update": "optimizer.py train.py",
    "flop": "losses.py model.py",
    "growth": "losses.py train.py",
    "evaluation_recorded": "evaluate.py losses.py train.py",
    "written_bytes": "checkpoint.py train.py",
    "evaluation_batch": "data.py evaluate.py",
    "messages": "parallel.py train.py",
}
"""For each figure, in which files of the slow program it arises, or can be kept from arising."""
_SLOW_FILES = frozenset(given_program("make_it_fast", "reader"))


def _row_of(cost: Cost, observed: Plain) -> Row | None:
    found = [one for one in rows_of(observed["report"]) if one.cost == cost.name]
    return found[0] if found else None


def _rows(case: Case, observed: Plain) -> Iterable[Fault]:
    known, seen = [cost.name for cost in COSTS], set[str]()
    for row in rows_of(observed["report"]):
        if row.cost not in known:
            yield Fault("rows", f"line {row.line}: no cost is called `{row.cost}`")
            return
        if row.cost in seen:
            yield Fault("rows", f"line {row.line}: `{row.cost}` has a row already")
            return
        seen.add(row.cost)
    missing = [cost.name for cost in COSTS if _row_of(cost, observed) is None]
    if missing:
        yield Fault("rows", f"{len(missing)} of {len(COSTS)} costs have no row: `{missing[0]}`")


def _figures(
    name: str, field: str, counted: Callable[[Case, Plain], dict[str, float]]
) -> Callable[[Case, Plain], Iterable[Fault]]:
    """A test of one column of figures: each is shown as the one that was counted would be."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        if not (figures := counted(case, observed)):
            yield Undecided(name, _NOT_COUNTED)
            return
        yield from _unless_told(name, observed, field)
        for cost in COSTS:
            row = _row_of(cost, observed)
            if row is None:
                continue
            told, wanted = getattr(row, field), cost.show(figures[cost.figure])
            claimed = figure_of(told)
            if claimed is None:
                yield Fault(name, f"line {row.line}: `{told}` isn't a number in {UNITS_TOLD}")
                return
            if cost.show(claimed) != wanted:
                whole = f"line {row.line}, {cost.name}: the report says {told}"
                yield Fault(name, f"{whole}, counted: {wanted}")
                return

    return test


def _unless_told(name: str, observed: Plain, *fields: str) -> Iterable[Fault]:
    """Undecided where less than half of the costs have a row with figures in these columns."""
    rows = [row for cost in COSTS if (row := _row_of(cost, observed))]
    told = [row for row in rows if all(figure_of(getattr(row, one)) is not None for one in fields)]
    if 2 * len(told) < len(COSTS):
        columns = " and ".join(f"`{one}`" for one in fields)
        yield Undecided(name, f"{len(told)} of {len(COSTS)} costs have a number in {columns}")


def _times(case: Case, observed: Plain) -> Iterable[Fault]:
    yield from _unless_told("times", observed, "before", "after")
    for cost in COSTS:
        row = _row_of(cost, observed)
        if row is None:
            continue
        before, after = figure_of(row.before), figure_of(row.after)
        if before is None or after is None:
            continue
        low, high = (after, before) if not cost.is_better_high else (before, after)
        claimed = figure_of(row.times.rstrip("x"))
        if low == 0:
            is_right, wanted = row.times.lower() in _PLENTY, "`all`"
        else:
            is_right = claimed is not None and abs(claimed - high / low) <= _NEAR * high / low
            wanted = f"{high / low:.3g}"
        if not is_right:
            told = f"{row.before} and {row.after} make {wanted}"
            yield Fault("times", f"line {row.line}, {cost.name}: {row.times}, but {told}")
            return


def _where(case: Case, observed: Plain) -> Iterable[Fault]:
    if not observed["costs"]:
        yield Undecided("where", _NOT_COUNTED)
        return
    if not any(_is_lower(cost, case, observed) for cost in COSTS):
        yield Undecided("where", "no cost is lower than the slow program's")
    for cost in COSTS:
        row = _row_of(cost, observed)
        if row is None or observed["costs"][cost.figure] == case.truth[cost.figure]:
            continue
        named = [_file_of(one) for one in row.where.split(",")]
        unchanged = [one for one in named if one not in observed["changed"]]
        likely = _likely(cost, observed)
        told = ""
        if not row.where:
            told = "no file is named"
        elif unchanged:
            told = f"`{unchanged[0]}` isn't a file that was changed; separate several by commas"
        elif likely and likely.isdisjoint(named):
            told = f"this cost doesn't arise in `{named[0]}`, and you changed others"
        if told:
            yield Fault("where", f"line {row.line}, {cost.name}: {told}")
            return


def _is_lower(cost: Cost, case: Case, observed: Plain) -> bool:
    """Whether a cost is better than the slow program's."""
    now, before = observed["costs"][cost.figure], case.truth[cost.figure]
    return now > before if cost.is_better_high else now < before


def _file_of(told: str) -> str:
    """A file's name, with its folder or without."""
    return told.strip(" `").removeprefix("./").removeprefix(f"{LABEL}/")


def _likely(cost: Cost, observed: Plain) -> set[str]:
    """The files that were changed and can matter for a cost: those that are new can for each."""
    return {
        one
        for one in observed["changed"]
        if one in _ARISES[cost.figure].split() or one not in _SLOW_FILES
    }


CLAIMS = (
    Property(
        "rows",
        "every cost has a row",
        1,
        "Which costs does the figure of the bill name?",
        _rows,
        after=("before", "after"),
    ),
    Property(
        "before",
        "the numbers before are the ones that are counted",
        1,
        "What did the slow program cost, according to the bill?",
        _figures("before", "before", lambda case, observed: case.truth),
        after=("rows",),
    ),
    Property(
        "after",
        "the numbers after are the ones that are counted",
        1,
        "Was the program changed after the figure was drawn?",
        _figures("after", "after", lambda case, observed: observed["costs"]),
        after=("rows",),
    ),
    Property(
        "times",
        "`times` is right for each cost",
        1,
        "Which number is divided by which?",
        _times,
        after=("after",),
    ),
    Property(
        "where",
        "each cost that changed names files that were changed for it",
        1,
        "Which file did you open to lower this cost?",
        _where,
        after=("after",),
    ),
)
