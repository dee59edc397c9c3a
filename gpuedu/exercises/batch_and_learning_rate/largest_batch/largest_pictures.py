"""Pictures of the search for the largest batch: its trials, and peaks by batch."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.batch_and_learning_rate.largest_batch.trials import Task, peak_bytes_of
from gpuedu.exercises.compare import show
from gpuedu.exercises.plain import whole_number
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption
from gpuedu.units import KIB, format_size

SHOWN = Task(width=96, samples=200, seed=1)


BUDGET = 800 * KIB


SMALL, LARGE = 8, 16


_BATCHES = (1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28)


def draw_guess(guess_batch: Any) -> Any:
    """Counted peaks by batch, the line through two of them, and the learner's guess on it."""
    peaks = {batch: peak_bytes_of(SHOWN, batch) for batch in _BATCHES}
    pair = (SMALL, peaks[SMALL]), (LARGE, peaks[LARGE])
    guess = whole_number(guess_batch(*pair, BUDGET), "what `guess_batch` returned")
    each = (peaks[LARGE] - peaks[SMALL]) / (LARGE - SMALL)

    def on_line(batch: float) -> float:
        return (peaks[SMALL] + each * (batch - SMALL)) / KIB

    ends = (0, _BATCHES[-1])
    drawn = {"has_marks": False}
    lines = [
        CountLine("the line", ends, tuple(map(on_line, ends)), style.ORANGE, **drawn),
        CountLine(f"budget:\n{format_size(BUDGET)}", ends, (BUDGET / KIB,) * 2, style.RED, **drawn),
        CountLine("", _BATCHES, tuple(peaks[b] / KIB for b in _BATCHES), style.BLUE, dots=True),
    ]
    if 0 <= guess <= 2 * _BATCHES[-1]:
        at = (guess,), (on_line(guess),)
        lines.append(CountLine("", *at, style.INK, dots=True, mark=guess))
    meets = SMALL + (BUDGET - peaks[SMALL]) / each
    caption = Caption(
        title=f"Your guess from two trials: {show(guess)}",
        x="batch",
        y="peak of a step (KiB)",
        source="Rings: counted storage by storage, steps of a small network with Adam. Black: your "
        f"guess.\nThe line goes through {SMALL} and {LARGE}.",
        alt="Peak of a step over the batch: flat for small ones, then a straight line, from "
        f"{format_size(peaks[1])} at 1 to {format_size(peaks[_BATCHES[-1]])} at {_BATCHES[-1]}. "
        f"The line through {SMALL} and {LARGE} is at {on_line(0):.0f} KiB for 0, and meets the "
        f"budget of {format_size(BUDGET)} at {meets:.1f}; your guess is {show(guess)}.",
    )
    return plot_by_count(lines, caption=caption)
