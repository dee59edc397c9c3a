"""What real workers of a training did, in files that outlive them; and their checkpoints."""

from __future__ import annotations

import io
import json
import os
import time
from pathlib import Path
from typing import Any

import torch

Entry = dict[str, Any]
"""``life``, ``rank``, ``world``, ``agent``, ``local_rank``, ``restarts``, ``kind``, ``at``
(seconds), and what the kind has."""


class Diary:
    """One worker's own file; an entry is in it when ``write`` has returned, whatever comes then.

    Args:
        folder: where the files of all workers are.
        who: what every entry of it says.
    """

    def __init__(self, folder: Path, who: dict[str, Any]) -> None:
        self._who = who
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._file = os.open(folder / f"diary-{os.getpid()}", flags)

    def write(self, kind: str, **more: Any) -> None:
        """Add an entry."""
        entry = self._who | {"kind": kind, "at": time.time()} | more
        os.write(self._file, (json.dumps(entry) + "\n").encode())


def read_diaries(folder: Path) -> list[Entry]:
    """The entries of all workers, in the order of their times."""
    found = []
    for path in sorted(folder.glob("diary-*")):
        lines = path.read_text("utf-8").split("\n")
        found += [json.loads(line) for line in lines[:-1]]
    return sorted(found, key=lambda one: one["at"])


class Folder:
    """Checkpoints in a folder that all workers see, each whole under its name or not there."""

    def __init__(self, path: Path) -> None:
        self._path = path / "checkpoint.pt"

    def save(self, checkpoint: Any) -> None:
        """Write it beside the old one, then give it its name."""
        made = io.BytesIO()
        torch.save(checkpoint, made)
        waiting = self._path.with_suffix(f".{os.getpid()}")
        waiting.write_bytes(made.getvalue())
        waiting.replace(self._path)

    def load(self) -> Any:
        """The newest; None where there is none."""
        return torch.load(self._path, weights_only=False) if self._path.exists() else None
