"""Files that change all or nothing, and never while somebody is working on them.

Every new content is first written beside its target and forced to disk; only then are the targets
replaced, one rename each. A full disk or an unwritable folder is noticed before anything changes; a
kill at any moment leaves each file old or new, never half.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuedu.errors import WorkspaceError

_SUFFIX = ".gpuedu-tmp"


@dataclass(frozen=True)
class Write:
    """One file to write. ``expected``: what it holds until then, or None if it does not exist."""

    path: Path
    data: bytes
    expected: bytes | None


@dataclass(frozen=True)
class StagedWrite:
    """A write whose data are already on disk, in ``temporary``."""

    write: Write
    temporary: Path

    def commit(self) -> bool:
        """Replace the target; if somebody wrote to it meanwhile, do nothing and return False."""
        if read_or_none(self.write.path) != self.write.expected:
            return False
        # resolve: a notebook that is a link stays one
        target = self.write.path.resolve()
        self.temporary.replace(target)
        _force_to_disk(target.parent)
        return True


def read_or_none(path: Path) -> bytes | None:
    """The file's bytes, or None if there is no such file."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def staged(writes: Iterable[Write]) -> Iterator[tuple[StagedWrite, ...]]:
    """Write every file's new content beside it; what was not committed is removed at the end.

    Raises WorkspaceError, with nothing changed, if the disk is full or a folder not writable.
    """
    done: list[StagedWrite] = []
    made: list[Path] = []
    try:
        for write in writes:
            with told_as_workspace_error(write.path):
                target = write.path.resolve()
                made += _make_folders(target.parent)
                temporary = target.with_name(f".{target.name}.{os.getpid()}{_SUFFIX}")
                done.append(StagedWrite(write, temporary))
                _write_through(temporary, write.data, like=target)
        yield tuple(done)
    finally:
        with contextlib.suppress(OSError):
            for entry in done:
                entry.temporary.unlink(missing_ok=True)
        for folder in reversed(made):
            with contextlib.suppress(OSError):  # not empty: it is in use now
                folder.rmdir()


@contextlib.contextmanager
def told_as_workspace_error(path: Path) -> Iterator[None]:
    """Turn an OSError into a WorkspaceError that names the file and what to do."""
    try:
        yield
    except OSError as fault:
        reason = fault.strerror or str(fault)
        is_full = fault.errno in (errno.ENOSPC, errno.EDQUOT)
        remedy = "free some space" if is_full else "check who may read and write there"
        raise WorkspaceError(
            f"{path}: {reason}. Nothing was changed", remedy=f"{remedy}, then run it again"
        ) from fault


def commit_all(files: Sequence[StagedWrite], done: list[Write]) -> bool:
    """Commit in order and add to ``done``; False at the first file that somebody wrote to.

    Raises WorkspaceError if a rename is refused: then `put_back` what is done.
    """
    for file in files:
        with told_as_workspace_error(file.write.path):
            if not file.commit():
                return False
        done.append(file.write)
    return True


def put_back(done: Sequence[Write]) -> None:
    """Undo committed writes, except to files that somebody has written to since.

    Raises WorkspaceError that points at the backup if that fails too.
    """
    try:
        for write in reversed(done):
            if write.expected is not None:
                with staged([Write(write.path, write.expected, write.data)]) as (file,):
                    file.commit()
            elif read_or_none(write.path) == write.data:
                write.path.unlink()
    except (OSError, WorkspaceError) as fault:
        raise WorkspaceError(
            f"some lessons were updated, others not, and could not be put back: {fault}",
            remedy="run it again; your files as they were are in .gpuedu/backup",
        ) from fault


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder for one program at a time; a kill releases it.

    Raises WorkspaceError if another program holds it or the folder cannot be written.
    """
    with told_as_workspace_error(folder):
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o666)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as fault:
            raise WorkspaceError(
                f"{folder.parent}: another gpuedu is at work there. Nothing was changed",
                remedy="wait until it has ended, then run it again",
            ) from fault
        except OSError:
            pass  # a file system without locks (some network homes): every write is checked anyway
        yield
    finally:
        os.close(handle)


def sweep(folder: Path) -> None:
    """Remove what a killed run left half written anywhere below. Only under the lock."""
    for leftover in folder.rglob(f".*{_SUFFIX}"):
        with contextlib.suppress(OSError):
            leftover.unlink()


def _make_folders(folder: Path) -> list[Path]:
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]


def _write_through(path: Path, data: bytes, *, like: Path) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    with os.fdopen(handle, "wb") as file:
        if like.exists():
            os.fchmod(file.fileno(), like.stat().st_mode & 0o777)
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _force_to_disk(folder: Path) -> None:
    # Without it a power cut could keep a later rename (the base) and lose this one.
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
