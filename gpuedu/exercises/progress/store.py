"""The learner's progress store: attempts, predictions and hints, kept whatever happens to the disk.

Nothing here raises into the lesson. What cannot be saved stays in memory, is told once a session,
and is saved at the next chance.
"""

from __future__ import annotations

import atexit
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from gpuedu.errors import ProgressStoreError
from gpuedu.exercises.progress import summary as progress_summary
from gpuedu.exercises.progress.calibration import Calibration, revealed
from gpuedu.exercises.progress.events import (
    Kind,
    ProgressEvent,
    from_json,
    in_order,
    is_name,
    moment,
    new_event,
    to_json,
)
from gpuedu.exercises.progress.file import (
    FILE_NAME,
    ProgressFile,
    ProgressFileError,
    Trouble,
)
from gpuedu.exercises.progress.schema import select
from gpuedu.exercises.progress.summary import (
    Attempt,
    ExerciseProgress,
    ProgressSummary,
)
from gpuedu.hardware.home import data_folder

__all__ = [
    "Attempt",
    "Calibration",
    "ExerciseProgress",
    "ProgressStore",
    "ProgressSummary",
    "data_folder",
    "open_store",
]

LOCK_TIMEOUT_S = 3.0
_STILL_LOCKED_TIMEOUT_S = 0.2
_TICK = timedelta(microseconds=1)


def open_store(
    folder: str | os.PathLike[str] | None = None,
    *,
    in_memory: bool = False,
    keep: Callable[[ProgressEvent], None] | None = None,
    tell: Callable[[str], None] = print,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    timeout_s: float = LOCK_TIMEOUT_S,
) -> ProgressStore:
    """Open the store in ``folder`` (default: `data_folder`); the file is made by the first write.

    ``in_memory`` keeps nothing on disk and reads nothing from it; ``keep`` is then called with each
    new event, for a place that is no file. ``tell`` hears each problem once, as one line. ``clock``
    gives moments that know their time zone. ``timeout_s`` bounds how long a lock of another process
    is waited for.
    """
    if in_memory:
        return ProgressStore(None, tell, clock, timeout_s, keep)
    place = Path(folder) if folder is not None else data_folder()
    return ProgressStore(place / FILE_NAME, tell, clock, timeout_s)


