"""What happens to the pods of a training job, minute by minute: placed, started, killed, replaced.

A model of a Job's controller (and of Kubeflow's operator, as far as it does the same), of the
kubelet and of a program that saves a checkpoint at SIGTERM. What it leaves out: waiting times that
grow between restarts, pulling images a second time, disks and networks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gpuedu.exercises.clusters.kubernetes.scheduling import Node, place
from gpuedu.exercises.clusters.kubernetes.workloads import Failures, PodSpec

PENDING, STARTS, WAITS = "Pending", "starts", "waits"
TRAINS, REPEATS = "trains", "trains again"
_START, _JOIN, _SOON = 4.0, 10.0, 3.0
"""Minutes that a container needs to start, that ``torchrun`` waits for others by default, and
after which loaders are busy."""


@dataclass(frozen=True)
class Program:
    """What a program needs and does, of the pods as a whole.

    Attributes:
        minutes: Of training, without interruptions.
        save: Minutes that a checkpoint takes at SIGTERM.
        early_end: Why the program of a pod ends soon after its start, or nothing.
        apart: Why the pods don't meet, or nothing.
        keeps: Whether a checkpoint outlives its pod.
        pods: How many have to meet.
    """

    minutes: float
    save: float
    early_end: Callable[[PodSpec], str]
    apart: str
    keeps: bool
    pods: int


@dataclass(frozen=True)
class Span:
    """Minutes of a pod's life: what it does, where, from when to when, and how that ends."""

    pod: int
    kind: str
    node: str
    start: float
    end: float
    note: str = ""


@dataclass
class Day:
    """All that happened.

    ``state`` is ``Complete``, ``Failed``, or ``Running`` where it goes on beyond the last minute;
    ``lost`` is training that was done once more, in minutes, and ``done`` what is done at the end.
    """

    spans: list[Span] = field(default_factory=list)
    state: str = "Running"
    why: str = ""
    lost: float = 0.0
    done: float = 0.0
    end: float = 0.0


def live(
    pods: Sequence[PodSpec],
    nodes: Sequence[Node],
    claims: Sequence[str],
    program: Program,
    failures: Failures,
    drains: Sequence[float],
    horizon: float,
) -> Day:
    """The pods of a job until it has ended, or until the last minute.

    Args:
        pods: that should run at the same time.
        nodes: of the cluster.
        claims: names of PersistentVolumeClaims that exist.
        program: what runs in them.
        failures: how the job counts them.
        drains: minutes at which the node of the first pod is emptied, if it trains then.
        horizon: the last minute.
    """
    return _Lives(pods, nodes, claims, program, failures, drains, horizon).run()


class _Lives:
    def __init__(
        self,
        pods: Sequence[PodSpec],
        nodes: Sequence[Node],
        claims: Sequence[str],
        program: Program,
        failures: Failures,
        drains: Sequence[float],
        horizon: float,
    ) -> None:
        self.pods, self.nodes, self.claims = pods, nodes, claims
        self.program, self.rule, self.horizon = program, failures, horizon
        self.drains = [*drains]
        self.day, self.now, self.saved, self.best = Day(), 0.0, 0.0, 0.0
        self.failed, self.restarted = 0, 0
        self.where: dict[int, Node] = {}
        self.cordoned: list[str] = []

    def run(self) -> Day:
        while self.now < self.horizon and self.day.state == "Running":
            self._round()
        self.day.end = self.now
        self.day.done = max(self.day.done, self.saved)
        return self.day

    def _round(self) -> None:
        """From the start of all pods that aren't there to the next failure, or to the end."""
        begin, events = self.now, self._place()
        self._run()
        for i, event in events.items():
            self.day.spans.append(Span(i, PENDING, "", begin, self.now, event))

    def _run(self) -> None:
        if not self.where:
            self.now = self.horizon
            return
        begin = self.now
        for i in self.where:
            self._add(i, STARTS, begin + _START)
        self.now = min(begin + _START, self.horizon)
        why = self.program.apart or ("" if not self._are_few() else "its peer isn't there")
        if why:
            for i in self.where:
                self._add(i, WAITS, self.now + _JOIN, why)
            self.now += _JOIN
            self._fail(len(self.where))
            return
        self._train()

    def _are_few(self) -> bool:
        return len(self.where) < self.program.pods

    def _place(self) -> Mapping[int, str]:
        events = {}
        for i, pod in enumerate(self.pods):
            if i in self.where:
                continue
            used: dict[str, list[PodSpec]] = {}
            for j, node in self.where.items():
                used.setdefault(node.name, []).append(self.pods[j])
            found = place(pod, self.nodes, used, self.claims, self.cordoned)
            if found.node is None:
                events[i] = found.event
            else:
                self.where[i] = found.node
        return events

    def _train(self) -> None:
        early = {i: self.program.early_end(self.pods[i]) for i in self.where}
        if any(early.values()):
            for i, why in early.items():
                self._add(i, TRAINS, self.now + _SOON, why or "its peer is gone")
            self.now += _SOON
            self._fail(len(self.where))
            return
        left = self.program.minutes - self.saved
        while self.drains and self.drains[0] <= self.now:
            self.drains.pop(0)
        until = min(self.now + left, self.horizon)
        if self.drains and self.drains[0] < until:
            self._drain(self.drains.pop(0))
            return
        for i in self.where:
            self._work(i, until)
        self.day.done = self.saved + until - self.now
        self.now = until
        if self.day.done >= self.program.minutes:
            self.day.state = "Complete"

    def _drain(self, at: float) -> None:
        """The first pod's node is emptied, and stays closed until the next time."""
        done = self.saved + at - self.now
        grace = self.pods[0].grace_s / 60
        node = self.where[0]
        is_saved = grace >= self.program.save
        end = at + min(grace, self.program.save)
        note = "evicted, after it saved" if is_saved else "killed, before it had saved"
        if not self.program.keeps:
            note = "evicted, and its checkpoint is gone with it"
        for i in self.where:
            self._work(i, end, note if i == 0 else "fails: its peer is gone")
        self.now = end
        kept = (done if is_saved else self.saved) if self.program.keeps else 0.0
        self.best = max(self.best, done)
        self.day.lost += done - kept
        self.saved = kept
        self.day.done = kept
        self.cordoned = [node.name]
        del self.where[0]
        self._fail(len(self.where), evicted=1)

    def _fail(self, containers: int, evicted: int = 0) -> None:
        self.failed += evicted * self.rule.per_eviction
        self.restarted += containers if self.rule.in_place else 0
        self.failed += 0 if self.rule.in_place else containers
        if not self.rule.restarts and containers:
            self.day.state, self.day.why = "Failed", "a container failed, and isn't started again"
        elif self.rule.is_exceeded(self.failed, self.restarted):
            counts = f"{self.failed} failed pods, {self.restarted} restarts"
            self.day.state = "Failed"
            self.day.why = f"{counts}, and backoffLimit is {self.rule.limit:g}"

    def _work(self, pod: int, until: float, note: str = "") -> None:
        """Training, first what was done before and is lost."""
        known = min(self.now + max(self.best - self.saved, 0.0), until)
        if known > self.now:
            self._add(pod, REPEATS, known, "" if known < until else note)
        if known < until:
            self._add(pod, TRAINS, until, note, known)

    def _add(
        self, pod: int, kind: str, end: float, note: str = "", start: float | None = None
    ) -> None:
        node = self.where[pod].name if pod in self.where else ""
        end = min(end, self.horizon)
        self.day.spans.append(
            Span(pod, kind, node, self.now if start is None else start, end, note)
        )
