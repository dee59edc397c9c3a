"""Pictures of gradient noise: the learner's estimates along a run, and steps by batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.experiments import read_results
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Mark, plot_curves

_SHOWN = {
    "one hidden layer": ("one hidden layer", style.BLUE),
    "wrong labels": ("30% of labels\nrandom", style.RED),
}


def draw_steps_by_batch() -> Any:
    """Fewest steps by batch over all learning rates, and the law that is nearest to them."""
    found = read_results("steps-to-accuracy")
    batches = tuple(found.values["batches"])
    curves, marks, told = [], [], []
    smooth = tuple(batches[0] * (batches[-1] / batches[0]) ** (i / 60) for i in range(61))
    for name, (label, color) in _SHOWN.items():
        setting = found.values["settings"][name]
        fewest = tuple(min(filter(None, row)) for row in setting["steps"])
        least, scale = fit_law(batches, fewest)
        law = tuple(least * (1 + scale / batch) for batch in smooth)
        goal = f"{setting['target']:.0%}"
        curves.append(Curve(f"{label},\nto {goal}", batches, fewest, color, dots=True))
        curves.append(Curve("", smooth, law, color, has_marks=False))
        offset = (8, 14) if marks else (-6, -16)
        marks.append(Mark(f"B = {scale:.0f}", scale, 2 * least, offset))
        steps = ", ".join(
            f"{count} at {batch}" for batch, count in zip(batches, fewest, strict=True)
        )
        name = label.replace("\n", " ")
        told.append(f"{name}, to {goal}: {steps}; the law with B = {scale:.0f}")
    caption = Caption(
        title="Steps to an accuracy, each batch with its best rate",
        x="batch",
        y="steps",
        source=f"SGD on digits, median of {found.values['seeds']} seeds (dots); lines: the law "
        f"fitted to them, rings: its B.\n{found.source}",
        alt=f"Steps over the batch, both logarithmic. {'. '.join(told)}. They fall with the "
        "batch at first, and level off.",
    )
    return plot_curves(curves, (), marks, caption=caption, height_in=3.6)


def fit_law(batches: Sequence[int], steps: Sequence[float]) -> tuple[float, float]:
    """``least`` and ``B`` of the law ``least (1 + B / batch)`` nearest to these steps, as ratios.

    >>> fit_law((1, 2, 4), (30.0, 20.0, 15.0))
    (10.0, 2.0)
    """
    import numpy as np

    rows = np.array([[1.0, 1 / batch] for batch in batches]) / np.array(steps)[:, None]
    (least, product), *_ = np.linalg.lstsq(rows, np.ones(len(batches)), rcond=None)
    return round(float(least), 9), round(float(product / least), 9)
