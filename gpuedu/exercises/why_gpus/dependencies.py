"""The picture of who-is-independent: three loops over eight elements as dependency graphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.chains import Loop, Step, plot_chains


def draw_independence(answers: Mapping[str, Any] | None = None) -> Any:
    """Three loops over eight elements as graphs, with what the learner said of them."""
    loops = (
        Loop(
            "saxpy: out[i] = a*x[i] + y[i]",
            tuple(Step(i, 4.0) for i in range(8)),
            (3,),
            ("longest chain: 1 step", "any order, all at once", _said(answers, "saxpy")),
            style.BLUE,
        ),
        Loop(
            "prefix: out[i] = out[i-1] + x[i]",
            tuple(Step(i, 8.0 - i, (i - 1,) if i else ()) for i in range(8)),
            tuple(range(8)),
            (
                "longest chain: 8 steps, n",
                "each waits for the one before",
                _said(answers, "prefix"),
            ),
            style.RED,
        ),
        Loop(
            "pairwise: x = x[::2] + x[1::2]",
            tree(8),
            (8, 12, 14),
            (
                "longest chain: 3 steps, log n",
                "8 to 4 to 2 to 1 numbers",
                _said(answers, "pairwise"),
            ),
            style.GREEN,
        ),
    )
    caption = Caption(
        title="Which step must wait for which, for n = 8",
        source="A drawing: a circle is a step, a small dot a number that is given, an arrow leads "
        "to what waits; a longest chain is filled.",
        alt="Three dependency graphs for n = 8. saxpy: eight dots without arrows, longest chain 1. "
        "prefix: eight dots in one chain, longest chain 8. pairwise: a tree that adds neighbours, "
        "8 numbers to 4 to 2 to 1, longest chain 3.",
    )
    return plot_chains(loops, caption=caption)


def _said(answers: Mapping[str, Any] | None, name: str) -> str:
    """The learner's answer for a loop as a note, or nothing."""
    given = answers.get(name) if isinstance(answers, Mapping) else None
    if not isinstance(given, tuple | list) or len(given) != 2:
        return ""
    if not all(isinstance(text, str) for text in given):
        return ""
    written, best = (text[:8] for text in given)
    return f"you: {written} as written, {best} at best"


def tree(n: int) -> tuple[Step, ...]:
    """Numbers at the top, then sums of neighbours, row by row."""
    steps = [Step(float(i), 7.5, is_given=True) for i in range(n)]
    row = list(range(n))
    depth = 0
    while len(row) > 1:
        depth += 1
        pairs = list(zip(row[::2], row[1::2], strict=True))
        row = list(range(len(steps), len(steps) + len(pairs)))
        steps += [Step((steps[a].x + steps[b].x) / 2, 7.5 - 2.3 * depth, (a, b)) for a, b in pairs]
    return tuple(steps)
