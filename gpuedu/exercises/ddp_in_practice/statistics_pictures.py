"""Pictures of numbers of all ranks: norms, running means that drift, variances far from 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.ddp_in_practice.clip_and_mean.play import run_moments
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves

_STEPS, _RANKS, _BATCH, _MOMENTUM = 60, 3, 4, 0.1


_DISTANCES = tuple(10.0**power for power in range(0, 9))


def draw_drift() -> Any:
    """One running mean of a batch norm, as each of three ranks takes it from its own shards."""
    rng = np.random.default_rng(1)
    batches = 1.0 + rng.standard_normal((_STEPS, _RANKS, _BATCH))
    means = batches.mean(axis=2)
    colors = style.BLUE, style.ORANGE, style.PINK
    ranks = [_running(means[:, rank]) for rank in range(_RANKS)]
    together = _running(means.mean(axis=1))
    counts = tuple(range(_STEPS + 1))
    lines = [
        CountLine(f"{mark} rank {rank}", counts, mine, color, signed=True)
        for rank, (mine, color, mark) in enumerate(zip(ranks, colors, "●■◆", strict=True))
    ]
    lines.append(CountLine("▲ all samples", counts, together, style.INK, signed=True))
    ends = ", ".join(f"{line.name[2:]} {line.values[-1]:.2f}" for line in lines)
    true = CountLine("true mean", (0, _STEPS), (1.0, 1.0), style.QUIET, has_marks=False)
    apart = max(max(at) - min(at) for at in zip(*ranks, strict=True))
    caption = Caption(
        title=f"Three ranks' running means of one feature: up to {apart:.2f} apart",
        x="steps",
        y="running mean",
        source=f"Computed here: made-up features of mean 1 and variance 1, {_BATCH} samples a rank "
        f"and step, momentum {_MOMENTUM:g}.",
        alt=f"Lines over {_STEPS} steps: the running mean of each of three ranks wanders around "
        "the true mean of 1; the mean over all samples wanders less. They are up to "
        f"{apart:.2f} apart. In the end: {ends}.",
    )
    return plot_by_count([*lines, true], caption=caption)


def _running(means: Sequence[float]) -> tuple[float, ...]:
    found = [0.0]
    for mean in means:
        found.append((1 - _MOMENTUM) * found[-1] + _MOMENTUM * float(mean))
    return tuple(found)


def draw_far(moments: Callable[..., Any]) -> Any:
    """How wrong a variance is, by how far the data lie from 0; the learner's, and a shortcut."""
    yours, shortcut = [], []
    for distance in _DISTANCES:
        parts = _rows(distance)
        rows = np.concatenate(parts)
        true = rows.var(axis=0)
        _, found = run_moments(moments, parts)
        yours.append(_worst(found[0][1], true))
        quick = (rows**2).mean(axis=0) - rows.mean(axis=0) ** 2
        shortcut.append(_worst(quick, true))
    curves = [
        Curve("E[x²] - mean²", _DISTANCES, tuple(shortcut), style.RED),
        Curve("yours", _DISTANCES, tuple(yours), style.GREEN),
    ]
    ends = f"{shortcut[-1]:.1g}", f"{yours[-1]:.1g}"
    caption = Caption(
        title="The variance of rows far from 0: what is left of 16 digits",
        x="mean, in standard deviations",
        y="relative error",
        source="Computed here in float64, on 3 light ranks with 6, 1 and 4 rows.",
        alt="Two curves of the variance's relative error over the distance of the mean from 0, in "
        f"standard deviations. At the last, {_DISTANCES[-1]:.0e}, the mean of squares less the "
        f"square of the mean is off by {ends[0]}, yours by {ends[1]}.",
    )
    return plot_curves(curves, caption=caption)


def _rows(distance: float) -> list[np.ndarray]:
    rng = np.random.default_rng(2)
    return [distance + rng.standard_normal((n, 8)) for n in (6, 1, 4)]


def _worst(got: np.ndarray, true: np.ndarray) -> float:
    """The largest relative error; never under a rounding, so that it can be drawn."""
    return max(float(np.abs(got / true - 1).max()), 1e-16)
