"""What a launch may not leave behind: processes, ports, files, environment, signal handlers."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

import psutil

PYTHONS_OWN = ("resource_tracker", "forkserver")
"""Processes that Python keeps for all launches: the tracker and the server, not the ranks."""

FOLDERS = f"gpuedu-launch-{os.getpid()}-"
"""How the folders of this process's launches begin: others may launch at the same time."""


@dataclass(frozen=True)
class Surroundings:
    """What can be seen from outside: compare one from before with one from after."""

    processes: frozenset[int]
    ports: frozenset[int]
    files: frozenset[str]
    threads: frozenset[str]
    variables: frozenset[str]
    handlers: tuple[object, ...]


def look_around() -> Surroundings:
    """The surroundings now."""
    me = psutil.Process()
    below = me.children(recursive=True)
    ours = [one for one in below if not (_is_pythons_own(one) or _is_a_browsers(one))]
    listening = [one for one in me.net_connections() if one.status == "LISTEN"]
    temporary = Path(tempfile.gettempdir())
    files = {*temporary.glob(f"{FOLDERS}*"), *temporary.glob("pytorch-errorfile-*")}
    return Surroundings(
        frozenset(one.pid for one in ours),
        frozenset(one.laddr.port for one in listening),
        frozenset(str(path) for path in files),
        frozenset(one.name for one in threading.enumerate() if "launch" in one.name),
        frozenset(os.environ),
        tuple(signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)),
    )


def orphans_of(mark: str) -> list[list[str]]:
    """Command lines of processes anywhere whose arguments or variables hold ``mark``."""
    found = []
    for one in psutil.process_iter():
        try:
            if one.pid != os.getpid() and (mark in one.cmdline() or mark in one.environ()):
                found.append(one.cmdline())
        except psutil.Error:
            continue
    return found


def _is_a_browsers(process: psutil.Process) -> bool:
    """One that other tests keep open, which starts and ends processes when it likes."""
    try:
        return "chrom" in process.name()
    except psutil.NoSuchProcess:
        return True


def _is_pythons_own(process: psutil.Process) -> bool:
    """The server itself, that is: a rank is a fork of it, with the same command line."""
    try:
        told = " ".join(process.cmdline())
        return process.ppid() == os.getpid() and any(name in told for name in PYTHONS_OWN)
    except psutil.NoSuchProcess:
        return True
