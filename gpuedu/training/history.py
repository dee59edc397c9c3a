"""What a training run leaves behind: a record of each step."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class StepRecord:
    """One step: its loss, the learning rate it was taken with, how long it took.

    ``time_s`` is from asking for the batch to the end of the update: on the host's clock if the
    model is on the CPU, by the device's own events if it is on a GPU. ``samples`` counts the batch.
    """

    step: int
    loss: float
    learning_rate: float
    time_s: float
    samples: int


@dataclass(frozen=True)
class History:
    """The steps that were done, in order. ``interrupted`` says that the learner stopped the run.

    >>> History((StepRecord(0, 2.3, 0.1, 0.01, 32), StepRecord(1, 1.9, 0.1, 0.01, 32))).losses
    (2.3, 1.9)
    """

    steps: tuple[StepRecord, ...]
    device: str = "cpu"
    interrupted: bool = False

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def losses(self) -> tuple[float, ...]:
        """The loss of each step."""
        return tuple(step.loss for step in self.steps)

    @property
    def times_s(self) -> tuple[float, ...]:
        """The time of each step, in seconds."""
        return tuple(step.time_s for step in self.steps)
