"""What can go wrong in a training run: each error names the fault and a likely cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from gpuedu.errors import GpueduError
from gpuedu.units import format_size

if TYPE_CHECKING:
    from gpuedu.training.history import History


class TrainingError(GpueduError):
    """Base of all faults of a training run.

    ``history`` holds the steps that were done before the fault, if ``train`` raised it.
    """

    history: History | None = None


class BatchSizeError(TrainingError):
    """An empty batch, or one larger than the data."""


class BatchFormError(TrainingError):
    """What a loader gave is not a pair of tensors of the same length."""


class DataEndedError(TrainingError):
    """The batches ended before the steps did."""


class DataUnavailableError(TrainingError):
    """Files of a dataset that are missing, or are not what they should be."""


class NoParametersError(TrainingError):
    """An optimizer that has nothing of the model to move."""


class OutputShapeError(TrainingError):
    """A model's output that does not fit the targets."""


class LossError(TrainingError):
    """A loss that is not one number that depends on the model's parameters."""


class NotFiniteError(TrainingError):
    """NaN or an infinity in the first step."""


class OverwrittenError(TrainingError):
    """A tensor that the backward pass needs was changed in place after it was saved."""


class SimulatedOutOfMemoryError(TrainingError, torch.OutOfMemoryError):
    """The counted bytes would pass the budget that was stated for them.

    It is also a ``torch.OutOfMemoryError``, so code that handles a full GPU handles it unchanged.

    >>> try:
    ...     raise SimulatedOutOfMemoryError(2**20, in_use_bytes=2**22, budget_bytes=2**22)
    ... except torch.OutOfMemoryError as fault:
    ...     print(fault.message)
    out of memory, by count: 1 MiB asked for, 4 MiB of the budget of 4 MiB in use
    """

    def __init__(self, requested_bytes: int, *, in_use_bytes: int, budget_bytes: int) -> None:
        self.requested_bytes = requested_bytes
        self.in_use_bytes = in_use_bytes
        self.budget_bytes = budget_bytes
        super().__init__(
            f"out of memory, by count: {format_size(requested_bytes)} asked for, "
            f"{format_size(in_use_bytes)} of the budget of {format_size(budget_bytes)} in use",
            remedy="a smaller batch, checkpointing, or fewer bits; and let go of tensors that you "
            "still hold (also `except ... as fault` holds the step's variables while it lasts)",
        )
