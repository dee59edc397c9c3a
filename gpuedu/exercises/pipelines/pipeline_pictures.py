"""Pictures of schedules: what each stage does when, what it keeps, and where it is stuck."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.pipelines.pipeline_runs import Costs, PipelineRun, Step, run_lists
from gpuedu.exercises.pipelines.schedules import BACKWARD, FORWARD, Action, Lists
from gpuedu.exercises.pipelines.stuck import tell_stuck
from gpuedu.exercises.plain import whole_number
from gpuedu.figures.caption import Caption
from gpuedu.figures.pipelines import PipelineBox, PipelineRow, plot_pipeline

MOST_STAGES, MOST_MICRO_BATCHES = 8, 16
"""What is drawn; with more the numbers would have no room."""


def draw_no_micro_batches() -> Any:
    """Four stages and the whole batch: one stage works at a time."""
    lists = [[Action(FORWARD, 0), Action(BACKWARD, 0)]] * 4
    source = (
        "Simulated: forward takes 1, backward 2. Number 0: the batch.\n"
        "Kept at once: how many batches a stage keeps the activations of. Lines: the end, the most."
    )
    return draw_lists(lists, 1, [1] * 4, "Four stages, the whole batch at once", source=source)


PICTURES = {"pipelines/whole-batch": draw_no_micro_batches}
"""For ``pictures.PICTURES`` of the lesson."""


def counts_of(stages: Any, micro_batches: Any) -> tuple[int, int]:
    """How much to draw, as a learner wrote it.

    Raises:
        AnswerError: these are no numbers, or too many to be drawn.
    """
    found = whole_number(stages, "`stages`"), whole_number(micro_batches, "`micro_batches`")
    for count, most, name in zip(
        found, (MOST_STAGES, MOST_MICRO_BATCHES), ("stages", "micro-batches"), strict=True
    ):
        if not 1 <= count <= most:
            raise AnswerError(f"{count} {name} cannot be drawn", remedy=f"From 1 to {most}.")
    return found


def draw_lists(
    lists: Lists,
    micro_batches: int,
    most: Sequence[int],
    title: str,
    *,
    chunks: int = 1,
    costs: Costs | None = None,
    source: str = "",
) -> Any:
    """Draw what comes of lists, with the time and the memory that a right schedule takes.

    Args:
        lists: the actions of each stage.
        micro_batches: how many there are.
        most: how many each stage may keep at once.
        title: what it is; time and idle share are added.
        chunks: of each stage.
        costs: times; by default backward takes twice as long as forward.
        source: below the picture; by default what is simulated, and what numbers and lines are.
    """
    costs = costs or Costs()
    run = run_lists(lists, chunks, costs)
    stages = len(lists)
    best = (micro_batches + (stages - 1) / chunks) * (costs.forward + costs.backward)
    rows = [_row(run, stage, one, costs, chunks) for stage, one in enumerate(most)]
    kept = ", ".join(str(row.kept) for row in rows)
    said = tell_stuck(run, chunks)[0] if run.waits else _tell_time(run)
    many = f"forward takes {costs.forward:g}, backward {costs.backward:g}"
    if chunks > 1:
        one = f"{costs.forward / chunks:g} and {costs.backward / chunks:g}"
        many = f"with all its chunks a stage's {many}; with one of them {one}"
    message = f"; a message {costs.message:g}" if costs.message else ""
    line = "" if costs.message else "the time, and "
    caption = Caption(
        title=f"{title}: {'no stage can go on' if run.waits else said}",
        x="time, in forward passes of a stage",
        source=source
        or f"Simulated: {many}{message}.\nNumbers: micro-batches. "
        f"Lines: {line}what may be kept, by the rules.",
        alt=f"A row of boxes for each of {stages} stages. {title}: {said}. Kept at once, "
        f"by stage: {kept}.",
    )
    boxes = [_box(one) for one in run.steps]
    room = micro_batches * chunks
    kept_name = "pieces kept" if chunks > 1 else "kept at once"
    return plot_pipeline(
        boxes,
        rows,
        best=best,
        room=room,
        caption=caption,
        chunks=chunks,
        kept_name=kept_name,
        is_free=bool(costs.message) and not run.waits,
    )


def _tell_time(run: PipelineRun) -> str:
    idle = 100 * sum(run.idle_share(stage) for stage in range(run.stages)) / run.stages
    return f"it takes {run.time:g}, and {idle:.0f}% is idle"


def _box(step: Step) -> PipelineBox:
    action = step.action
    is_forward = action.kind == FORWARD
    return PipelineBox(
        step.stage, action.micro_batch, step.start, step.end, is_forward, action.chunk
    )


def _row(run: PipelineRun, stage: int, most: int, costs: Costs, chunks: int) -> PipelineRow:
    kept = run.most_kept(stage)
    wait = run.waits.get(stage)
    if wait is None:
        return PipelineRow(kept, most)
    start = max((one.end for one in run.of_stage(stage)), default=0.0)
    took = costs.forward if wait.action.kind == FORWARD else costs.backward
    box = _box(Step(stage, wait.action, start, start + took / chunks))
    whom = "its own" if wait.on == stage else f"stage {wait.on}:"
    why = f"{wait.action.short(chunks)} waits for {whom} {wait.needs.short(chunks)}"
    return PipelineRow(kept, most, box, why)
