"""The course as players see it: a copy without what is hidden, made for one sandbox.

Something could be mounted over each hidden file instead. But bubblewrap takes a second for a
thousand mounts, and every compartment takes them all over.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from importlib.util import source_from_cache
from pathlib import Path

from gpuedu.grading.sandbox.hidden import hidden_files, hidden_folders

_PREFIX = "gpuedu-course-"
_COMPILED = "__pycache__"
_MEMORY, _ROOM_BYTES = Path("/dev/shm"), 512 * 2**20
"""A copy takes 12 MB."""
_LOCK, _MAKING_S = "in-use", 60.0
"""File in a copy's folder that its process holds locked, and how long one may be without it. What
the process is called does not count: in another container another may have its number."""


class FolderForACopy(tempfile.TemporaryDirectory):
    """A new folder of this user alone; if this process is killed, a sweep removes it."""

    def __init__(self) -> None:
        super().__init__(prefix=_PREFIX, dir=_place(), ignore_cleanup_errors=True)
        lock = Path(self.name, _LOCK)
        self._lock = lock.with_suffix(".new").open("wb")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        lock.with_suffix(".new").rename(lock)  # nobody finds it before it is locked

    def cleanup(self) -> None:
        """Remove it."""
        super().cleanup()
        self._lock.close()


def _place() -> Path:
    """In memory, where there is room: some disks take seconds to make thousands of files."""
    has_room = os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free >= _ROOM_BYTES
    return _MEMORY if has_room else Path(tempfile.gettempdir())


def copy_course(package: Path, folder: Path) -> Path:
    """Copy the package into a folder, as players may see it: readable by all.

    Args:
        package: the course, whole.
        folder: where the copy goes, under the package's name.

    Returns:
        The copy.

    Raises:
        OSError: it cannot be read, or there is no room.
    """
    hidden = {*hidden_files(package), *hidden_folders(package)}
    copy = folder / package.name
    for place, below, names in os.walk(package):
        here, there = Path(place), copy / Path(place).relative_to(package)
        below[:] = [name for name in below if here / name not in hidden]
        there.mkdir()
        there.chmod(0o755)
        for name in names:
            source = _source_of(here / name)
            if source is not None and source not in hidden:
                _copy_file(here / name, there / name)
    return copy


def _source_of(path: Path) -> Path | None:
    """What a file was compiled from, or itself; None for bytecode without one, or half written.

    A module that was moved may have been an answer.
    """
    if path.parent.name != _COMPILED:
        return path
    try:
        source = Path(source_from_cache(str(path)))
    except ValueError:
        return None
    return source if source.exists() else None


def _copy_file(source: Path, target: Path) -> None:
    """Bytecode counts only if its source has the time that it had."""
    with contextlib.suppress(FileNotFoundError):  # replaced by Python since it was listed
        shutil.copyfile(source, target)
        told = source.stat()
        os.utime(target, ns=(told.st_atime_ns, told.st_mtime_ns))
        target.chmod(0o644)


def sweep_copies() -> None:
    """Remove the copies that killed graders left behind."""
    places = _MEMORY, Path(tempfile.gettempdir())
    for folder in (one for place in places for one in place.glob(f"{_PREFIX}*")):
        with contextlib.suppress(OSError):  # another sweep was faster
            if folder.lstat().st_uid == os.geteuid() and not _is_in_use(folder):
                shutil.rmtree(folder)


def _is_in_use(folder: Path) -> bool:
    try:
        lock = (folder / _LOCK).open("rb")
    except FileNotFoundError:
        return time.time() - folder.stat().st_mtime < _MAKING_S
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
