"""The report on a class as one page of HTML, in which nothing from a learner becomes markup."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from itertools import pairwise
from typing import Any

from jinja2 import Environment, StrictUndefined

from gpuedu.exercises.card import code
from gpuedu.grading.report.summary import ExerciseSummary, Summary

BINS = 5


@dataclass(frozen=True)
class _Lesson:
    """A summary with what is computed for the page."""

    summary: Summary
    scores: tuple[float, ...]
    histogram: tuple[tuple[str, int], ...]

    def __getattr__(self, name: str) -> object:
        return getattr(self.summary, name)

    @property
    def median(self) -> float:
        """Of the points."""
        return statistics.median(self.scores)

    @property
    def most(self) -> int:
        """Learners in the fullest bin."""
        return max(count for _, count in self.histogram)


def render_page(summaries: Sequence[Summary]) -> str:
    """The page for some lessons."""
    return render("page.html.j2", lessons=[_lesson(one) for one in summaries])


def render(template: str, **values: Any) -> str:
    """A page of this package's, with all that is put into it escaped."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, finalize=_visible)
    environment.filters["code"] = code
    source = resources.files("gpuedu.grading.report").joinpath(template).read_text("utf-8")
    return environment.from_string(source).render(**values)


def _visible(value: object) -> object:
    r"""What is put into the page, without characters that act and are not seen.

    >>> _visible("\x1b[2K, \u202e and a\nline")
    '\\x1b[2K, \\u202e and a\nline'
    """
    if not isinstance(value, str):
        return value
    shown = (one if one.isprintable() or one in "\n\t" else ascii(one)[1:-1] for one in value)
    return type(value)("".join(shown))  # markup stays markup


def _lesson(summary: Summary) -> _Lesson:
    scores = tuple(points for _, state, points in summary.learners if state == "graded")
    return _Lesson(summary, scores, tuple(histogram(scores, summary.max_points)))


def histogram(scores: Sequence[float], most: float) -> list[tuple[str, int]]:
    """Learners by points, in ``BINS`` bins of equal width; full marks have their own bin.

    >>> histogram([0, 3, 10, 10], 10)
    [('0 to 2', 1), ('2 to 4', 1), ('4 to 6', 0), ('6 to 8', 0), ('8 to 10', 0), ('10', 2)]
    """
    edges = [most * at / BINS for at in range(BINS + 1)]
    bins = [
        (f"{low:g} to {high:g}", sum(low <= one < high for one in scores))
        for low, high in pairwise(edges)
    ]
    return [*bins, (f"{most:g}", sum(one >= most for one in scores))]


def as_table(exercises: Sequence[ExerciseSummary]) -> list[tuple[str, ...]]:
    """A row for each exercise: id, mean, maximum, states, and the commonest failure."""
    rows = []
    for one in exercises:
        states = ", ".join(f"{count} {state}" for state, count in one.states.items())
        commonest = ""
        if one.groups:
            group = one.groups[0]
            name = group.misconception or f"loses {', '.join(group.loses)}"
            commonest = f"{len(group.learners)} x {name}"
        rows.append((one.id, f"{one.mean_points:.1f}", f"{one.max_points:g}", states, commonest))
    return rows
