"""When jobs start: first the one of highest priority, and others where they delay nobody before.

Slurm's backfill scheduler looks through the queue in order of priority. A job that can't start now
gets a reservation: the earliest time from which on enough nodes are free for the whole of its
limit, if all that runs goes on to its limit. A job further back starts now only where that moves no
reservation. Who has used more than their share has a lower priority (fair share).

Simplified: all nodes are equal and in one partition, priorities are computed whenever something
ends or is handed in, and what a user has used doesn't decay. Source: Slurm's documentation,
"Scheduling Configuration Guide" and "Multifactor Priority Plugin".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

_AGE_WEIGHT, _SHARE_WEIGHT = 1_000, 10_000
_OLDEST_MIN = 7 * 24 * 60
"""A job's age counts up to here: PriorityMaxAge, by default a week."""


@dataclass(frozen=True)
class Amount:
    """GPUs, cores and memory of a node, or what a job wants of each of its nodes."""

    gpus: int
    cores: int
    memory_mb: int

    def fits(self, room: Amount) -> bool:
        """Whether there is room for it."""
        return (
            self.gpus <= room.gpus and self.cores <= room.cores and self.memory_mb <= room.memory_mb
        )

    def without(self, other: Amount) -> Amount:
        """What is left."""
        return Amount(
            self.gpus - other.gpus, self.cores - other.cores, self.memory_mb - other.memory_mb
        )


@dataclass(frozen=True)
class Job:
    """A job: on how many nodes, what of each, its limit, and how long it really takes."""

    name: str
    user: str
    nodes: int
    wants: Amount
    limit_min: float
    takes_min: float
    submitted_min: float = 0.0

    @property
    def runs_min(self) -> float:
        """How long it runs: never beyond its limit."""
        return min(self.limit_min, self.takes_min)


@dataclass(frozen=True)
class Placed:
    """A job that was started, on which nodes."""

    job: Job
    start_min: float
    nodes: tuple[int, ...]

    @property
    def end_min(self) -> float:
        """When it has really ended."""
        return self.start_min + self.job.runs_min

    @property
    def until_min(self) -> float:
        """When it ends at the latest, as far as the scheduler knows."""
        return self.start_min + self.job.limit_min


@dataclass
class Cluster:
    """Equal nodes, users' shares and what they have used (node hours), and all that was placed."""

    nodes: int
    has: Amount
    shares: Mapping[str, float] = field(default_factory=dict)
    used: dict[str, float] = field(default_factory=dict)
    placed: list[Placed] = field(default_factory=list)

    def priority(self, job: Job, now_min: float) -> float:
        """Higher is earlier: by age, and by how little of their share a user has used."""
        age = min(1.0, (now_min - job.submitted_min) / _OLDEST_MIN)
        share = self.shares.get(job.user, 1.0) / (sum(self.shares.values()) or 1.0)
        part = self.used.get(job.user, 0.0) / (sum(self.used.values()) or 1.0)
        return _AGE_WEIGHT * age + _SHARE_WEIGHT * 2 ** (-part / share)

    def start(self, job: Job, now_min: float, nodes: tuple[int, ...]) -> Placed:
        """Place a job."""
        one = Placed(job, now_min, nodes)
        self.placed.append(one)
        used = len(nodes) * job.runs_min / 60
        self.used[job.user] = self.used.get(job.user, 0.0) + used
        return one


def schedule(
    cluster: Cluster,
    jobs: Iterable[Job],
    requeued: Callable[[Placed], Job | None] = lambda placed: None,
) -> list[Placed]:
    """Place all jobs, and return them in the order of their starts.

    Jobs that want more than all nodes have are never started, and are left out.
    ``requeued`` gives the job that is handed in again when one has ended, if there is one.
    """
    waiting = [job for job in jobs if job.nodes <= cluster.nodes and job.wants.fits(cluster.has)]
    found: list[Placed] = []
    now_min = 0.0
    while waiting:
        here = [job for job in waiting if job.submitted_min <= now_min]
        started = pass_once(cluster, here, now_min)
        found += started
        done = {id(one.job) for one in started}
        waiting = [job for job in waiting if id(job) not in done]
        waiting += [job for job in map(requeued, started) if job]
        later = [one.end_min for one in cluster.placed] + [job.submitted_min for job in waiting]
        now_min = min((at for at in later if at > now_min), default=now_min)
    return found


def pass_once(cluster: Cluster, waiting: Sequence[Job], now_min: float) -> list[Placed]:
    """Start what may start now, in one look through the queue."""
    running = [one for one in cluster.placed if one.start_min <= now_min < one.end_min]
    plan, started = list(running), []
    for job in sorted(waiting, key=lambda job: -cluster.priority(job, now_min)):
        at_min, nodes = _earliest(cluster, plan, job, now_min)
        if at_min == now_min:
            started.append(cluster.start(job, now_min, nodes))
        plan.append(Placed(job, at_min, nodes))
    return started


def _earliest(
    cluster: Cluster, plan: Sequence[Placed], job: Job, now_min: float
) -> tuple[float, tuple[int, ...]]:
    """The first time from which on enough nodes have room for the whole limit, and those nodes."""
    ends = sorted({now_min} | {one.until_min for one in plan if one.until_min > now_min})
    for at_min in ends:
        until_min = at_min + job.limit_min
        others = [one for one in plan if one.start_min < until_min and at_min < one.until_min]
        nodes = [
            node for node in range(cluster.nodes) if _has_room(cluster, others, node, job, at_min)
        ]
        if len(nodes) >= job.nodes:
            return at_min, tuple(nodes[: job.nodes])
    raise ValueError(f"{job.name} fits nowhere")


def _has_room(
    cluster: Cluster, others: Sequence[Placed], node: int, job: Job, at_min: float
) -> bool:
    """Whether a node has room for a job all the time: from its start, and at each later start."""
    here = [one for one in others if node in one.nodes]
    for moment in {at_min} | {one.start_min for one in here if one.start_min > at_min}:
        room = cluster.has
        for one in here:
            if one.start_min <= moment < one.until_min:
                room = room.without(one.job.wants)
        if not job.wants.fits(room):
            return False
    return True
