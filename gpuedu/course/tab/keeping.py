"""What the browser keeps of a learner's work: a table of texts by name for each kind of thing.

``events`` holds one event of progress a record, so that lessons that are open side by side add to
each other's; ``released`` holds the notebooks as they came with the release that was last opened.
"""

from __future__ import annotations

import asyncio
import json
from importlib import resources
from typing import Any

from gpuedu.errors import ProgressStoreError
from gpuedu.exercises.progress.events import ProgressEvent, from_json, to_json


class Keeping:
    """The browser's database, by way of ``keeping.js``; ``None`` is the real one."""

    def __init__(self, database: Any = None) -> None:
        self._database = _database() if database is None else database
        self._pending: set[asyncio.Task] = set()

    async def events(self) -> list[ProgressEvent]:
        """All events of progress that were kept, without those that cannot be read."""
        return [event for text in await self._database.all("events") for event in _read(text)]

    def keep_event(self, event: ProgressEvent) -> None:
        """Keep an event as soon as the cell that runs has ended."""
        text = json.dumps(vars(event), sort_keys=True, allow_nan=False)
        self._later(self._database.put("events", event.id, text))

    async def released(self, name: str) -> str | None:
        """A lesson's notebook as it was released when it was last opened."""
        return await self._database.get("released", name) or None

    async def keep_released(self, name: str, text: str) -> None:
        """Keep a lesson's released notebook."""
        await self._database.put("released", name, text)

    def _later(self, promise: Any) -> None:
        task = asyncio.ensure_future(promise)
        self._pending.add(task)  # a task that nobody holds may vanish before it is done
        task.add_done_callback(self._pending.discard)


def _read(text: str) -> list[ProgressEvent]:
    """The event of a record; none where it cannot be read."""
    try:
        return from_json(to_json([]).replace("[]", f"[{text}]"))
    except ProgressStoreError:
        return []


def _database() -> Any:
    from pyodide.code import run_js

    source = resources.files("gpuedu.course.tab").joinpath("keeping.js").read_text("utf-8")
    return run_js(source)
