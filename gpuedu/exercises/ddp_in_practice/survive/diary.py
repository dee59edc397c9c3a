"""The diary of a training that is killed: what each rank did, in a file that outlives it."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

Entry = dict[str, Any]
"""``run``, ``attempt``, ``rank``, ``kind``, ``at`` (seconds), ``step``, and what the kind has."""


class Diary:
    """One rank's own file; an entry is in it when ``write`` has returned, whatever comes then.

    Args:
        folder: where the files of all ranks and attempts are.
        attempt: how often the ranks had begun before.
        rank: whose it is.
    """

    def __init__(self, folder: Path, attempt: int, rank: int) -> None:
        self.attempt, self.rank, self.run, self.step = attempt, rank, "", -1
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._file = os.open(folder / f"diary-{attempt}-{rank}", flags)

    def write(self, kind: str, **more: Any) -> None:
        """Add an entry; ``step`` is the last one that was begun."""
        own = {"run": self.run, "attempt": self.attempt, "rank": self.rank, "kind": kind}
        entry = {"step": self.step} | own | {"at": time.time()} | more
        os.write(self._file, (json.dumps(entry) + "\n").encode())


def read_diaries(folder: Path) -> list[Entry]:
    """The entries of all ranks and attempts, in the order of their times."""
    found = []
    for path in sorted(folder.glob("diary-*")):
        lines = path.read_text("utf-8").split("\n")
        found += [json.loads(line) for line in lines[:-1]]
    return sorted(found, key=lambda one: one["at"])
