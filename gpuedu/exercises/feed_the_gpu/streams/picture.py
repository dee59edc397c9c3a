"""A pipeline's timeline by engine, below that of the same work one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from gpuedu.clock import Race, Timeline
from gpuedu.exercises.feed_the_gpu.streams.pipelines import (
    ALIKE,
    LANES,
    SHOWN,
    PipelineRun,
    Work,
    run_in_turn,
    run_pipeline,
    some_values,
)
from gpuedu.figures.caption import Caption
from gpuedu.figures.lanes import plot_lane_groups
from gpuedu.units import MS


def draw_streams(pipeline: Callable[..., Any]) -> Any:
    """Five chunks, one after the other and by the learner's pipeline, with its races.

    One without a race is drawn of other stages, too, whose order may cost what it does not here.
    """
    values = some_values(np.random.default_rng(0), SHOWN.chunks)
    in_turn, own = (run_pipeline(one, SHOWN, values) for one in (run_in_turn, pipeline))
    name = _name(pipeline)
    groups = [(f"one after the other: {in_turn.end_s / MS:.3g} ms", _without_launches(in_turn))]
    groups.append((f"{name}: {_how_it_went(own, values)}", _without_launches(own)))
    best = f"Simulated: {_told(SHOWN)}; no race-free run is shorter than {SHOWN.best_s / MS:g} ms"
    races = own.races
    if not races and _count_right(own, values) == SHOWN.chunks:
        alike = run_pipeline(pipeline, ALIKE, values)
        said = f"{name}, each stage {ALIKE.run_s / MS:g} ms: {_how_it_went(alike, values)}"
        groups.append((said, _without_launches(alike)))
        best += f"; of {ALIKE.run_s / MS:g} ms each, than {ALIKE.best_s / MS:g} ms"
    caption = Caption(
        title="Five chunks through the device",
        x="simulated time",
        source=f"{best}.",
        alt="Timelines of host, copies and kernels. "
        + "; ".join(said for said, _ in groups)
        + _told_races(races)
        + ".",
    )
    return plot_lane_groups(groups, caption=caption, lanes=LANES, races=[(), races])


def _told(work: Work) -> str:
    return (
        f"{work.up_s / MS:g} ms to the device, {work.run_s / MS:g} ms in the kernel, "
        f"{work.down_s / MS:g} ms back"
    )


def _told_races(races: Sequence[Race]) -> str:
    """How many races of each buffer."""
    counts = Counter(race.buffer for race in races)
    told = ", ".join(f"{count} on {buffer}" for buffer, count in counts.items())
    return f". Races: {told}" if told else ""


def _without_launches(run: PipelineRun) -> Timeline:
    """Issuing takes the host microseconds, which nobody could see."""
    return Timeline.of([one for one in run.timeline.intervals if one.kind != "launch"])


def _name(pipeline: Callable[..., Any]) -> str:
    """The draft is drawn, too: a function goes by its name."""
    return pipeline.__name__[:20] if isinstance(pipeline, FunctionType) else "yours"


def _how_it_went(run: PipelineRun, values: list[np.ndarray]) -> str:
    count = len(run.races)
    said = f"{run.end_s / MS:.3g} ms"
    said += f", {count} race{'' if count == 1 else 's'}" if count else ", no race"
    wrong = len(values) - _count_right(run, values)
    return f"{said}, {wrong} of {len(values)} results wrong" if wrong else said


def _count_right(run: PipelineRun, values: list[np.ndarray]) -> int:
    return sum(
        type(got) is np.ndarray and np.array_equal(got, 2 * value + 1)
        for got, value in zip(run.got, values, strict=True)
    )


PICTURE = draw_streams
