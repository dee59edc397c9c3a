"""The costs that the bill lists, and how much of each is allowed."""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.exercises.capstone.limits import Limit
from gpuedu.exercises.capstone.units import show_bytes, show_flop


@dataclass(frozen=True)
class Needs:
    """What a task takes: bytes of its files, a batch, its weights; FLOP of steps, evaluations."""

    file_bytes: int
    batch_bytes: int
    weight_bytes: int
    flop: float
    evaluation_flop: float


LIMITS = (
    Limit("read-once", "read_bytes", "read in a run", lambda n: 1.05 * n.file_bytes, show_bytes),
    Limit("few-requests", "requests", "requests in a run", lambda n: 16),
    Limit("copies", "copies", "copies to the device, a step", lambda n: 4),
    Limit(
        "copied-bytes",
        "copied_bytes",
        "bytes copied, a step",
        lambda n: 1.2 * n.batch_bytes,
        show_bytes,
    ),
    Limit("waits", "waits", "waits in training, an epoch", lambda n: 3),
    Limit("preparation", "preparation", "other launches, a step", lambda n: 24),
    Limit("update", "update", "launches that update the weights", lambda n: 60),
    Limit("flop", "flop", "work, a step", lambda n: 1.3 * n.flop, show_flop),
    Limit("growth", "growth", "more alive after each step", lambda n: 1000, show_bytes),
    Limit(
        "evaluation-graph",
        "evaluation_recorded",
        "recorded in an evaluation",
        lambda n: 0,
    ),
    Limit(
        "written",
        "written_bytes",
        "written in an epoch",
        lambda n: 1.4 * 3 * n.weight_bytes,
        show_bytes,
    ),
)
LEAST_IMAGES = 4
"""That each convolution of an evaluation takes at once."""
MOST_COLLECTIVES = 4
"""That a step starts on each rank."""
MOST_MESSAGE_BYTES = 1.4
"""That they put on its wires: as a multiple of what an all-reduce of all gradients does."""
