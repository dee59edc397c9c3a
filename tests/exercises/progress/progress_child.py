"""Run as a process of its own by the tests of the progress store: ``progress_child.py TASK ...``.

Each task prints one line per fact, flushed at once, so that a killed process has told what it did.
"""

from __future__ import annotations

import os
import resource
import sqlite3
import sys
from pathlib import Path

from gpuedu.exercises.progress import ProgressStore, open_store


def say(*words: object) -> None:
    print(*words, flush=True)


PATIENCE_S = 60.0
"""How long to wait for the lock: two writers on a machine that stalls may hold each other up for
longer than a learner should wait, and no row is to be late here."""


def opened(folder: str) -> ProgressStore:
    return open_store(folder, tell=lambda message: say("TOLD", message), timeout_s=PATIENCE_S)


def attempt(store: ProgressStore, exercise: str, number: int) -> None:
    store.record_attempt(exercise, 1.0, 2.0, {"is-right": True}, float(number))


def write(folder: str, exercise: str, first: str, count: str, user: str = "") -> None:
    """Say a number only once its attempt is on disk; as ``user`` where one is given."""
    if user:
        Path("/").as_uri()  # imports what it needs while that can be read
        os.setuid(int(user))
    store = opened(folder)
    for number in range(int(first), int(first) + int(count)):
        attempt(store, exercise, number)
        if store.waiting == 0:
            say("SAVED", number)


def hints(folder: str, exercise: str, count: str) -> None:
    """Say the number of each hint that was given."""
    store = opened(folder)
    for _ in range(int(count)):
        say("HINT", store.next_hint(exercise, 1000))


def fill(folder: str, exercise: str, limit_bytes: str) -> None:
    """Write on after the disk is full; then list what the session still knows."""
    if int(limit_bytes):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit_bytes), int(limit_bytes)))
    store = opened(folder)
    number = 0
    while store.waiting < 5 and number < 20_000:
        attempt(store, exercise, number)
        number += 1
    say("WAITING", store.waiting)
    say("WRITTEN", number)
    say("KNOWN", len(store.attempts(exercise)))


def hold(folder: str) -> None:
    """Keep the file locked until the other end of standard input is closed."""
    db = sqlite3.connect(Path(folder) / "progress.sqlite3", isolation_level=None)
    db.execute("BEGIN EXCLUSIVE")
    say("HELD")
    sys.stdin.read()
    db.execute("ROLLBACK")
    db.close()


def fork(folder: str) -> None:
    """Write from a parent and its child, through the store they share."""
    store = opened(folder)
    attempt(store, "amdahl", 0)
    child = os.fork()
    for number in range(1, 21):
        attempt(store, "parent" if child else "child", number)
    if not child:
        os._exit(0)
    say("CHILD", os.waitpid(child, 0)[1])


if __name__ == "__main__":
    tasks = {"write": write, "hints": hints, "fill": fill, "hold": hold, "fork": fork}
    tasks[sys.argv[1]](*sys.argv[2:])
