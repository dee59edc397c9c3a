"""Where steps begin and end in a script that knows nothing of this, and what is watched in each.

An optimizer's ``step()`` ends a step. If there are several, the one that stepped first leads, so a
step is one round of all of them; if it has not stepped for ten steps of another, that one leads
from then on. Batches between two steps of the leader (gradient accumulation) are one step. In a
script that has made no PyTorch optimizer when its first batch comes, each batch is a step. Without
batches either, it updates by hand, and a step is over when the next ``backward()`` begins.

First come warm-up steps, then counted ones, then timed ones. Counting makes a step several times as
long, so no time is taken from it; timing watches nothing but the loader.
"""

from __future__ import annotations

from collections.abc import Callable

WARM_UP, COUNTED, TIMED = "warm-up", "counted", "timed"
_PATIENCE = 10


class EnoughStepsError(BaseException):
    """Raised in a script that has taken all the steps that were asked for.

    A ``BaseException``, so that ``except Exception`` in the script does not swallow it.
    """


class StepPlan:
    """Which phase a step belongs to: ``warmup`` steps, then half of ``steps`` counted, half timed.

    >>> plan = StepPlan(steps=4, warmup=1)
    >>> [plan.phase(number) for number in range(1, 7)]
    ['warm-up', 'counted', 'counted', 'timed', 'timed', 'timed']
    >>> plan.is_last(5), plan.is_last(6), StepPlan(steps=4, warmup=1, whole=True).is_last(5)
    (True, True, False)
    """

    def __init__(self, *, steps: int, warmup: int, whole: bool = False) -> None:
        self.steps, self.warmup, self.whole = steps, warmup, whole

    def phase(self, number: int) -> str:
        """The phase of a step; ``number`` counts from 1."""
        if number <= self.warmup:
            return WARM_UP
        return COUNTED if number <= self.warmup + (self.steps + 1) // 2 else TIMED

    def is_last(self, number: int) -> bool:
        """True from the last requested step on."""
        return not self.whole and number >= self.warmup + self.steps


class StepFinder:
    """Says when a step is over.

    Args:
        finish: called where a step ends.

    >>> ends = []
    >>> finder = StepFinder(lambda: ends.append(len(ends)))
    >>> for optimizer in (1, 2) * 3:           # of two optimizers the first leads
    ...     finder.meet_optimizer()
    ...     finder.end_update(optimizer)
    >>> ends
    [0, 1, 2]
    """

    def __init__(self, finish: Callable[[], None]) -> None:
        self._finish = finish
        self._leader: int | None = None
        self._others = 0
        self._has_optimizer = False
        self._has_batch = self._has_backward = False

    def meet_optimizer(self) -> None:
        """An optimizer was made, or is used."""
        self._has_optimizer = True

    def end_update(self, optimizer: int) -> None:
        """An optimizer, identified by its number, has stepped."""
        self._has_optimizer = True
        if self._leader is None or self._others >= _PATIENCE:
            self._leader = optimizer
        if optimizer != self._leader:
            self._others += 1
            return
        self._others = 0
        self._finish()

    def ask_batch(self) -> None:
        """The loop asks for its next batch: without an optimizer, the step before is over."""
        if self._has_batch and not self._has_optimizer:
            self._finish()
        self._has_batch = True

    def begin_backward(self) -> None:
        """A backward pass begins: without optimizer and batches, the step before is over."""
        if self._has_backward and not self._has_optimizer and not self._has_batch:
            self._finish()
        self._has_backward = True
