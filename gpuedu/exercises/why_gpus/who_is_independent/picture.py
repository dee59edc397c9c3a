"""who-is-independent: its picture, three loops over eight elements as dependency graphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.chains import ChainStep, Loop, plot_chains

_TOP, _ROW = 7.5, 2.3


def draw_independence(answers: Mapping[str, Any] | None = None) -> Any:
    """Three loops over eight elements as graphs, with what the learner said of them."""
    loops = (
        Loop(
            "saxpy:\nout[i] = a*x[i] + y[i]",
            apart(8),
            (11,),
            ("longest chain: 1 step", "any order, all at once", _said(answers, "saxpy")),
            style.BLUE,
        ),
        Loop(
            "prefix:\nout[i] = out[i-1] + x[i]",
            chain(8),
            tuple(range(8, 15)),
            (
                "longest chain: 7 steps, like n",
                "each waits for the one before",
                _said(answers, "prefix"),
            ),
            style.RED,
        ),
        Loop(
            "pairwise:\nx = x[::2] + x[1::2]",
            tree(8),
            (8, 12, 14),
            (
                "longest chain: 3 steps, like log n",
                "8 to 4 to 2 to 1 numbers",
                _said(answers, "pairwise"),
            ),
            style.GREEN,
        ),
    )
    caption = Caption(
        title="Which step must wait for which, for n = 8",
        source="A drawing: a small dot is a number that is given, a circle a step (in prefix and "
        "pairwise: an addition),\nan arrow leads to what waits; a longest chain is filled.",
        alt="Three dependency graphs for n = 8. saxpy: eight steps, each with its own number, "
        "longest chain 1. prefix: seven additions in one chain, longest chain 7. pairwise: seven "
        "additions in a tree, 8 numbers to 4 to 2 to 1, longest chain 3.",
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


def apart(n: int) -> tuple[ChainStep, ...]:
    """Numbers at the top, and below each the step that takes it and no other."""
    given = tuple(ChainStep(float(i), _TOP, is_given=True) for i in range(n))
    return given + tuple(ChainStep(float(i), _TOP - _ROW, (i,)) for i in range(n))


def chain(n: int) -> tuple[ChainStep, ...]:
    """Numbers at the top, then additions: each takes its number and the addition before."""
    given = tuple(ChainStep(float(i), _TOP, is_given=True) for i in range(n))
    sums = (ChainStep(float(i), _TOP - i, (i, n + i - 2 if i > 1 else 0)) for i in range(1, n))
    return given + tuple(sums)


def tree(n: int) -> tuple[ChainStep, ...]:
    """Numbers at the top, then sums of neighbors, row by row."""
    steps = [ChainStep(float(i), _TOP, is_given=True) for i in range(n)]
    row = list(range(n))
    depth = 0
    while len(row) > 1:
        depth += 1
        pairs = list(zip(row[::2], row[1::2], strict=True))
        row = list(range(len(steps), len(steps) + len(pairs)))
        steps += [
            ChainStep((steps[a].x + steps[b].x) / 2, _TOP - _ROW * depth, (a, b)) for a, b in pairs
        ]
    return tuple(steps)


PICTURE = draw_independence
