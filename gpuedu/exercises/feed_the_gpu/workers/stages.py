"""The stages that a batch goes through in a loader with workers."""

from __future__ import annotations

from typing import NamedTuple

from gpuedu.clock import Loading
from gpuedu.units import MS


class Stages(NamedTuple):
    """Seconds a batch: read from a disk that serves one at a time, decoded on one of ``cores``.

    The main process copies it and waits for the step.
    """

    read_s: float
    decode_s: float
    copy_s: float
    step_s: float
    cores: int


SHOWN = (
    Stages(1.5 * MS, 9 * MS, 0.5 * MS, 2.5 * MS, 4),
    Stages(5 * MS, 9 * MS, 0.5 * MS, 2.5 * MS, 4),
)
"""What the lesson draws: a fast disk and a slow one."""


def loading_of(stages: Stages) -> Loading:
    """The same for the simulation."""
    return Loading(
        read_s=stages.read_s,
        decode_s=stages.decode_s,
        step_s=stages.step_s,
        copy_s=stages.copy_s,
        cores=stages.cores,
    )
