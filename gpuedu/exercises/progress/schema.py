"""The tables of a progress file: how they are made, brought up to date, filled and read."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path

from gpuedu.errors import ProgressStoreError
from gpuedu.exercises.progress.events import ProgressEvent, checked

APPLICATION_ID = 0x67707565
"""Marks a SQLite file as ours ("gpue"), so that a stranger's database is never written."""

SCHEMA_STEPS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE event (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
        " kind TEXT NOT NULL, name TEXT NOT NULL, at TEXT NOT NULL, body TEXT NOT NULL)",
        "CREATE INDEX event_by_name ON event (name)",
    ),
)
"""Step ``i`` brings a file from ``user_version`` i to i + 1."""

_ROWS = "SELECT id, kind, name, at, body FROM event"


def connect(path: Path, mode: str, timeout_s: float) -> sqlite3.Connection:
    """A connection that begins no transaction by itself; ``mode`` is SQLite's: rw, rwc, ro."""
    db = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}", uri=True, timeout=timeout_s, isolation_level=None
    )
    # Broken text makes one unreadable row, which is skipped, and not an error for all of them.
    db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return db


def pragma(db: sqlite3.Connection, name: str) -> int:
    """The number that a pragma reports."""
    return db.execute(f"PRAGMA {name}").fetchone()[0]


def migrate(db: sqlite3.Connection, events: Iterable[ProgressEvent] = ()) -> None:
    """Bring a file of any older version to this one and add ``events``, all or nothing."""
    db.execute("BEGIN IMMEDIATE")
    # Read again: another process may have migrated while this one waited for the lock.
    for step in SCHEMA_STEPS[pragma(db, "user_version") :]:
        for statement in step:
            db.execute(statement)
    db.execute(f"PRAGMA user_version = {len(SCHEMA_STEPS)}")
    insert(db, events)
    db.execute("COMMIT")


def insert(db: sqlite3.Connection, events: Iterable[ProgressEvent]) -> int:
    """Add events that are not there yet; returns how many were new."""
    before = db.total_changes
    rows = [(e.id, e.kind, e.name, e.at, json.dumps(e.body, allow_nan=False)) for e in events]
    db.executemany(
        "INSERT INTO event (id, kind, name, at, body) VALUES (?, ?, ?, ?, ?)"
        " ON CONFLICT (id) DO NOTHING",
        rows,
    )
    return db.total_changes - before


def select(db: sqlite3.Connection, name: str | None = None) -> list[ProgressEvent]:
    """Events in the order they were written: all, or those of one name."""
    if name is None:
        return _events(db.execute(f"{_ROWS} ORDER BY seq"))
    return _events(db.execute(f"{_ROWS} WHERE name = ? ORDER BY seq", (name,)))


def rescue(path: Path) -> list[ProgressEvent]:
    """What can still be read of a damaged file, from both of its ends."""
    found: dict[str, ProgressEvent] = {}
    if not path.is_file():
        return []
    for order in ("ASC", "DESC"):
        with suppress(sqlite3.Error), closing(connect(path, "ro&immutable=1", 0.0)) as db:
            # Without this SQLite refuses a file that is shorter than its header says.
            db.execute("PRAGMA writable_schema = ON")
            for row in db.execute(f"{_ROWS} NOT INDEXED ORDER BY seq {order}"):
                found.update((event.id, event) for event in _events([row]))
    return sorted(found.values(), key=lambda event: event.at)


def _events(rows: Iterable[tuple[str, ...]]) -> list[ProgressEvent]:
    events = []
    for *parts, body in rows:
        # A row that somebody edited by hand must not cost the learner all the others.
        with suppress(ProgressStoreError, ValueError, TypeError, RecursionError):
            events.append(checked(ProgressEvent(*parts, body=json.loads(body))))
    return events
