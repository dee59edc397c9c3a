"""Steps of a small model, tried with one batch after another under a budget of memory."""

from __future__ import annotations

import gc
import operator
from bisect import bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe
from gpuedu.exercises.training.quiet import quiet_torch

LargestBatch = Callable[[Callable[[int], None], int], Any]
"""``largest_batch(try_step, most)``, the learner's."""

_INPUTS, _CLASSES = 64, 10


@dataclass(frozen=True)
class Task:
    """A network, ``samples`` to train it on with Adam, each a sequence of ``length`` vectors.

    Two hidden layers of ``width`` and ten scores, the same for each position.
    """

    width: int = 48
    samples: int = 128
    length: int = 16
    seed: int = 0


@dataclass(frozen=True)
class Trial:
    """One call of ``try_step``: whether it fitted, what lived when it began, and the most in it.

    ``refused_bytes`` is what was asked for when the memory was full; 0 where it fitted.
    """

    batch: int
    fits: bool
    before_bytes: int
    peak_bytes: int
    refused_bytes: int = 0


@dataclass(frozen=True)
class Search:
    """What the learner's function returned, and its trials.

    ``free_bytes`` is what may live when a trial begins: the model, Adam's state, and the gradients
    of the step before, as when the first one does.
    """

    result: Any
    trials: tuple[Trial, ...]
    free_bytes: int


class Bench:
    """The task's model and data on a device, and steps of any batch.

    One step is taken before all others, so that Adam has its state.
    """

    def __init__(self, task: Task, device: str = "cpu") -> None:
        import torch
        from torch import nn

        from gpuedu.training.seeds import generator

        chance, width = generator(23, task.seed), task.width
        layers = nn.Linear(_INPUTS, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        self.samples = task.samples
        self.model = nn.Sequential(*layers, nn.Linear(width, _CLASSES)).to(device)
        self.adam = torch.optim.Adam(self.model.parameters())
        shape = task.samples, task.length
        self.inputs = torch.randn(*shape, _INPUTS, generator=chance).to(device)
        self.targets = torch.randint(_CLASSES, shape, generator=chance).to(device)
        self.step(1)

    def step(self, batch: int) -> None:
        """Forward, backward and update with the first ``batch`` samples.

        Raises:
            BatchSizeError: for a batch of 0 or less, or larger than the data.
            torch.OutOfMemoryError: where it does not fit.
        """
        from torch.nn.functional import cross_entropy

        from gpuedu.training.data import require_batch_size

        require_batch_size(batch, self.samples)
        self.adam.zero_grad(set_to_none=True)
        # Copies, as of a batch that comes from the host: not views of data that is there anyway.
        x, y = self.inputs[:batch].clone(), self.targets[:batch].clone()
        loss = cross_entropy(self.model(x).flatten(0, 1), y.flatten())
        loss.backward()
        self.adam.step()

    def watch(self, budget_bytes: int | None = None) -> Any:
        """A watch over the model's memory, to be entered; the last step's gradients count, too."""
        from gpuedu.training.memory import MemoryWatch

        return MemoryWatch(self.model, self.adam, budget_bytes=budget_bytes)


def as_batch(batch: Any, most: int) -> int:
    """The learner's batch as an int; AnswerError for what is no whole number from 1 to ``most``."""
    try:
        size = operator.index(batch)
    except TypeError:
        raise AnswerError(
            f"try_step got {describe(batch)}",
            remedy="A batch is a whole number: `//` divides to one.",
        ) from None
    if size < 1:
        raise AnswerError(
            f"try_step got a batch of {size}",
            remedy="The smallest is 1; if 1 does not fit, nothing does.",
        )
    if size > most:
        raise AnswerError(
            f"try_step got a batch of {size:,}, and `most` is {most:,}",
            remedy="That is all the data: there is no larger batch to try. Does your search stop "
            "doubling there?",
        )
    return size


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Keep all objects of now out of the garbage collector's sight.

    Many people write ``gc.collect()`` behind a trial. In a notebook it looks at millions of objects
    each time, which takes longer than the trial; what the trials make is all that matters here.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def peak_bytes_of(task: Task, batch: int, device: str = "cpu") -> int:
    """The most that lives in a step with this batch, the model and Adam's state included."""
    from gpuedu.training.memory import peak_bytes

    with quiet_torch():
        bench = Bench(task, device)
        with bench.watch() as watch:
            watch.enter_phase("step")
            bench.step(batch)
        return peak_bytes(watch.trace())


def budget_for(task: Task, batch: int) -> int:
    """A budget that this batch fits into, and no larger one."""
    return (peak_bytes_of(task, batch) + peak_bytes_of(task, batch + 1)) // 2


def most_that_fits(task: Task, budget_bytes: int) -> int:
    """The largest batch whose step fits into the budget, found by counting; 0 where none does."""
    sizes = range(1, task.samples + 1)
    return bisect_right(sizes, budget_bytes, key=lambda batch: peak_bytes_of(task, batch))


def search(largest_batch: LargestBatch, task: Task, budget_bytes: int) -> Search:
    """Let the learner look for the largest batch, all trials under one budget, by count."""
    from gpuedu.training.errors import SimulatedOutOfMemoryError
    from gpuedu.training.memory import points

    started: list[tuple[int, int]] = []
    refused: dict[int, int] = {}
    with quiet_torch(), collector_at_rest():
        bench = Bench(task)
        with bench.watch(budget_bytes) as watch:
            free_bytes = watch.live_bytes

            def try_step(batch: int) -> None:
                size = as_batch(batch, task.samples)
                started.append((size, watch.live_bytes))
                watch.enter_phase(str(len(started)))
                try:
                    bench.step(size)
                except SimulatedOutOfMemoryError as fault:
                    refused[len(started)] = fault.requested_bytes
                    raise

            result = largest_batch(try_step, task.samples)
    # A trial that is refused its first storage makes nothing at all.
    highest = {n: before_bytes for n, (_, before_bytes) in enumerate(started, 1)}
    for point in points(watch.trace()):
        if point.phase:
            number = int(point.phase)
            highest[number] = max(highest[number], point.live_bytes)
    trials = tuple(
        Trial(size, n not in refused, before_bytes, highest[n], refused.get(n, 0))
        for n, (size, before_bytes) in enumerate(started, 1)
    )
    return Search(result, trials, free_bytes)
