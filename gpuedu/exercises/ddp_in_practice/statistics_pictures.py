"""Pictures of numbers of all ranks: norms, running means that drift, variances far from 0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.ddp_in_practice.play_statistics import run_finish, run_moments
from gpuedu.figures import style
from gpuedu.figures.bars import Bar, plot_bars
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves

MAX_NORM = 1.0
_SIZES = (40.0, 2.0, 1.5, 1.0)
_STEPS, _RANKS, _BATCH, _MOMENTUM = 60, 3, 4, 0.1
_DISTANCES = tuple(10.0**power for power in range(0, 9))


def draw_norms(finish: Callable[..., Any]) -> Any:
    """Norms of four ranks' gradients, of their mean, and of what ``finish`` leaves."""
    gradients = [[one] for one in _gradients()]
    inputs = {"gradients": gradients, "max_norm": MAX_NORM, "seed": 0}
    _, found = run_finish(finish, inputs)
    mean = np.mean(_gradients(), axis=0)
    left = found[0]["gradients"][0]
    left = mean * np.nan if left is None else left
    size = float(np.linalg.norm(left))
    cosine = float(left @ mean) / (size * float(np.linalg.norm(mean))) if size > 0 else np.nan
    own = [(f"rank {rank}", size, style.BLUE) for rank, size in enumerate(_SIZES)]
    known = [*own, ("mean", float(np.linalg.norm(mean)), style.GREEN)]
    bars = [Bar(name, value, f"{value:.3g}", colour) for name, value, colour in known]
    bars.append(Bar("comes out", size, f"{size:.3g}", style.ORANGE, "//"))
    told = ", ".join(f"{bar.name} {bar.text}" for bar in bars)
    caption = Caption(
        title=f"What comes out: norm {size:.3g}, cosine to the mean {cosine:.3f}",
        x="norm of the gradient",
        source=f"Computed here: planted gradients on 4 light ranks, max_norm {MAX_NORM:g}.",
        alt=f"Bars of norms: {told}. The limit is {MAX_NORM:g}. The cosine between what comes out "
        f"and the mean of the ranks' gradients is {cosine:.3f}.",
    )
    ax = plot_bars(bars, caption=caption, limits=(0.1, 100.0))
    ax.set_ylim(-0.6, len(bars) + 0.2)
    ax.axvline(MAX_NORM, color=style.INK, linewidth=1.3, dashes=(5, 3), zorder=3)
    look = {"xytext": (5, 0), "textcoords": "offset points", "fontsize": 9.5, "color": style.INK}
    ax.annotate("max_norm", (MAX_NORM, len(bars) - 0.2), va="center", **look)
    return ax


def _gradients() -> list[np.ndarray]:
    """A gradient of six numbers for each rank."""
    drawn = np.random.default_rng(3).standard_normal((len(_SIZES), 6))
    return [one * size / np.linalg.norm(one) for one, size in zip(drawn, _SIZES, strict=True)]


def draw_drift() -> Any:
    """One running mean of a batch norm, as each of three ranks takes it from its own shards."""
    rng = np.random.default_rng(1)
    batches = 1.0 + rng.standard_normal((_STEPS, _RANKS, _BATCH))
    means = batches.mean(axis=2)
    colours = style.BLUE, style.ORANGE, style.PINK
    ranks = [_running(means[:, rank]) for rank in range(_RANKS)]
    together = _running(means.mean(axis=1))
    counts = tuple(range(_STEPS + 1))
    lines = [
        CountLine(f"{mark} rank {rank}", counts, mine, colour, signed=True)
        for rank, (mine, colour, mark) in enumerate(zip(ranks, colours, "●■◆", strict=True))
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
        alt=f"Lines over {_STEPS} steps: the running mean of each of three ranks wanders about "
        f"the true mean of 1, that of all samples less. They are up to {apart:.2f} "
        f"apart. In the end: {ends}.",
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


STATISTICS_PICTURES = {
    "clip-and-mean": draw_norms,
    "ddp-in-practice/drift": draw_drift,
    "ddp-in-practice/far": draw_far,
}
