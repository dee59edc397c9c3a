"""Limits on memory and processes, and a share of the processors, by control group.

A room has all of them; a judge, which reads what rooms send, has a memory limit where possible.
Versions 1 and 2 of the kernel's interface. Where they give no share, ``fairness`` takes care of it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gpuedu.grading.sandbox.fairness import watched
from gpuedu.grading.sandbox.limits import MIB, PlayingLimits

_ROOT = Path("/sys/fs/cgroup")
_PREFIX = "gpuedu-"
_SHARE, _WEIGHT = 256, 25
"""A quarter of an outside process's share, in version 1 and in 2: judges do not wait for rooms."""
_OPTIONAL = ("memory.memsw", "memory.kmem.tcp", "cpu.")
_JUDGES = PlayingLimits(memory_bytes=4 * 1024 * MIB, processes=1024)
_BUFFERS = 256 * MIB
"""Of connections, which version 1 counts by themselves; version 2 counts them as memory."""
_NEARLY = 0.95
"""Of a limit: what does not fit under it is asked for in pieces."""
_PAUSE_S = 0.0005
"""Until killed processes are looked for again: most are gone by then."""
_count = itertools.count()


@dataclass(frozen=True)
class ControlGroup:
    """The folders of one group: one in version 2, one for each controller in version 1."""

    folders: tuple[Path, ...]

    def add(self, process: int) -> None:
        """Put a process into it; what that starts will also be in it."""
        for folder in self.folders:
            (folder / "cgroup.procs").write_text(str(process))

    def kill(self, wait_s: float = 5.0) -> bool:
        """Kill every process in it; returns whether none is left after ``wait_s`` seconds."""
        end_s = time.monotonic() + wait_s
        while processes := self._processes():
            for process in processes:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)
            if time.monotonic() > end_s:
                return False
            time.sleep(_PAUSE_S)
        return True

    def out_of_memory(self) -> bool:
        """Whether the kernel killed something in it for lack of memory."""
        files = ("memory.events", "memory.oom_control")
        return any(self._told(file, "oom_kill") for file in files)

    def is_at_limit(self) -> bool:
        """Whether it ever used all that it may; if not, the machine's memory ran out."""
        limit, most = map(self._told, ("memory.limit_in_bytes", "memory.max_usage_in_bytes"))
        return self._told("memory.events", "oom") > 0 or most >= _NEARLY * limit > 0

    def _told(self, file: str, key: str = "") -> int:
        """What a file counts under a key, or the number that it is; 0 where there is none."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                for line in (folder / file).read_text().splitlines():
                    if line.rpartition(" ")[0] == key:
                        return int(line.split()[-1])
        return 0

    def threads(self) -> set[int]:
        """The numbers of all threads in it."""
        return self._numbers("cgroup.threads") or self._numbers("tasks")

    def _processes(self) -> set[int]:
        return self._numbers("cgroup.procs")

    def _numbers(self, file: str) -> set[int]:
        found: set[int] = set()
        for folder in self.folders:
            with contextlib.suppress(OSError):
                found |= {int(line) for line in (folder / file).read_text().split()}
        return found


@contextlib.contextmanager
def control_group(limits: PlayingLimits) -> Iterator[ControlGroup]:
    """A room's new group; at the end everything in it is killed, and it is removed.

    Raises:
        OSError: it cannot be made here.
    """
    with _group(_parents(limits)) as group:
        is_fair = _is_fair(group.folders)
        with contextlib.nullcontext() if is_fair else watched(group.threads):
            yield group


@contextlib.contextmanager
def judges_group(process: int) -> Iterator[None]:
    """A judge's limits, for a process and what it starts except rooms; none if impossible.

    Everything left in it is killed at the end.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            stack.enter_context(_group(_parents(_JUDGES, shares=False))).add(process)
        yield


@contextlib.contextmanager
def _group(parents: Iterable[tuple[Path, dict[str, object]]]) -> Iterator[ControlGroup]:
    name = f"{_PREFIX}{os.getpid()}-{next(_count)}"
    made: list[Path] = []
    try:
        for parent, settings in parents:
            folder = parent / name
            folder.mkdir()
            made.append(folder)
            for file, value in settings.items():
                path = folder / file
                if path.exists() or not file.startswith(_OPTIONAL):
                    path.write_text(str(value))
        yield ControlGroup(tuple(made))
    finally:
        if made:
            ControlGroup(tuple(made)).kill()
        for folder in made:
            _remove(folder)


def _is_fair(folders: Iterable[Path]) -> bool:
    """Whether the kernel gives a group a share of the processors."""
    return any((one / file).exists() for one in folders for file in ("cpu.shares", "cpu.weight"))


def sweep_groups() -> None:
    """Kill and remove what killed graders left behind."""
    for parent, _ in _parents(PlayingLimits()):
        for folder in parent.glob(f"{_PREFIX}*"):
            owner = folder.name.removeprefix(_PREFIX).partition("-")[0]
            if owner.isdecimal() and not Path("/proc", owner).exists():
                ControlGroup((folder,)).kill()
                _remove(folder)


def _parents(limits: PlayingLimits, *, shares: bool = True) -> list[tuple[Path, dict[str, object]]]:
    """Where a group is made for each controller, and what is written there."""
    memory, processes = limits.memory_bytes, limits.processes
    if (_ROOT / "cgroup.controllers").exists():
        settings = {"memory.max": memory, "memory.swap.max": 0, "memory.oom.group": 1}
        settings |= {"pids.max": processes, **({"cpu.weight": _WEIGHT} if shares else {})}
        return [(_giving(_ROOT / _own("0", "")), settings)]
    share = _ROOT / "cpu" / _own("", "cpu")
    return [
        (
            _ROOT / "memory" / _own("", "memory"),
            {
                "memory.limit_in_bytes": memory,
                "memory.memsw.limit_in_bytes": memory,
                "memory.kmem.tcp.limit_in_bytes": _BUFFERS,
            },
        ),
        (_ROOT / "pids" / _own("", "pids"), {"pids.max": processes}),
        *([(share, {"cpu.shares": _SHARE})] if shares and os.access(share, os.W_OK) else []),
    ]


def _giving(folder: Path) -> Path:
    """The nearest group that can have groups with limits below it; one with processes cannot."""
    for place in (folder, *folder.parents):
        with contextlib.suppress(OSError):
            given = (place / "cgroup.subtree_control").read_text().split()
            if {"memory", "pids"} <= set(given):
                return place
        if place == _ROOT:
            break
    raise OSError("no control group here gives limits on memory and processes to those below it")


def _own(number: str, controller: str) -> str:
    """The group that this process was started in, as a path below the controller's folder."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        hierarchy, controllers, path = line.split(":", 2)
        if hierarchy == number or (controller and controller in controllers.split(",")):
            outer, _, last = path.strip("/").rpartition("/")
            return outer if last.startswith(_PREFIX) else path.strip("/")
    return ""


def _remove(folder: Path) -> None:
    for _ in range(100):
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:  # the kernel is still taking the last process out
            time.sleep(0.005)
        else:
            return


def can_limit() -> bool:
    """Whether control groups with limits can be made here."""
    try:
        with control_group(PlayingLimits()):
            return True
    except OSError:
        return False
