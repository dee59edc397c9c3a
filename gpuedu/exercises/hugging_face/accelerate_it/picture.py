"""accelerate-it: its pictures, of updates beside the plain loop's, and of learning rates."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.errors import GpueduError
from gpuedu.exercises.hugging_face.accelerate_alone import train_in_one
from gpuedu.exercises.hugging_face.accelerate_it.runs import RunTask, run_training
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures import style
from gpuedu.figures.bars import Bar, plot_bars
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.figures.end_labels import EndLabel, write_end_labels

TASKS = {
    "1 process": RunTask(batches=8),
    "groups of 2": RunTask(batches=8, size=2),
    "large gradients": RunTask(batches=8, size=2, loud=4.0),
    "7 batches, groups of 3": RunTask(batches=7, size=3),
    "stopped, resumed": RunTask(batches=8, size=2, stops=(3,)),
    "2 processes": RunTask(ranks=2, batches=8, size=2),
    "4 processes, resumed": RunTask(ranks=4, batches=16, size=2, stops=(3,)),
}
_NOTHING, _ROUNDING = 1e-17, 1e-7
_LIMITS = 3e-18, 20.0
_RATES = (1, 2, 4)
_UPDATES = 12


def draw_differences(train: Callable[..., Any]) -> Any:
    """For each kind of run, the largest difference of a weight from the plain loop's."""
    bars, stopped = [], []
    for name, task in TASKS.items():
        try:
            off = _difference(train, task)
        except GpueduError as fault:
            stopped.append(f"{name}: {fault.message}")
            bars.append(Bar(name, _NOTHING, "it stops", style.RED, "//"))
            continue
        is_rounding = off < _ROUNDING
        said = "rounding" if is_rounding else f"{off:.2g}" if np.isfinite(off) else "other updates"
        color = style.GREEN if is_rounding else style.RED
        value = max(off, _NOTHING) if np.isfinite(off) else 1.0
        bars.append(Bar(name, value, said, color, "" if is_rounding else "//"))
    told = "; ".join([f"{bar.name}: {bar.text}" for bar in bars] + stopped)
    caption = Caption(
        title="How far your updates are from the plain loop's",
        x="largest difference of a weight after any update",
        source="Accelerate ran here, in float64, on one process and on simulated ones.",
        alt=f"Dots for {len(bars)} runs on a logarithmic axis. {told}.",
    )
    return plot_bars(bars, caption=caption, limits=_LIMITS)


def _difference(train: Callable[..., Any], task: RunTask) -> float:
    """Of any weight on any rank; infinite where the updates are not as many."""
    with warnings.catch_warnings(), quiet_torch():
        warnings.simplefilter("ignore")
        run, true = run_training(train, task), train_in_one(task)
    if any(len(one.rates) != len(true.rates) for one in run.results):
        return float("inf")
    pairs = [np.abs(np.array(one.weights) - np.array(true.weights)).max() for one in run.results]
    return float(max(pairs))


def draw_rates(train: Callable[..., Any]) -> Any:
    """Learning rates of the updates on 1, 2 and 4 processes."""
    ax = style.new_axes(3.2)
    labels, told = [], []
    for place, ranks in enumerate(_RATES):
        task = RunTask(ranks=ranks, batches=ranks * _UPDATES, epochs=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rates = run_training(train, task).results[0].rates
        if not rates:
            continue
        name = f"{ranks} process{'es' * (ranks > 1)}"
        color, marker = style.CYCLE[place], "osD"[place]
        shift = 0.02 * (len(_RATES) - 1 - place)  # lines that agree would hide each other
        shown = [rate + shift * max(rates) for rate in rates]
        ax.plot(range(1, len(rates) + 1), shown, color=color, marker=marker, linewidth=1.8)
        labels.append(EndLabel(len(rates), shown[-1], name, color))
        told.append(f"{name}: {rates[0]:.3g} to {rates[-1]:.3g} in {len(rates)} updates")
    ax.set_xlim(0.5, _UPDATES + 2.5)
    ax.set_xticks(range(1, _UPDATES + 1))
    ax.set_ylim(-0.01, None)
    ax.grid(visible=False)
    write_end_labels(ax, labels)
    caption = Caption(
        title=f"A schedule of {_UPDATES} updates",
        x="update",
        y="learning rate",
        source="Accelerate ran here, on simulated processes. Lines that agree are drawn a little "
        "apart.",
        alt=f"Lines over {_UPDATES} updates. {'; '.join(told)}.",
    )
    return write_caption(ax, caption)


PICTURE = draw_differences
