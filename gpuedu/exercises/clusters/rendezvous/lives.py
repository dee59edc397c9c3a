"""Lives of a training: simulated workers that train, die, and start again in another number.

As with an elastic launcher: whatever ends one worker ends all of them, nothing but checkpoints
outlives them, and the next life has other ranks and another world size.
"""

from __future__ import annotations

import io
import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpuedu.errors import AnswerError, GpueduError
from gpuedu.exercises.clusters.rendezvous.elastic_job import Job, Shape
from gpuedu.exercises.ranks import run_ranks
from gpuedu.multi import work_for
from gpuedu.multi.exchanges import RankError
from gpuedu.multi.light.world import here

SAMPLE_S = 0.5
"""Simulated seconds for the gradient of one sample."""
SAVE_S = 0.25


class WorkerDied(KeyboardInterrupt):
    """A planned death; no ``except Exception`` of the learner's holds it up."""


@dataclass(frozen=True)
class Life:
    """The workers of a life by rank, and what ends it.

    Attributes:
        workers: their names, in the order of the ranks that the rendezvous gave them.
        end: "dies" or "joins" (all are stopped, as another worker waits to join); "" where nothing
            ends it before the training does.
        rank: who is in ``act`` when it ends.
        act: what that rank is about to do: "gradient", "step" or "save".
        count: how often it has done so in this life, before.
    """

    workers: tuple[str, ...]
    end: str = ""
    rank: int = 0
    act: str = "step"
    count: int = 0


@dataclass
class History:
    """What was done in all lives.

    Attributes:
        acts: a row for each thing that was done: life, rank, kind, steps that the rank had made in
            this life, samples, simulated seconds since the life began.
        states: weights and momentum, as [life, rank, kind, steps, numbers]: at a rank's first act
            other than loading ("start"), in a "save", and when `train` returns ("end").
        failure: how it ended where it did not end well, in which ``life``, with a ``remedy``.
        lasted_s: simulated seconds of each life.
    """

    acts: list[tuple[int, int, str, int, list[int], float]] = field(default_factory=list)
    states: list[tuple[int, int, str, int, list[float]]] = field(default_factory=list)
    failure: str = ""
    remedy: str = ""
    life: int = 0
    lasted_s: list[float] = field(default_factory=list)


class Shelf:
    """Checkpoints in memory. Only rank 0 of a life sees the newest; others see the one before."""

    def __init__(self) -> None:
        self._kept: list[bytes] = []

    def seen_by(self, rank: int) -> _View:
        """The store of one rank."""
        return _View(self._kept, 1 if rank == 0 else 2)


class _Pickler(pickle.Pickler):
    """Refuses a notebook's own classes, which no other process would find."""

    def reducer_override(self, value: Any) -> Any:
        """Nothing of its own; PicklingError for an object of such a class."""
        if getattr(value, "__module__", None) == "__main__":
            kind = value if isinstance(value, type) else type(value)
            raise pickle.PicklingError(f"it has `{kind.__name__}` in it, which is your own")
        return NotImplemented


@dataclass(frozen=True)
class _View:
    kept: list[bytes]
    back: int

    def save(self, checkpoint: Any) -> None:
        made = io.BytesIO()
        try:
            _Pickler(made).dump(checkpoint)
            self.kept.append(made.getvalue())
        except Exception as fault:
            raise AnswerError(f"this checkpoint cannot be written: {fault}") from fault

    def load(self) -> Any:
        return pickle.loads(self.kept[-self.back]) if len(self.kept) >= self.back else None


class _Watch:
    """Notes what a rank of a life does, and ends the life where that is planned."""

    def __init__(self, history: History, number: int, life: Life, rank: int) -> None:
        self._history, self._number, self._life, self._rank = history, number, life, rank
        self._done: Counter[str] = Counter()
        self._is_started = False

    def __call__(self, job: Job, kind: str, samples: list[int]) -> None:
        life, at = self._life, (self._number, self._rank)
        if not self._is_started and kind != "load":
            self._is_started = True
            self._history.states.append((*at, "start", 0, job.numbers()))
        work_for({"gradient": SAMPLE_S * len(samples), "save": SAVE_S}.get(kind, 0.0), kind)
        planned = (life.rank, life.act, life.count)
        is_end = bool(life.end) and planned == (self._rank, kind, self._done[kind])
        told = life.end if is_end else kind
        self._history.acts.append((*at, told, self._done["step"], samples, _now_s()))
        if is_end:
            raise WorkerDied
        if kind == "save":
            self._history.states.append((*at, "save", self._done["step"], job.numbers()))
        self._done[kind] += 1

    def end(self, job: Job) -> None:
        """Note that the learner's function has returned."""
        ended = (self._number, self._rank, "end", self._done["step"])
        self._history.acts.append((*ended, [], _now_s()))
        self._history.states.append((*ended, job.numbers()))


def live(
    train: Callable[..., Any],
    shape: Shape,
    every: int,
    lives: Sequence[Life],
    *,
    lend_to: Sequence[Any] = (),
    seed: int = 0,
) -> History:
    """Call ``train(job, every)`` on the workers of one life after another.

    A life in which the planned end does not come ends when ``train`` has returned everywhere. What
    fails in a life without a planned death is kept, and ends the history.

    Args:
        train: the learner's.
        shape: of the training.
        every: samples between checkpoints.
        lives: who trains, and until when.
        lend_to: more functions that it calls.
        seed: of the order of ranks that could go on at the same instant.
    """
    history, shelf = History(), Shelf()
    for number, life in enumerate(lives):

        def body(rank: int, number: int = number, life: Life = life) -> None:
            watch = _Watch(history, number, life, rank)
            job = Job(shape, shelf.seen_by(rank), watch)
            train(job, every)
            watch.end(job)

        try:
            run_ranks(body, len(life.workers), [train, *lend_to], seed=seed + number)
        except GpueduError as fault:
            if not _is_planned(fault):
                history.failure, history.remedy = fault.message, fault.remedy
                history.life = number
                break
        ends = [act[5] for act in history.acts if act[0] == number]
        history.lasted_s.append(max(ends, default=0.0))
    return history


def _is_planned(fault: BaseException | None) -> bool:
    while fault is not None:
        if isinstance(fault, WorkerDied) or (
            isinstance(fault, RankError) and isinstance(fault.fault, WorkerDied)
        ):
            return True
        fault = fault.__cause__
    return False


def _now_s() -> float:
    found = here()
    return found[0].clock.now() if found else 0.0
