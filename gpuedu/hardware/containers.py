"""What a container lets this process have: Linux control groups, version 1 and 2."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_NO_LIMIT = 2**60
"""Version 1 writes a number near 2**63 where there is no limit."""

_UNKNOWN_GROUP = "0::/\n1:memory:/\n2:cpu:/"
"""Where the kernel does not tell the group, the root of the tree is all there is to ask."""


@dataclass(frozen=True)
class Limits:
    """Limits of the group that a process is in; None if there is none.

    ``free_bytes`` is what is left of the tightest memory limit; pages of files that the kernel can
    drop count as free.
    """

    memory_bytes: int | None = None
    cores: float | None = None
    free_bytes: int | None = None


def read_limits(proc: Path = Path("/proc"), cgroup: Path = Path("/sys/fs/cgroup")) -> Limits:
    """The strictest limits on the path from this process's group up to the root.

    Nothing is raised: what cannot be read is not a limit.
    """
    memory: list[int] = []
    free: list[int] = []
    cores: list[float] = []
    for folder in _groups(proc, cgroup, "memory"):
        for limit_bytes in _memory_limits(folder):
            memory.append(limit_bytes)
            free.append(max(limit_bytes - _used_bytes(folder), 0))
    for folder in _groups(proc, cgroup, "cpu"):
        cores += _core_limits(folder)
    return Limits(min(memory, default=None), min(cores, default=None), min(free, default=None))


def _groups(proc: Path, cgroup: Path, controller: str) -> Iterator[Path]:
    """The folders of this process's groups and of those above them."""
    for line in (_read(proc / "self" / "cgroup") or _UNKNOWN_GROUP).splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers == "":
            # Beside version 1, version 2 is mounted one folder down.
            root = _first_folder(cgroup / "unified", cgroup)
        elif controller in controllers.split(","):
            root = _first_folder(cgroup / controllers, cgroup / controller)
        else:
            continue
        # `..` stands for groups outside of this namespace: none of their files are in the tree.
        inside = root.joinpath(*(part for part in path.split("/") if part not in ("", "..")))
        yield from (inside, *(up for up in inside.parents if root == up or root in up.parents))


def _first_folder(*folders: Path) -> Path:
    return next((folder for folder in folders if folder.is_dir()), folders[-1])


def _memory_limits(folder: Path) -> Iterator[int]:
    for name in ("memory.max", "memory.limit_in_bytes"):
        limit_bytes = _number(_read(folder / name))
        if limit_bytes is not None and limit_bytes < _NO_LIMIT:
            yield limit_bytes


def _used_bytes(folder: Path) -> int:
    """Bytes in use, without the cached pages of files that were not touched lately."""
    used = _number(_read(folder / "memory.current") or _read(folder / "memory.usage_in_bytes"))
    droppable: dict[str, int] = {}
    for line in _read(folder / "memory.stat").splitlines():
        name, _, value = line.partition(" ")
        droppable[name] = _number(value) or 0
    # Version 1 has both names, and only the total counts the groups below.
    cached = droppable.get("total_inactive_file", droppable.get("inactive_file", 0))
    return max((used or 0) - cached, 0)


def _core_limits(folder: Path) -> Iterator[float]:
    quota, _, period = _read(folder / "cpu.max").partition(" ")
    if not quota:
        quota = _read(folder / "cpu.cfs_quota_us")
        period = _read(folder / "cpu.cfs_period_us")
    quota_us, period_us = _number(quota), _number(period)
    if quota_us and period_us:
        yield quota_us / period_us


def _number(text: str) -> int | None:
    """A count; None for `max`, for -1 and for what is no number."""
    return int(text) if text.strip().isdecimal() else None


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""
