"""What is in this machine, as far as a process may use it. Nothing here raises."""

from __future__ import annotations

import contextlib
import os
import platform
from dataclasses import dataclass
from pathlib import Path

from gpuedu.hardware.caches import Cache, find_caches
from gpuedu.hardware.containers import Limits, read_limits
from gpuedu.hardware.gpus import Gpus, find_gpus
from gpuedu.units import KIB

PROC, CGROUP = Path("/proc"), Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Machine:
    """A machine. What could not be found out is None, or an empty string.

    ``cores`` are those that this process may use, by its affinity and its container. Memory is in
    bytes: ``available_bytes`` can be taken without swapping or meeting the container's limit,
    ``memory_limit_bytes``, which is None if it is no less than the machine's memory. ``caches`` is
    empty where the system does not list them.
    """

    cpu: str
    cores: float
    logical_cores: int | None
    physical_cores: int | None
    memory_bytes: int | None
    available_bytes: int | None
    memory_limit_bytes: int | None
    system: str
    python: str
    gpus: Gpus
    caches: tuple[Cache, ...] = ()

    @property
    def usable_memory_bytes(self) -> int | None:
        """The machine's memory, or the container's share of it."""
        return _least(self.memory_bytes, self.memory_limit_bytes)

    @property
    def tier(self) -> str:
        """tab, cpu, gpu or multi: what the lessons can run on here."""
        if self.system.startswith("Emscripten"):
            return "tab"
        return ("cpu", "gpu", "multi")[min(len(self.gpus.found), 2)]


def look(proc: Path = PROC, cgroup: Path = CGROUP) -> Machine:
    """Find out what this machine has."""
    limits = read_limits(proc, cgroup)
    total, available = _memory(proc)
    limit = limits.memory_bytes
    logical = os.cpu_count()
    return Machine(
        cpu=_cpu_name(proc),
        cores=_usable_cores(logical, limits),
        logical_cores=logical,
        physical_cores=_physical_cores(),
        memory_bytes=total,
        available_bytes=_least(available, limits.free_bytes),
        memory_limit_bytes=None if limit and total and limit >= total else limit,
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        gpus=find_gpus(),
        caches=find_caches(),
    )


def available_memory_bytes(proc: Path = PROC, cgroup: Path = CGROUP) -> int | None:
    """Bytes of memory that this process can still take; None if unknown."""
    return _least(_memory(proc)[1], read_limits(proc, cgroup).free_bytes)


def _least(*sizes: int | None) -> int | None:
    return min((size for size in sizes if size is not None), default=None)


def _memory(proc: Path) -> tuple[int | None, int | None]:
    """Total and available memory in bytes: from the kernel's file, else from psutil."""
    found = {}
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in (proc / "meminfo").read_text("utf-8").splitlines():
            name, _, value = line.partition(":")
            if name in ("MemTotal", "MemAvailable"):
                found[name] = int(value.split()[0]) * KIB
    if len(found) < 2:
        with contextlib.suppress(Exception):
            import psutil

            memory = psutil.virtual_memory()
            return memory.total, memory.available
    return found.get("MemTotal"), found.get("MemAvailable")


def _physical_cores() -> int | None:
    with contextlib.suppress(Exception):
        import psutil

        return psutil.cpu_count(logical=False)
    return None


def _usable_cores(logical: int | None, limits: Limits) -> float:
    """The fewest of: cores there are, cores of the affinity, the container's share."""
    found: list[float] = [logical or 1]
    with contextlib.suppress(AttributeError, OSError):
        found.append(len(os.sched_getaffinity(0)))
    if limits.cores:
        found.append(limits.cores)
    return min(found)


def _cpu_name(proc: Path) -> str:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        for line in (proc / "cpuinfo").read_text("utf-8").splitlines():
            if line.lower().startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    return platform.processor() or platform.machine()
