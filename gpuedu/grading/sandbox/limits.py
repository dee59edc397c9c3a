"""What a learner's code may use while it is graded."""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.errors import GpueduError

MIB = 2**20


class SandboxError(GpueduError):
    """There can be no sandbox here, or it was lost: a fault of ours, never the learner's."""


class JudgeSlowError(GpueduError):
    """The judge was too slow with a result: a fault of ours; worth a try when nothing else runs."""


class MachineFullError(JudgeSlowError):
    """All memory was taken, but not by the submission: a fault of ours, to be retried alone."""


@dataclass(frozen=True)
class PlayingLimits:
    """For one exercise of one submission, in its own sandbox.

    Attributes:
        memory_bytes: of all its processes and of the files that they write together.
        processes: processes and threads.
        open_files: by process.
        disk_bytes: of each folder that it can write to; they are in memory.
        output_bytes: of everything it prints.
        cells_s: seconds for running the learner's cells, before anything is checked.
        notebook_s: seconds for all exercises together; none is started after that.
        grace_s: seconds beyond an exercise's own limit, after which everything is killed.
    """

    memory_bytes: int = 3 * 1024 * MIB
    processes: int = 256
    open_files: int = 512
    disk_bytes: int = 128 * MIB
    output_bytes: int = 8 * MIB
    cells_s: float = 20.0
    notebook_s: float = 900.0
    grace_s: float = 3.0