class ProgressStore:
    """Records what the learner does, and tells where the course stands. See `open_store`.

    Any thread may call it. The dictionaries are only ever changed by single steps, which need no
    lock; and a lock held while another thread forks would stay shut in the child.
    """

    def __init__(
        self,
        path: Path | None,
        tell: Callable[[str], None],
        clock: Callable[[], datetime],
        timeout_s: float,
        keep: Callable[[ProgressEvent], None] | None = None,
    ) -> None:
        self._tell = tell
        self._keep = keep or (lambda _: None)
        self._clock = clock
        self._timeout_s = timeout_s
        self._trouble: Trouble | None = None
        self._told: set[str] = set()
        self._known: dict[str, ProgressEvent] = {}
        self._waiting: dict[str, ProgressEvent] = {}
        self._file = ProgressFile(path, self._tell_once) if path else None
        if self._file:
            try:
                self._file.check(timeout_s)
            except ProgressFileError as fault:
                self._note(fault)

    @property
    def path(self) -> Path | None:
        """Where the file is, or would be; None in memory."""
        return self._file.path if self._file else None

    @property
    def waiting(self) -> int:
        """How many events are in memory only."""
        return len(self._waiting)

    def record_attempt(
        self,
        exercise: str,
        points: float,
        max_points: float,
        properties: Mapping[str, bool],
        seconds: float,
    ) -> None:
        """Keep one check: its points, which properties held, and how long it took."""
        body = {
            "points": points,
            "max_points": max_points,
            "properties": {str(name): bool(held) for name, held in properties.items()},
            "seconds": seconds,
        }
        self._record(lambda _: new_event(Kind.ATTEMPT, exercise, self._clock(), body))

    def record_prediction(self, key: str, value: float | str) -> None:
        """Keep what the learner expects: a number, or one of the choices."""
        self._record_in_sequence(Kind.PREDICTION, key, value)

    def record_truth(self, key: str, truth: float | str) -> None:
        """Keep the reveal; predictions after the first reveal of ``key`` do not count."""
        self._record_in_sequence(Kind.TRUTH, key, truth)

    def prediction(self, key: str) -> float | str | None:
        """The one that counts: the learner's last before the first reveal, None before any."""
        own = [event for event in self._events() if event.name == key]
        if key in (counted := revealed(own)):
            return counted[key][0]
        return next((e.body["value"] for e in reversed(own) if e.kind == Kind.PREDICTION), None)

    def is_revealed(self, key: str) -> bool:
        """Whether the answer has been shown; a prediction after that does not count."""
        return any(e.kind == Kind.TRUTH and e.name == key for e in self._events())

    def next_hint(self, exercise: str, count: int) -> int:
        """Number of the hint to show, from 1; it stays at ``count``, in later sessions too."""
        shown = min(1, count)

        def build(earlier: Sequence[ProgressEvent]) -> ProgressEvent | None:
            nonlocal shown
            before = progress_summary.hints_in(earlier, exercise)
            shown = min(before + 1, count)
            if before >= count:
                return None
            return new_event(Kind.HINT, exercise, self._clock(), {"number": shown})

        self._record(build, exercise)
        return shown

    def attempts(self, exercise: str) -> tuple[Attempt, ...]:
        """All attempts at an exercise, in order of time."""
        return progress_summary.attempts_in(self._events(), exercise)

    def best(self, exercise: str) -> Attempt | None:
        """The attempt with the largest share of the points, None before the first attempt."""
        return progress_summary.best_of(self.attempts(exercise))

    def summary(self) -> ProgressSummary:
        """Where the course stands."""
        return progress_summary.summarize(self._events())

    def export_json(self) -> str:
        """Everything as text, for `import_json` on another machine or after this one is gone."""
        return to_json(self._events())

    def import_json(self, text: str) -> int:
        """Add what an export holds and is not here yet; returns the number of new events.

        Raises ProgressStoreError, with nothing changed, where the text is not a sound export.
        """
        events = from_json(text)
        known = {event.id for event in self._events()}
        new = {event.id: event for event in events if event.id not in known}
        self._waiting.update(new)
        self.flush()
        for event in new.values():
            self._keep(event)
        return len(new)

    def flush(self) -> None:
        """Save what is waiting in memory, where the file can be written again."""
        if self._waiting:
            self._record(lambda _: None)

    def _record_in_sequence(self, kind: Kind, key: str, value: float | str) -> None:
        def build(earlier: Sequence[ProgressEvent]) -> ProgressEvent:
            now = self._clock()
            # A clock that was set back must not move a prediction before the reveal it follows.
            order = [e.at for e in earlier if e.kind in (Kind.PREDICTION, Kind.TRUTH)]
            if order:
                now = max(now, moment(max(order)) + _TICK)
            return new_event(kind, key, now, {"value": value})

        self._record(build, key)

    def _record(
        self,
        build: Callable[[Sequence[ProgressEvent]], ProgressEvent | None],
        name: str | None = None,
    ) -> None:
        """Build an event from the earlier ones of ``name`` and save it with what is waiting."""
        built: list[ProgressEvent | None] = []
        saved: list[ProgressEvent] = []

        def choose(db: sqlite3.Connection) -> Sequence[ProgressEvent]:
            if not built:
                written = select(db, name) if is_name(name) else []
                built.append(build([*written, *_named(name, self._waiting)]))
            saved[:] = [*self._waiting.values(), *filter(None, built)]
            return saved

        try:
            if not self._write(choose):
                saved.clear()
                # A commit that failed may have happened: the same event again is no second one.
                built = built or [build(_named(name, self._known | self._waiting))]
                self._waiting.update((event.id, event) for event in filter(None, built))
                for event in filter(None, built):
                    self._keep(event)
        except ProgressStoreError as refusal:
            self._tell_once(str(refusal))
        for event in saved:
            self._known[event.id] = event
            self._waiting.pop(event.id, None)

    def _write(self, choose: Callable[[sqlite3.Connection], Sequence[ProgressEvent]]) -> bool:
        if not self._file:
            return False
        try:
            self._file.write(choose, self._patience_s)
        except ProgressFileError as fault:
            self._note(fault)
            return False
        if self._trouble:
            self._trouble = None
            self._tell_once(f"Progress is saved again, in {self.path}")
        return True

    def _events(self) -> list[ProgressEvent]:
        """Everything known, by time; what was read before stands in where the file fails."""
        if self._file:
            try:
                self._known = {event.id: event for event in self._file.read(self._patience_s)}
            except ProgressFileError as fault:
                self._note(fault)
        return in_order([*self._known.values(), *self._waiting.values()])

    @property
    def _patience_s(self) -> float:
        # A lock that outlasted one wait must not slow every later check by as much.
        is_stuck = self._trouble is Trouble.LOCKED
        return min(self._timeout_s, _STILL_LOCKED_TIMEOUT_S) if is_stuck else self._timeout_s

    def _note(self, fault: ProgressFileError) -> None:
        if not self._trouble:
            atexit.register(self._flush_at_exit)
        self._trouble = fault.trouble
        self._tell_once(str(fault))

    def _flush_at_exit(self) -> None:
        self._tell = lambda _: None  # Nobody reads a card any more.
        self.flush()

    def _tell_once(self, message: str) -> None:
        if message not in self._told:
            self._told.add(message)
            self._tell(message)


def _named(name: str | None, events: Mapping[str, ProgressEvent]) -> list[ProgressEvent]:
    return [event for event in list(events.values()) if event.name == name]
