"""largest-batch: its picture."""

from __future__ import annotations

from functools import cache
from typing import Any

from gpuedu.exercises.batch_and_learning_rate.largest_batch.largest_pictures import BUDGET, SHOWN
from gpuedu.exercises.batch_and_learning_rate.largest_batch.trials import (
    Trial,
    most_that_fits,
    search,
)
from gpuedu.exercises.compare import show
from gpuedu.exercises.plain import whole_number
from gpuedu.figures.caption import Caption
from gpuedu.figures.training.trials import TrialBar, plot_trials
from gpuedu.units import format_size

_NAMES = {
    "held": "model, Adam's state, gradients",
    "left": "left by failed trials",
    "added": "the step's own",
    "refused": "refused",
}


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


PICTURE = draw_search
