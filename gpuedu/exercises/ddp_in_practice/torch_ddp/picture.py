"""torch-ddp: its picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from gpuedu.exercises.ddp_in_practice.torch_ddp import ddp_ranks
from gpuedu.exercises.ddp_in_practice.torch_ddp.meetings import RANKS, launch_learners
from gpuedu.exercises.ddp_in_practice.torch_ddp.one_process import State
from gpuedu.exercises.ddp_in_practice.torch_ddp.play import plain_training
from gpuedu.exercises.ddp_in_practice.torch_ddp.small_task import make_samples
from gpuedu.exercises.ddp_in_practice.torch_ddp.updates_alone import train_alone
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption

TASK = {"samples": 63, "epochs": 8, "batch": 4, "every": 2, "seed": 1}


_ROUNDING = 1e-9


def draw_training(train: Callable[..., Any]) -> Any:
    """The losses of two real ranks that run ``train``, beside one process with all samples."""
    run = launch_learners(ddp_ranks.run_trainings, train, [TASK], name="train")
    ranks = [plain_training(tasks[0]) for tasks in run.results]
    found = [tuple(one["losses"]) for one in ranks]
    _, alone = _train_alone()
    apart = _distance(*(one["state"] for one in ranks))
    lines = [_line("one process", tuple(alone), style.QUIET), *_rank_lines(found)]
    said = "equal" if apart < _ROUNDING else f"{apart:.2g} apart"
    told = "; ".join(f"{line.name}: {_span(line.values)}" for line in lines)
    caption = Caption(
        title=f"Two ranks: at the end their models are {said}",
        x="epoch",
        y="reported loss (nat)",
        source=f"Two processes on this machine, gloo, {TASK['samples']} made-up samples. The "
        "single process draws differently.",
        alt=f"Losses over {TASK['epochs']} epochs. {told}. The largest difference of a parameter "
        f"between the two ranks' models at the end: {apart:.2g}.",
    )
    return plot_by_count(lines, caption=caption)


def _rank_lines(found: Sequence[tuple[float, ...]]) -> list[CountLine]:
    """A line for each rank, or one for both, where they tell the same."""
    if len(found[0]) == len(found[1]) and np.allclose(found[0], found[1], rtol=1e-6, atol=0):
        return [_line("both ranks", found[0], style.GREEN)]
    return [_line("rank 0", found[0], style.BLUE), _line("rank 1", found[1], style.ORANGE)]


def _line(name: str, losses: tuple[float, ...], color: str) -> CountLine:
    return CountLine(name, tuple(range(1, len(losses) + 1)), losses, color)


@quiet_torch()
def _train_alone() -> tuple[State, list[float]]:
    """One process with rank 0's model, and as large a batch; its draws are of its own."""
    chance = torch.Generator().manual_seed(0)
    samples, epochs = TASK["samples"], range(TASK["epochs"])
    orders = [torch.randperm(samples, generator=chance).tolist() for _ in epochs]
    draws = [[order] for order in orders]
    data = make_samples(samples, TASK["seed"])
    return train_alone(TASK["seed"], data, draws, RANKS * TASK["batch"], TASK["every"])


def _span(values: tuple[float, ...]) -> str:
    return f"from {values[0]:.3g} to {values[-1]:.3g}" if values else "none"


def _distance(mine: State, theirs: State) -> float:
    """The largest difference of a parameter; infinite where they do not have the same."""
    if {k: v.shape for k, v in mine.items()} != {k: v.shape for k, v in theirs.items()}:
        return float("inf")
    return max((float(np.abs(mine[k] - theirs[k]).max()) for k in mine), default=0.0)


PICTURE = draw_training
