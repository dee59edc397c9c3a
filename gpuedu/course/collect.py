"""Collect submissions by the names that a learning platform gives them."""

from __future__ import annotations

import re

from nbgrader.plugins import FileNameCollectorPlugin

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)-(\d\d)-(\d\d)-(\d\d)")


class SubmittedNames(FileNameCollectorPlugin):
    """nbgrader's collector, reading times written as ``2026-11-20-18-30-00`` in full.

    nbgrader would read such a time as 18:00, which changes late penalties.
    """

    def collect(self, submitted_file: str) -> dict | None:
        """What the file's name says, with its time as ``2026-11-20 18:30:00``."""
        found = super().collect(submitted_file)
        if found and found.get("timestamp"):
            found["timestamp"] = _MOMENT.sub(r"\1 \2:\3:\4", found["timestamp"])
        return found
