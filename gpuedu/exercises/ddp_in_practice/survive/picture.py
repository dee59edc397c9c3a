"""survive: its picture."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

from gpuedu.exercises.ddp_in_practice.survive.interrupted_job import Shape
from gpuedu.exercises.ddp_in_practice.survive.planted_deaths import Plan
from gpuedu.exercises.ddp_in_practice.survive.survival_runs import RANKS, Survival, run_survival
from gpuedu.exercises.ddp_in_practice.survive.survival_story import Story, is_half_a_file
from gpuedu.figures import style
from gpuedu.figures.by_count import CountLine, plot_by_count
from gpuedu.figures.caption import Caption

SHAPE, EVERY = Shape(epochs=4, steps=7, seed=7), 3


PLAN = Plan(step=13, rank=1, write=18, naming=21)


_COLORS = (style.BLUE, style.ORANGE, style.GREEN, style.PINK)


_LONG = 100


_DIED = {
    "step": "killed in a step",
    "save": "killed while writing",
    "name": "killed before the rename",
}


def draw_survival(*answers: Callable[..., Any]) -> Any:
    """The steps that rank 0 trained, one after another, with deaths and checkpoints.

    Args:
        *answers: ``save`` and ``train_job``, or ``train_job`` alone.
    """
    run = run_survival(answers[0], answers[-1], SHAPE, EVERY, PLAN)
    story = Story(run.entries)
    lines, begin = [], 1
    for attempt in range(1 + max((one["attempt"] for one in story.entries), default=0)):
        steps = story.steps("broken", 0, attempt)
        if not steps:
            continue
        counts = tuple(range(begin, begin + len(steps)))
        death = story.death(attempt)
        name = _DIED[death["how"]] if death else "to the end" if not run.failure else "it stops"
        numbers = tuple(float(step + 1) for step in steps)
        lines.append(CountLine(name, counts, numbers, _COLORS[attempt]))
        begin += len(steps)
    told = _outcome(story, run)
    cost = "" if run.failure else f": {begin - 1} steps for the {SHAPE.all_steps} of the run"
    caption = Caption(
        title=f"{told}{cost}",
        x="steps that were trained, in order",
        y="step of the run, from 1",
        source=f"Run here, just now: {RANKS} processes, gloo, {_saved(story)}; "
        f"only rank 0 is shown, each start in its own color.{_in_short(run)}",
        alt=f"{told}. " + _in_words(story),
    )
    return plot_by_count(lines, caption=caption)


def _outcome(story: Story, run: Survival) -> str:
    if run.failure:
        return f"After {run.attempt} deaths it does not start again"
    wanted = {one["rank"]: one["weights"] for one in story.of("unbroken", "end")}
    ends = story.of("broken", "end")
    is_equal = all(one["weights"] == wanted[one["rank"]] for one in ends)
    same, differs = "bit for bit equal to", "with different weights than"
    how = f"{same if is_equal else differs} the unbroken run"
    deaths = len(story.of("broken", "death"))
    return f"{deaths} {'death' if deaths == 1 else 'deaths'}, {how}"


def _saved(story: Story) -> str:
    """How often there was a checkpoint, as it was seen."""
    found = story.checkpoints("unbroken")
    if not found:
        return "no checkpoint"
    every = found[0]
    if found[:-1] == [every * place for place in range(1, len(found))]:
        return f"a checkpoint every {every} steps"
    return f"the first checkpoint after step {every}"


def _in_short(run: Survival) -> str:
    """A failure in two lines at most, cut between words."""
    is_half = run.attempt > 1 and is_half_a_file(run.failure)
    told = f"It loads half a file: {run.failure}" if is_half else run.failure
    lines = textwrap.wrap(told, _LONG, max_lines=2, placeholder=" ...")
    return "".join(f"\n{line}" for line in lines)


def _in_words(story: Story) -> str:
    told = []
    for attempt in range(4):
        steps = story.steps("broken", 0, attempt)
        if steps:
            told.append(f"Start {attempt + 1} trains steps {steps[0] + 1} to {steps[-1] + 1}")
    return ". ".join(told) + "."


PICTURE = draw_survival
