"""The SQLite file behind a learner's progress, and everything that can be wrong with it.

A connection lives for one operation, so that threads, forked processes and a file that is replaced
behind our back need no care. Nothing here opens the file but SQLite: closing any other descriptor
of it would drop SQLite's POSIX locks. The journal is a rollback journal, as homes may be on NFS.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from gpuedu.errors import ProgressStoreError
from gpuedu.exercises.progress.events import ProgressEvent
from gpuedu.exercises.progress.schema import (
    APPLICATION_ID,
    SCHEMA_STEPS,
    connect,
    insert,
    migrate,
    pragma,
    rescue,
    select,
)

FILE_NAME = "progress.sqlite3"
Result = TypeVar("Result")
_TRIES = 3


class Trouble(StrEnum):
    """Why the file cannot be used now."""

    LOCKED = "another program is using it"
    FULL = "the disk is full, or your quota is used up"
    UNWRITABLE = "it cannot be written"
    NEWER = "a newer release of gpuedu wrote it, so it is left as it is"
    FAILING = "the disk or the file system reports an error"


_REMEDIES = {
    Trouble.LOCKED: "close other notebooks of this course; the next check saves what is waiting",
    Trouble.FULL: "free some space; the next check saves what is waiting",
    Trouble.UNWRITABLE: "set GPUEDU_HOME to a folder that you may write",
    Trouble.NEWER: "install that release again, or set GPUEDU_HOME to another folder",
    Trouble.FAILING: "set GPUEDU_HOME to a folder on another disk",
}
_SQLITE_TROUBLES = {
    sqlite3.SQLITE_BUSY: Trouble.LOCKED,
    sqlite3.SQLITE_LOCKED: Trouble.LOCKED,
    sqlite3.SQLITE_PROTOCOL: Trouble.LOCKED,
    sqlite3.SQLITE_FULL: Trouble.FULL,
    sqlite3.SQLITE_READONLY: Trouble.UNWRITABLE,
    sqlite3.SQLITE_CANTOPEN: Trouble.UNWRITABLE,
    sqlite3.SQLITE_PERM: Trouble.UNWRITABLE,
}
# SQLITE_ERROR means that our fixed statements do not fit: tables are missing or of another shape.
_SQLITE_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)


class ProgressFileError(ProgressStoreError):
    """The file cannot be used now; ``trouble`` says why."""

    def __init__(self, trouble: Trouble, path: Path) -> None:
        self.trouble = trouble
        super().__init__(
            f"Progress is kept in memory only, not in {path}: {trouble}", remedy=_REMEDIES[trouble]
        )


class _DamagedFileError(Exception):
    """What stands at the path is no progress file that SQLite can read; the text says how."""


class ProgressFile:
    """The file at ``path``; ``tell`` hears when a damaged one was put aside."""

    def __init__(self, path: Path, tell: Callable[[str], None]) -> None:
        # SQLite keeps its journal beside the real file, so links are followed here already.
        self.path = Path(os.path.realpath(path))
        self._tell = tell
        self._written: dict[str, ProgressEvent] = {}
        self._rescued: dict[str, ProgressEvent] = {}

    def check(self, timeout_s: float) -> None:
        """Put a damaged file aside, if there is one; raises ProgressFileError."""
        if os.path.lexists(self.path):
            self._operate(_require_sound, timeout_s, "BEGIN")

    def read(self, timeout_s: float) -> list[ProgressEvent]:
        """All events in the order they were written; raises ProgressFileError."""
        if not os.path.lexists(self.path):
            return list(self._rescued.values())
        return self._operate(select, timeout_s, "BEGIN")

    def write(
        self, choose: Callable[[sqlite3.Connection], Sequence[ProgressEvent]], timeout_s: float
    ) -> int:
        """Add the events that ``choose`` names, all or none; returns how many were new.

        ``choose`` may read; nobody else writes meanwhile. Raises ProgressFileError.
        """

        def work(db: sqlite3.Connection) -> tuple[Sequence[ProgressEvent], int]:
            events, rescued = choose(db), list(self._rescued.values())
            insert(db, rescued)
            added = insert(db, events)
            return [*rescued, *events], added

        events, added = self._operate(work, timeout_s, "BEGIN IMMEDIATE")
        for event in events:
            self._rescued.pop(event.id, None)
        self._written.update((event.id, event) for event in events)
        return added

    def _operate(
        self, work: Callable[[sqlite3.Connection], Result], timeout_s: float, begin: str
    ) -> Result:
        try:
            for _ in range(_TRIES):
                seen = self._identity()
                if seen is None:
                    self._create()
                    seen = self._identity()
                try:
                    return self._within_transaction(work, timeout_s, begin)
                except (_DamagedFileError, sqlite3.Error, OSError) as fault:
                    if self._identity() != seen:
                        continue  # Another process has put it aside, and begun a new one.
                    if not is_damage(fault):
                        raise
                    self._put_aside(str(fault))
        except (sqlite3.Error, OSError) as fault:
            raise ProgressFileError(trouble_of(fault), self.path) from fault
        raise ProgressFileError(Trouble.FAILING, self.path)

    def _within_transaction(
        self, work: Callable[[sqlite3.Connection], Result], timeout_s: float, begin: str
    ) -> Result:
        if not self.path.is_file():
            raise _DamagedFileError("it is not a file")
        if self.path.stat().st_size == 0:
            raise _DamagedFileError("it is empty")
        with closing(connect(self.path, "rw", timeout_s)) as db:
            self._require_ours(db)
            db.execute(begin)
            result = work(db)
            db.execute("COMMIT")
        return result

    def _require_ours(self, db: sqlite3.Connection) -> None:
        if pragma(db, "application_id") != APPLICATION_ID:
            raise _DamagedFileError("it is not a progress file of gpuedu")
        version = pragma(db, "user_version")
        if version > len(SCHEMA_STEPS):
            raise ProgressFileError(Trouble.NEWER, self.path)
        if version < len(SCHEMA_STEPS):
            migrate(db)

    def _create(self) -> None:
        """Make the file under another name and link it into place: it is born whole.

        So an empty file is always a damaged one, never one that another process has just begun.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_name(f".progress-{os.urandom(6).hex()}.sqlite3")
        try:
            with closing(connect(draft, "rwc", 0.0)) as db:
                db.execute("PRAGMA journal_mode = MEMORY")
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                migrate(db, [*self._rescued.values()])
            _move_unless_taken(draft, self.path)
        finally:
            draft.unlink(missing_ok=True)

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = os.lstat(self.path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        return (found.st_dev, found.st_ino)

    def _put_aside(self, reason: str) -> None:
        aside = _free_name(self.path)
        # A journal left behind would be played back into the new file; so it goes first.
        for suffix in ("-journal", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                Path(f"{self.path}{suffix}").rename(f"{aside}{suffix}")
        self.path.rename(aside)
        events = rescue(aside)
        self._rescued.update((event.id, event) for event in events)
        self._rescued.update(self._written)
        kept = len(self._rescued) or "none"
        self._tell(
            f"The file of your progress was damaged ({reason}). It is kept as {aside}, "
            f"and a new one begun; entries carried over: {kept}"
        )
        self._create()


def trouble_of(fault: sqlite3.Error | OSError) -> Trouble:
    """What a fault of SQLite or of the file system means for the learner."""
    if isinstance(fault, OSError):
        is_full = fault.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        return Trouble.FULL if is_full else Trouble.UNWRITABLE
    code = getattr(fault, "sqlite_errorcode", 0)
    if code == sqlite3.SQLITE_IOERR_WRITE:
        return Trouble.FULL  # A quota or a limit on file size: SQLite has no word of its own.
    return _SQLITE_TROUBLES.get(code & 0xFF, Trouble.FAILING)


def is_damage(fault: Exception) -> bool:
    """Whether the file itself is at fault, not the disk, a lock or a permission."""
    code = getattr(fault, "sqlite_errorcode", 0) & 0xFF
    return isinstance(fault, _DamagedFileError) or code in _SQLITE_DAMAGE


def _require_sound(db: sqlite3.Connection) -> None:
    report = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if report != "ok":
        raise _DamagedFileError(report.splitlines()[-1])


def _free_name(path: Path) -> Path:
    number = 1
    while os.path.lexists(aside := path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")):
        number += 1
    return aside


def _move_unless_taken(draft: Path, path: Path) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except (OSError, AttributeError):
        # A browser tab and some file systems have no links: then the gap between look and move is
        # a risk taken.
        if not os.path.lexists(path):
            draft.rename(path)
