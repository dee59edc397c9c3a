"""Pictures of the search for the largest batch: its trials, and peaks by batch."""

from __future__ import annotations

from functools import cache
from typing import Any

from gpuedu.exercises.batch_and_learning_rate.trials import (
    Task,
    Trial,
    most_that_fits,
    peak_bytes_of,
    search,
)
from gpuedu.exercises.compare import show
from gpuedu.exercises.plain import whole_number
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption
from gpuedu.figures.training.trials import TrialBar, plot_trials
from gpuedu.units import KIB, format_size

SHOWN = Task(width=96, samples=200, seed=1)
BUDGET = 800 * KIB
SMALL, LARGE = 8, 16
_NAMES = {
    "held": "model, Adam's state, gradients",
    "left": "left by failed trials",
    "added": "the step's own",
    "refused": "refused",
}
_BATCHES = (1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28)


def draw_search(largest_batch: Any) -> Any:
    """The trials of the learner's search: what each found there, added, and was refused."""
    found = search(largest_batch, SHOWN, BUDGET)
    result = whole_number(found.result, "what `largest_batch` returned")
    bars = [_bar_of(one, found.free_bytes) for one in found.trials]
    failed = [one.batch for one in found.trials if not one.fits]
    over = [bar for bar in bars if bar.left]
    fit = _shown_fit()
    caption = Caption(
        title=f"{len(bars)} trials, {len(failed)} out of memory: {show(result)} found, {fit} fit",
        x="batch, trial by trial",
        y="peak of a trial",
        source=f"Counted under a budget of {format_size(BUDGET)}, storage by storage: steps of a "
        "small network with Adam.",
        alt=f"A bar for each trial under a line at {format_size(BUDGET)}; batches "
        + ", ".join(str(one.batch) for one in found.trials)
        + f". Out of memory: {', '.join(map(str, failed)) or 'none'}. "
        + (
            f"{len(over)} of them began while up to "
            f"{format_size(max(bar.left for bar in over))} of earlier ones still lived."
            if over
            else "None of them began while something of an earlier one still lived."
        ),
    )
    return plot_trials(bars, caption=caption, budget_bytes=BUDGET, names=_NAMES)


@cache
def _shown_fit() -> int:
    return most_that_fits(SHOWN, BUDGET)


def _bar_of(trial: Trial, free_bytes: int) -> TrialBar:
    left = max(0, trial.before_bytes - free_bytes)
    held = trial.before_bytes - left
    return TrialBar(
        str(trial.batch), held, left, trial.peak_bytes - trial.before_bytes, trial.refused_bytes
    )


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


LARGEST_PICTURES = {
    "largest-batch": draw_search,
    "batch-and-learning-rate/guess": draw_guess,
}
