"""Pictures of DistributedDataParallel: two ranks beside one process; a real group of batches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from gpuedu.clock import Interval, Timeline
from gpuedu.clock.timeline import Span, intersection, length_s, union
from gpuedu.errors import AnswerError
from gpuedu.exercises.ddp_in_practice import ddp_ranks
from gpuedu.exercises.ddp_in_practice.meetings import RANKS, launch_learners
from gpuedu.exercises.ddp_in_practice.one_process import State, train_alone
from gpuedu.exercises.ddp_in_practice.play_ddp import plain_training
from gpuedu.exercises.ddp_in_practice.real_group import BATCHES, LAYERS
from gpuedu.exercises.ddp_in_practice.small_task import make_samples
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lanes
from gpuedu.units import format_time

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
        y="reported loss",
        source=f"Two processes on this machine, gloo, {TASK['samples']} made-up samples. One "
        "process has other draws.",
        alt=f"Losses over {TASK['epochs']} epochs. {told}. The largest difference of a parameter "
        f"between the two ranks' models at the end: {apart:.2g}.",
    )
    return plot_by_count(lines, caption=caption)


def _rank_lines(found: Sequence[tuple[float, ...]]) -> list[CountLine]:
    """A line for each rank, or one for both, where they tell the same."""
    if len(found[0]) == len(found[1]) and np.allclose(found[0], found[1], rtol=1e-6, atol=0):
        return [_line("both ranks", found[0], style.GREEN)]
    return [_line("rank 0", found[0], style.BLUE), _line("rank 1", found[1], style.ORANGE)]


def _line(name: str, losses: tuple[float, ...], colour: str) -> CountLine:
    return CountLine(name, tuple(range(1, len(losses) + 1)), losses, colour)


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


def draw_real_group(real: Mapping[str, Any]) -> Any:
    """What ``measure("torch-ddp", train_epoch)`` gave: one group, by the profiler."""
    if not isinstance(real, dict) or "all_reduce" not in real:
        remedy = '`real = measure("torch-ddp", train_epoch)`'
        raise AnswerError("nothing was measured", remedy=remedy)
    computing = [tuple(one) for one in (*real["forward"], *real["backward"])]
    sending = [tuple(one) for one in real["all_reduce"] if one[1] > one[0]]
    if not sending:
        raise AnswerError("no all-reduce was under way in that group", remedy="Is it wrapped?")
    whole = union(sending)
    beside = f"{100 * length_s(intersection(whole, union(computing))) / length_s(whole):.0f}%"
    end_s = real["step"][1]
    caption = Caption(
        title=f"{len(sending)} all-reduces in a group of {BATCHES} batches; {beside} of their time "
        "beside a layer",
        x="time",
        source=f"Measured here, just now: PyTorch's profiler, rank 0 of {RANKS} processes, gloo; "
        f"{LAYERS} layers: each bar of forward and backward is one.",
        alt=f"Timeline of rank 0 in a group of {BATCHES} batches, {format_time(end_s)} long: "
        f"{len(real['forward'])} layers forward and {len(real['backward'])} backward, and "
        f"{len(sending)} all-reduces. In {beside} of the time in which one was under way, a layer "
        "was computed.",
    )
    names = _name_sends(real, sending)
    rows = {
        "forward": ("work", real["forward"], [""] * len(real["forward"])),
        "backward": ("work", real["backward"], [""] * len(real["backward"])),
        "network": ("all-reduce", sending, names),
    }
    # The clock of the profiler has nanoseconds: ends and begins that meet do not overlap.
    bars = [
        Interval(lane, kind, round(a, 9), round(b, 9), name if name.isdigit() else "")
        for lane, (kind, times, labels) in rows.items()
        for (a, b), name in zip(times, labels, strict=True)
        if round(b, 9) > round(a, 9)
    ]
    ax = plot_lanes(Timeline.of(bars), caption=caption, lanes=tuple(rows), end_s=end_s)
    if names[-1] == "loss":
        _point_at_loss(ax, sending[-1][0] / end_s)
    return ax


def _name_sends(real: Mapping[str, Any], sending: Sequence[Span]) -> list[str]:
    """Numbers of buckets, and "loss" behind them; no names where these are not all there is."""
    buckets = real.get("buckets", 0)
    numbers = [str(place) for place in range(1, buckets + 1)]
    if len(sending) == buckets:
        return numbers
    last_s = max(one[1] for one in real["backward"])
    if len(sending) == buckets + 1 and sending[-1][0] > last_s:
        return [*numbers, "loss"]
    return [""] * len(sending)


def _point_at_loss(ax: Any, share: float) -> None:
    """Name a bar of the last lane that is too narrow for a text; ``share`` of the time axis."""
    place = share * ax.get_xlim()[1], ax.get_yticks()[-1]
    arrow = {"arrowstyle": "-", "color": style.QUIET, "shrinkA": 0, "shrinkB": 2}
    look = {"textcoords": "offset points", "fontsize": 9.5, "color": style.INK}
    ax.annotate("loss", place, (0, 32), ha="center", arrowprops=arrow, **look)


DDP_PICTURES = {"torch-ddp": draw_training, "ddp-in-practice/real-group": draw_real_group}
