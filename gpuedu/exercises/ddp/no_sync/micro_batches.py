"""Steps of several micro-batches on light ranks, by the learner's class, context and step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional

from gpuedu.errors import AnswerError
from gpuedu.exercises.ddp.held_forwards import HeldForwards
from gpuedu.exercises.ddp.replica_models import CLASSES, WIDTH, build, state_of
from gpuedu.exercises.ddp.replicas import RATE, State
from gpuedu.exercises.ddp.sgd import Sgd
from gpuedu.exercises.plain import describe
from gpuedu.exercises.ranks import Ranked, run_ranks
from gpuedu.training.seeds import generator

KIND = "plain"


@dataclass(frozen=True)
class Stepped:
    """A rank's run: its states after every step, and the most samples that were held at once.

    Those are samples whose forward pass was kept for a backward pass to come. ``kept`` says whether
    the lists of micro-batches are as they were, ``is_on`` whether a backward pass still exchanges.
    """

    states: list[State]
    most_samples: int
    kept: bool
    is_on: bool


PHASES = (
    "inside",
    "behind",
    "innermost",
    "nested",
    "behind both",
    "raised",
    "interrupted",
    "raised within",
)


@dataclass(frozen=True)
class MicroTask:
    """Training steps; ``sizes`` are those of each rank's micro-batches, the same in every step."""

    sizes: tuple[tuple[int, ...], ...]
    steps: int = 2
    seed: int = 0

    @property
    def ranks(self) -> int:
        """How many."""
        return len(self.sizes)

    @property
    def total(self) -> int:
        """Samples of a step, on all ranks."""
        return sum(map(sum, self.sizes))

    @classmethod
    def of(cls, fields: dict[str, Any]) -> MicroTask:
        """From what a case holds."""
        return cls(**(fields | {"sizes": tuple(tuple(row) for row in fields["sizes"])}))


def micro_batches(task: MicroTask, step: int, rank: int) -> list[tuple[Any, Any]]:
    """A rank's pairs of samples and targets."""
    made = []
    for place, count in enumerate(task.sizes[rank]):
        chance = generator(task.seed, step, rank, place)
        x = torch.randn(count, WIDTH + 1, generator=chance, dtype=torch.float64)
        made.append((x, torch.randint(CLASSES, (count,), generator=chance)))
    return made


def run_steps(
    parallel_class: Callable[..., Any],
    step: Callable[..., Any],
    task: MicroTask,
    *,
    answers: Sequence[Any],
    seed: int | None = None,
) -> Ranked:
    """The learner's steps: ``results`` are a ``Stepped`` for each rank."""
    models = [build(KIND, task.seed) for _ in range(task.ranks)]
    data = [
        [micro_batches(task, place, rank) for place in range(task.steps)]
        for rank in range(task.ranks)
    ]

    def body(rank: int) -> Stepped:
        net, states = models[rank], []
        held = HeldForwards(net)
        parallel = parallel_class(net)
        optimizer = Sgd(net.parameters(), RATE)
        kept = True
        for mine in data[rank]:
            handed = list(mine)
            step(parallel, optimizer, handed)
            kept &= list(map(id, handed)) == list(map(id, mine))
            states.append(state_of(net))
        return Stepped(states, held.most, kept, bool(getattr(parallel, "is_exchanging", True)))

    return run_ranks(body, task.ranks, answers, seed=seed)


def try_block(
    parallel_class: Callable[..., Any],
    no_sync: Callable[..., Any],
    phase: str,
    answers: Sequence[Any],
) -> Ranked:
    """One backward on 2 ranks: within a block or two, between them, behind, after an exception.

    With "raised within", an exception ends the inner block, and the backward is in the outer one.

    ``results`` tell by rank whether an exception that was raised in the block came out of it.
    """
    models = [build(KIND, 0) for _ in range(2)]
    task = MicroTask(((2,), (2,)))

    def body(rank: int) -> bool:
        parallel = parallel_class(models[rank])
        ((x, y),) = micro_batches(task, 0, rank)

        def block() -> Any:
            return require_manager(no_sync(parallel))

        def backward() -> None:
            parallel.backward(functional.cross_entropy(models[rank](x), y))

        came_out = False
        if phase == "inside":
            with block():
                backward()
        elif phase == "innermost":
            with block(), block():
                backward()
        elif phase == "nested":
            with block():
                with block():
                    pass
                backward()
        elif phase == "behind both":
            with block(), block():
                pass
            backward()
        elif phase == "behind":
            with block():
                pass
            backward()
        elif phase == "raised within":
            with block():
                try:
                    with block():
                        raise _PlantedError
                except _PlantedError:
                    came_out = True
                backward()
        else:
            planted = _PlantedError if phase == "raised" else _PlantedInterrupt
            try:
                with block():
                    raise planted
            except planted:
                came_out = True
            backward()
        return came_out

    return run_ranks(body, 2, answers)


class _PlantedError(Exception):
    """What is raised within a block."""


class _PlantedInterrupt(KeyboardInterrupt):
    """What comes where somebody stops a cell, and is no ``Exception``."""


def require_manager(value: Any) -> Any:
    """The value, if `with` takes it; else AnswerError."""
    if not hasattr(type(value), "__enter__"):
        raise AnswerError(
            f"`with no_sync(parallel):` needs a context manager, no_sync gave {describe(value)}",
            remedy="`@contextmanager` above the `def` makes one of a generator.",
        )
    return value
