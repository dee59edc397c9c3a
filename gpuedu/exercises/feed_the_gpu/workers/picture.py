"""workers: batches a second, predicted and simulated; and what random numbers workers draw."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.clock import simulate_loading
from gpuedu.errors import AnswerError
from gpuedu.exercises.feed_the_gpu.workers.stages import SHOWN, Stages, loading_of
from gpuedu.exercises.kernels.recorded import draw_recorded
from gpuedu.exercises.kernels.recorded_panels import Bars
from gpuedu.exercises.plain import describe, number
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption
from gpuedu.figures.flips import plot_flips

WORKERS = tuple(range(9))
_BATCHES = 120
_CREW, _EPOCHS, _ITEMS, _SEED = 3, 2, 24, 7


def draw_workers(batches_per_s: Callable[..., Any], knee: Callable[..., Any]) -> Any:
    """Lines: the learner's rates; rings: simulated; for a fast disk and a slow one."""
    lines, told = [], []
    for stages, color in zip(SHOWN, (style.BLUE, style.RED), strict=True):
        own = _knee(knee, *stages)
        name = f"read {1e3 * stages.read_s:g} ms:\nyour knee: {_said(own)}"
        rates = tuple(_rate(batches_per_s, workers, stages) for workers in WORKERS)
        found = tuple(
            simulate_loading(loading_of(stages), workers, batches=_BATCHES).batches_per_s
            for workers in WORKERS
        )
        lines.append(CountLine(name, WORKERS, rates, color, mark=own))
        lines.append(CountLine("" if lines[-1].drawn else name, WORKERS, found, color, dots=True))
        ends = f"yours {rates[0]:.3g} without workers, {rates[-1]:.3g} with 8"
        told.append(
            f"{name.replace(chr(10), ' ')}; {ends}; simulated {found[0]:.3g}, {found[-1]:.3g}"
        )
    fast = SHOWN[0]
    caption = Caption(
        title="Another worker helps until something else is the slowest",
        x="workers",
        y="batches a second",
        source="Lines: your `batches_per_s`; dotted: your `knee`. Rings: simulated. "
        f"Decode {1e3 * fast.decode_s:g} ms on {fast.cores} cores, copy {1e3 * fast.copy_s:g} ms, "
        f"step {1e3 * fast.step_s:g} ms.",
        alt="Batches a second by workers. " + ". ".join(told) + ".",
    )
    return plot_by_count(lines, caption=caption)


def _knee(knee: Callable[..., Any], *stages: float) -> float | None:
    try:
        return float(number(knee(*stages)))
    except AnswerError:
        return None


def _said(knee: float | None) -> str:
    return "no number" if knee is None else f"{knee:g}"


def _rate(batches_per_s: Callable[..., Any], workers: int, stages: Stages) -> float:
    try:
        return float(number(batches_per_s(workers, *stages)))
    except (AnswerError, ZeroDivisionError):
        return float("nan")


class _Flipper:
    """A data set that keeps its own generator, as many do."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)

    def flips(self) -> np.ndarray:
        return self.rng.random(_ITEMS) < 0.5


def draw_worker_flips(worker_rng: Callable[..., Any]) -> Any:
    """Which of its items each worker mirrors in two epochs: copied generators, the learner's."""
    data = _Flipper()
    crew = [(epoch, worker) for epoch in range(_EPOCHS) for worker in range(_CREW)]
    copied = np.array([copy.deepcopy(data).flips() for _ in crew])
    own = []
    for epoch, worker in crew:
        rng = worker_rng(_SEED, epoch, worker)
        if not isinstance(rng, np.random.Generator):
            raise AnswerError(f"worker_rng should return a NumPy generator, got {describe(rng)}")
        own.append(rng.random(_ITEMS) < 0.5)
    distinct = len({tuple(row) for row in np.array(own)})
    caption = Caption(
        title="What each worker mirrors",
        x="its first 24 items of the epoch; filled: mirrored",
        source="Drawn now, with NumPy: copies of one data set, and your generators.",
        alt=f"Rows of cells for {_CREW} workers in {_EPOCHS} epochs. With a copied generator all "
        f"rows are the same. Distinct rows with the learner's generators: {distinct} of "
        f"{len(crew)}.",
    )
    groups = [
        ("a data set with its own generator, copied", copied),
        (f"worker_rng({_SEED}, epoch, worker)", np.array(own)),
    ]
    rows = [f"epoch {epoch}, worker {worker}" for epoch, worker in crew]
    return plot_flips(groups, caption=caption, rows=rows)


_ROWS = {
    f"{workers} worker{'' if workers == 1 else 's'}, {memory} memory": {
        "workers": workers,
        "pin_memory": memory == "pinned",
    }
    for workers in (0, 1, 2, 4, 8)
    for memory in ("pageable", "pinned")
}


def draw_recorded_loading() -> Any:
    """A pass of PyTorch's DataLoader by workers, as recorded; a sentence where it was not."""
    wanted = Bars("data-loading", "A pass over 1,024 pictures", "loading with workers", _ROWS)
    return draw_recorded("PyTorch's DataLoader", "loading with workers", (wanted,))


PICTURE = draw_workers
