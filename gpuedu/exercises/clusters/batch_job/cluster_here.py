"""The cluster of the exercise, and its queue: six nodes, of which two are free for four hours."""

from __future__ import annotations

from dataclasses import replace

from gpuedu.exercises.clusters.slurm.allocation import Allocation, Node
from gpuedu.exercises.clusters.slurm.scheduling import Amount, Cluster, Job, Placed, schedule

NODES = 6
NODE = Node(
    cores=64, memory_mb=512_000, gpus=4, gpu_type="h100", default_mb=4_000, default_minutes=30
)
LONGEST_MIN = 24 * 60
"""The partition's limit."""
WORK_MIN, STARTS_MIN = 9 * 60, 6
"""How long the program has to compute, and how long a start takes."""
REQUEUE_MIN = 2
"""A job that was requeued doesn't start earlier: its processes may still be ending."""
_ALL = Amount(NODE.gpus, NODE.cores, NODE.memory_mb)
MINE = "your job"


def others() -> Cluster:
    """The cluster at the moment when you hand in your job, with what runs on it."""
    shares = {"you": 1.0, "ana": 1.0, "ben": 1.0, "chi": 1.0}
    cluster = Cluster(NODES, _ALL, shares, {"you": 300.0, "ben": 200.0, "chi": 100.0})
    for name, user, first, count, hours in (
        ("speech", "ben", 0, 1, 2.0),
        ("vision", "chi", 1, 2, 4.0),
        ("search", "ben", 3, 1, 3.0),
    ):
        job = Job(name, user, count, _ALL, 60 * hours, 60 * hours)
        cluster.placed.append(Placed(job, 0.0, tuple(range(first, first + count))))
    return cluster


BIG = Job("weather", "ana", NODES, _ALL, 360.0, 360.0)
"""First in line: it needs all nodes."""


def runs_of(given: Allocation) -> tuple[list[Placed], list[Placed]]:
    """All others' runs, and those of a job that goes on from its checkpoint after each limit.

    Where a limit leaves less time for work than a start takes, it isn't handed in again.
    """
    cluster, wants = others(), Amount(given.gpus, max(given.cores_on), max(given.memory_on))
    first = Job(MINE, "you", given.nodes, wants, given.minutes, WORK_MIN + STARTS_MIN)
    schedule(cluster, [BIG, first], _goes_on)
    mine = [one for one in cluster.placed if one.job.name == MINE]
    return [one for one in cluster.placed if one.job.name != MINE], mine


def _goes_on(run: Placed) -> Job | None:
    job = run.job
    left_min = job.takes_min - (job.runs_min - STARTS_MIN)
    if job.name != MINE or job.takes_min <= job.limit_min or job.limit_min < 2 * STARTS_MIN:
        return None
    return replace(job, takes_min=left_min, submitted_min=run.end_min + REQUEUE_MIN)
