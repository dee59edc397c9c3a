"""A job while it runs: its steps, their tasks, and the programs in them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpuedu.exercises.clusters.batch_job.links import Link

SAVES_S = 0.3
"""What a save takes."""


@dataclass(frozen=True)
class Job:
    """What a controller knows of a job.

    Attributes:
        number: of the job.
        nodes: names of its nodes.
        tasks_on: tasks on each of them.
        ends: how its program ends: "warned" (it runs until the signal), "done" or "failed".
        may_requeue: whether it asked for that.
        status: of a `train.py` that fails; `torchrun` has 1 then, as it has in PyTorch.
    """

    number: str
    nodes: Sequence[str]
    tasks_on: Sequence[int]
    ends: str
    may_requeue: bool
    status: int = 1


@dataclass(eq=False)
class Task:
    """A process that `srun` started, in a group of its own, and its place."""

    process: subprocess.Popen[bytes]
    place: dict[str, str]
    step: Step

    def signal(self, number: int) -> None:
        """Send a signal to all of its processes."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)


@dataclass(eq=False)
class Step:
    """The tasks of one `srun`."""

    link: Link
    count: int
    options: Mapping[str, str] = field(default_factory=dict)
    tasks: list[Task] = field(default_factory=list)
    says: str = ""
    has_ended: bool = False

    def signal(self, number: int) -> None:
        """Send a signal to all tasks that run."""
        for task in self.tasks:
            if task.process.returncode is None:
                task.signal(number)


@dataclass(eq=False)
class Program:
    """A `torchrun` or a `train.py`.

    Attributes:
        ends_s: when it ends, by the clock.
        saves_s: what is left of its save.
        is_warned: whether it saves because the job was warned.
    """

    link: Link
    told: dict[str, Any]
    step: Step | None
    group: int
    handles_usr1: bool
    ends_s: float
    saves_s: float = SAVES_S
    is_saving: bool = False
    is_warned: bool = False
    is_gone: bool = False


def started(
    command: Sequence[str], env: Mapping[str, str], folder: str, files: Sequence[int]
) -> subprocess.Popen[bytes]:
    """A process in a group of its own, with these streams."""
    streams = [*files, *[subprocess.DEVNULL] * 3][:3]
    stdin, stdout, stderr = streams
    return subprocess.Popen(
        list(command),
        cwd=folder,
        env=dict(env),
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        process_group=0,
    )


def group_of(pid: int) -> int:
    """The group of a process; 0 where there is none."""
    try:
        return os.getpgid(pid)
    except (OSError, OverflowError):
        return 0


def parent_of(pid: int) -> int:
    """The process that started another; 0 where that can't be seen."""
    try:
        return int(
            Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[1]
        )
    except (OSError, ValueError):
        return 0
