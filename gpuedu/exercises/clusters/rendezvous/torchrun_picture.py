"""The picture of lives under real ``torchrun``, from what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.clusters.rendezvous.diary import Entry
from gpuedu.exercises.clusters.rendezvous.elastic_job import NEAR, Job
from gpuedu.exercises.clusters.rendezvous.lives import Shelf
from gpuedu.exercises.clusters.rendezvous.measure import SHAPE
from gpuedu.exercises.clusters.rendezvous.picture import in_words
from gpuedu.figures.caption import Caption
from gpuedu.figures.lives import DrawnLife, plot_lives


def draw_torchrun(lives: Mapping[str, Any]) -> Any:
    """Workers of two agents by time, and which rank each was in each life.

    Args:
        lives: what ``measure("rendezvous", train)`` gave.
    """
    if not lives:
        raise AnswerError("there is nothing measured yet", remedy="Run the line before this one.")
    entries, agents = lives["entries"], lives["agents"]
    drawn = real_lives(entries, agents)
    rows = sorted({worker for one in drawn for worker in one.workers})
    off = distance(entries)
    same = "the same weights as one process" if off < NEAR else f"weights off by {off:.1g}"
    restarts = {f"{one['life'] + 1}{one['agent']}": one["restarts"] for one in entries}
    counts = "; ".join(
        f"life {life + 1}: "
        + ", ".join(
            f"{agent} {restarts[key]}"
            for agent in "AB"
            if (key := f"{life + 1}{agent}") in restarts
        )
        for life in range(len(drawn))
    )
    caption = Caption(
        title=f"{len(drawn)} real lives under torchrun, and {same}",
        x="time; pauses, and lives that were very short, are not to scale",
        source="Run here, just now: two agents of torchrun, A and B, with two workers each; gloo.\n"
        f"Restarts that each agent counted: {counts}.",
        alt=f"{in_words(drawn)} It ends with {same}. Restart counts: {counts}.",
    )
    return plot_lives(drawn, caption=caption, rows=rows)


def real_lives(entries: Sequence[Entry], agents: Sequence[Sequence[Any]]) -> list[DrawnLife]:
    """Lives from the workers' diaries; a worker is its agent and its number there."""
    found: list[DrawnLife] = []
    for number in range(1 + max(one["life"] for one in entries)):
        own = [one for one in entries if one["life"] == number]
        by_rank = {one["rank"]: f"{one['agent']}{one['local_rank']}" for one in own}
        workers = tuple(by_rank[rank] for rank in sorted(by_rank))
        saves = tuple(one["at"] for one in own if one["kind"] == "save")
        dead: list[str] = []
        start_s, end_s = own[0]["at"], max(one["at"] for one in own if one["kind"] != "cut off")
        later = [one for one in entries if one["life"] == number + 1]
        for name, what, at in agents:
            is_over = what == "killed" and later and start_s <= at < later[0]["at"]
            dead += [one for one in workers if one.startswith(name)] if is_over else []
        before = found[-1].workers if found else workers
        joined = tuple(one for one in workers if one not in before)
        found.append(DrawnLife(workers, start_s, end_s, saves, tuple(dead), joined))
    return found


def distance(entries: Sequence[Entry]) -> float:
    """The largest difference of a weight or its momentum, on any rank, from one process's."""
    job = Job(SHAPE, Shelf().seen_by(0), lambda *_: None)
    for epoch in range(SHAPE.epochs):
        order = job.order(epoch)
        for at in range(0, SHAPE.samples, SHAPE.batch):
            batch, total = order[at : at + SHAPE.batch], job.zeros()
            for one in batch:
                total += job.gradient([one])
            job.step(total / len(batch))
    wanted = np.array(job.numbers())
    ends = [np.array(one["numbers"]) for one in entries if one["kind"] == "end"]
    return max(float(np.abs(one - wanted).max()) for one in ends)
