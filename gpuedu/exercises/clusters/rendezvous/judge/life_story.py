"""What the acts of workers say: which batches they trained in which life, and from which state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gpuedu.exercises.clusters.rendezvous.elastic_job import Job, Shape


@dataclass(frozen=True)
class Act:
    """A row of ``History.acts``."""

    life: int
    rank: int
    kind: str
    step: int
    samples: list[int]
    at_s: float


class Alone:
    """One process that nobody stops: its global batches, and its state after each.

    Args:
        shape: of the training.
    """

    def __init__(self, shape: Shape) -> None:
        job = Job(shape, _Nowhere(), lambda *_: None)
        job.fits = shape.batch
        self.batches = [
            job.order(epoch)[at : at + shape.batch]
            for epoch in range(shape.epochs)
            for at in range(0, shape.samples, shape.batch)
        ]
        self.states = [np.array(job.numbers())]
        for batch in self.batches:
            job.step(job.gradient(batch) / len(batch))
            self.states.append(np.array(job.numbers()))

    def trained(self, batches: int) -> int:
        """Samples in the first so many batches."""
        return sum(len(one) for one in self.batches[:batches])


class _Nowhere:
    def save(self, checkpoint: Any) -> None:
        """Nothing."""

    def load(self) -> None:
        """Nothing."""


@dataclass(frozen=True)
class Story:
    """The acts of all lives, and the states; questions about them.

    ``alone`` is the training of one process, ``lives`` are the case's.
    """

    acts: Sequence[Act]
    states: Sequence[tuple[int, int, str, int, np.ndarray]]
    alone: Alone
    lives: Sequence[Mapping[str, Any]]

    @classmethod
    def of(cls, observed: Mapping[str, Any], alone: Alone, lives: Sequence[Any]) -> Story:
        """From what the play gave."""
        states = [(*one[:4], np.array(one[4])) for one in observed["states"]]
        return cls([Act(*one) for one in observed["acts"]], states, alone, lives)

    @cached_property
    def lived(self) -> int:
        """How many lives began."""
        return 1 + max((act.life for act in self.acts), default=-1)

    def of_life(self, life: int, *kinds: str) -> list[Act]:
        """The acts of a life of these kinds; all without kinds."""
        return [act for act in self.acts if act.life == life and (not kinds or act.kind in kinds)]

    def is_whole(self, life: int) -> bool:
        """Whether `train` returned on every rank."""
        return len(self.of_life(life, "end")) == len(self.lives[life]["workers"])

    def begins_after(self, life: int) -> int:
        """How many batches are in the last checkpoint that was saved before a life."""
        for earlier in reversed(range(life)):
            saves = self.of_life(earlier, "save")
            if saves:
                return self.begins_after(earlier) + saves[-1].step
        return 0

    def steps(self, life: int) -> int:
        """How many steps every rank made."""
        made = Counter(act.rank for act in self.of_life(life, "step"))
        return min(made[rank] for rank in range(len(self.lives[life]["workers"])))

    def has_learned(self) -> bool:
        """Whether the steps of some rank in some life took its weights to other numbers."""
        begun = {one[:2]: one[4] for one in self.states if one[2] == "start"}
        later = [(begun[one[:2]], one[4]) for one in self.states if one[:2] in begun]
        return any(np.isfinite(now).all() and (now != then).any() for then, now in later)

    def batch(self, life: int, step: int) -> list[int]:
        """The samples that all ranks together trained for one step of a life."""
        found = self.of_life(life, "gradient")
        return [one for act in found if act.step == step for one in act.samples]

    def named(self, life: int) -> str:
        """The life as a card calls it, with how it began."""
        count = len(self.lives[life]["workers"])
        told = f"life {life + 1} ({count} {'worker' if count == 1 else 'workers'}"
        if life == 0:
            return told + ")"
        before = self.lives[life - 1]
        why = {"dies": "after a death", "joins": "after a join"}
        return f"{told}, {why.get(before['end'], 'the run was complete')})"
