"""batch-job: when the learner's job runs, and when it would with a limit of 24 hours."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.clusters.batch_job.cluster_here import MINE, NODE, NODES, WORK_MIN, runs_of
from gpuedu.exercises.clusters.slurm.allocation import Allocation, AllocationError, allocate
from gpuedu.exercises.clusters.slurm.script import ScriptError, read_script
from gpuedu.exercises.documents import MOST_CHARACTERS
from gpuedu.exercises.plain import text
from gpuedu.figures.caption import Caption
from gpuedu.figures.cluster_jobs import Cluster, JobBlock, plot_cluster_jobs

_DAY_MIN = 24 * 60


def draw_batch_job(script: Any) -> Any:
    """Two clusters below each other: the limit that the script asks for, and 24 hours."""
    given = _given(text(script, "`script`", MOST_CHARACTERS))
    clusters = [_cluster(given)]
    if given.minutes != _DAY_MIN:
        clusters.append(_cluster(replace(given, minutes=_DAY_MIN)))
    caption = Caption(
        title="The same training with two time limits",
        x="hours from now",
        y="node",
        source=f"Simulated: conservative backfill, {WORK_MIN // 60} h of training, a checkpoint at "
        "each limit.",
        alt="Rows for six nodes over hours, with the blocks of jobs. "
        + " ".join(f"{one.says}." for one in clusters),
    )
    return plot_cluster_jobs(clusters, caption=caption)


def _given(script: str) -> Allocation:
    try:
        given = allocate(read_script(script).options, NODE)
    except (ScriptError, AllocationError) as fault:
        raise AnswerError(f"`sbatch` refuses the script: {fault}") from None
    if given.nodes > NODES:
        raise AnswerError(f"the job asks for {given.nodes} nodes, and there are {NODES}")
    return given


def _cluster(given: Allocation) -> Cluster:
    others, mine = runs_of(given)
    blocks = [
        JobBlock(
            run.job.name, run.nodes, run.start_min / 60, run.end_min / 60, run.job.name == MINE
        )
        for run in (*others, *mine)
    ]
    hours, minutes = divmod(given.minutes, 60)
    limit = f"{hours} h {minutes} min" if minutes else f"{hours} h"
    start, end = mine[0].start_min / 60, mine[-1].end_min / 60
    starts = "starts at once" if start == 0 else f"starts after {start:.3g} h"
    done = mine[-1].job.takes_min <= mine[-1].job.limit_min
    ends = f"done after {end:.1f} h" if done else "never done: it is always starting"
    return Cluster(f"Limit {limit}: your job {starts}, {ends}", NODES, tuple(blocks))


PICTURE = draw_batch_job
