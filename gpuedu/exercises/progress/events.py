"""What progress is made of: events that only accumulate, so that two stores merge by union."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from numbers import Real
from typing import Any

from gpuedu.errors import ProgressStoreError

FORMAT = "gpuedu-progress"
FORMAT_VERSION = 1
TEXT_LIMIT = 200

_NAME = re.compile(r"[\w.:/+-]{1,100}", re.ASCII)
_NUMBER_LIMIT = 1e300
_REMEDY = "export the progress again, and import the whole text without changes"


class Kind(StrEnum):
    """What happened: a check, a prediction, the reveal of its truth, or a hint that was shown."""

    ATTEMPT = "attempt"
    PREDICTION = "prediction"
    TRUTH = "truth"
    HINT = "hint"


@dataclass(frozen=True)
class ProgressEvent:
    """One thing that happened, once: its ``id`` is unique over all machines of a learner.

    ``name`` is the id of an exercise or the key of a prediction; ``at`` is UTC in ISO format, of
    fixed width, so that text order is time order; ``body`` holds the fields of the kind.
    """

    id: str
    kind: str
    name: str
    at: str
    body: Mapping[str, Any]


def is_number(value: object) -> bool:
    """Whether this is a finite plain number; a bool is not.

    >>> is_number(2.5), is_number(True), is_number(float("nan")), is_number(10**400)
    (True, False, False, False)
    """
    return type(value) in (int, float) and -_NUMBER_LIMIT < value < _NUMBER_LIMIT


def is_name(name: object) -> bool:
    """Whether this can name an exercise or a prediction.

    >>> is_name("saxpy-cost"), is_name(""), is_name("two words")
    (True, False, False)
    """
    return type(name) is str and _NAME.fullmatch(name) is not None


def _is_value(value: object) -> bool:
    return is_number(value) or (type(value) is str and len(value) <= TEXT_LIMIT)


def _is_flags(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        type(name) is str and type(held) is bool for name, held in value.items()
    )


def _is_count(value: object) -> bool:
    return type(value) is int and 1 <= value <= 1000


FIELDS: Mapping[str, Mapping[str, Callable[[object], bool]]] = {
    Kind.ATTEMPT: {
        "points": is_number,
        "max_points": is_number,
        "properties": _is_flags,
        "seconds": is_number,
    },
    Kind.PREDICTION: {"value": _is_value},
    Kind.TRUTH: {"value": _is_value},
    Kind.HINT: {"number": _is_count},
}


def new_event(kind: Kind, name: str, at: datetime, body: Mapping[str, Any]) -> ProgressEvent:
    """An event with an id of its own; ProgressStoreError names the part that cannot be kept."""
    plain = {field: _plain(value) for field, value in body.items()}
    return checked(ProgressEvent(os.urandom(12).hex(), str(kind), name, stamp(at), plain))


def _plain(value: object) -> object:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Real) and not isinstance(value, bool | int | float):
        return float(value)
    return float(value) if isinstance(value, float) else value


def stamp(at: datetime) -> str:
    """A moment as UTC text of fixed width.

    >>> stamp(datetime(2026, 3, 1, 9, 30, tzinfo=UTC))
    '2026-03-01T09:30:00.000000+00:00'
    """
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def moment(at: str) -> datetime:
    """The moment that `stamp` wrote."""
    return datetime.fromisoformat(at)


def checked(event: ProgressEvent) -> ProgressEvent:
    """The event itself when each part is what its kind asks for, else ProgressStoreError."""
    if not is_name(event.id):
        raise ProgressStoreError(f"an event has the id {_short(event.id)}", remedy=_REMEDY)
    if not is_name(event.name):
        raise ProgressStoreError(
            f"progress cannot be kept for {_short(event.name)}: not a name of the course",
            remedy="use the id that the notebook shows",
        )
    fields = FIELDS.get(event.kind) if type(event.kind) is str else None
    if fields is None or not isinstance(event.body, Mapping) or set(event.body) != set(fields):
        raise ProgressStoreError(
            f"the event {event.id} of {event.name!r} does not have the parts of a known kind",
            remedy=_REMEDY,
        )
    for field, is_right in fields.items():
        if not is_right(event.body[field]):
            raise ProgressStoreError(
                f"{event.kind} of {event.name!r}: {_short(event.body[field])} is no {field} that "
                "can be kept",
                remedy=f"numbers must be finite, texts at most {TEXT_LIMIT} characters long",
            )
    _check_time(event)
    return event


def _check_time(event: ProgressEvent) -> None:
    try:
        at = moment(event.at)
        # Far years leave no room to place a later event behind them.
        is_right = stamp(at) == event.at and 1970 <= at.year < 9000
    except (TypeError, ValueError, OverflowError):
        is_right = False
    if not is_right:
        raise ProgressStoreError(
            f"the event {event.id} of {event.name!r} has the time {_short(event.at)}",
            remedy="times are UTC, as in 2026-03-01T09:30:00.000000+00:00",
        )


def _short(value: object) -> str:
    shown = (
        ascii(value) if isinstance(value, str | int | float | None) else f"a {type(value).__name__}"
    )
    return shown if len(shown) <= 60 else shown[:57] + "..."


def in_order(events: Iterable[ProgressEvent]) -> list[ProgressEvent]:
    """Each event once, by time; events of one moment stay in the order given."""
    once = {event.id: event for event in events}
    return sorted(once.values(), key=lambda event: event.at)


def to_json(events: Iterable[ProgressEvent]) -> str:
    """The export: all events as JSON text, one event a line."""
    rows = [json.dumps(vars(event), sort_keys=True, allow_nan=False) for event in events]
    lines = "" if not rows else "\n" + ",\n".join(rows) + "\n"
    return f'{{"format": "{FORMAT}", "version": {FORMAT_VERSION}, "events": [{lines}]}}\n'


def from_json(text: str) -> list[ProgressEvent]:
    """The events of an export; ProgressStoreError where the text is not one, whole and sound."""
    try:
        found = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError, AttributeError, TypeError) as fault:
        raise ProgressStoreError(f"this is not JSON: {fault}", remedy=_REMEDY) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ProgressStoreError("this JSON is not an export of progress", remedy=_REMEDY)
    if found.get("version") != FORMAT_VERSION:
        raise ProgressStoreError(
            f"this export has version {_short(found.get('version'))}, known is {FORMAT_VERSION}",
            remedy="install the release of gpuedu that wrote it, or a later one",
        )
    rows = found.get("events")
    if not isinstance(rows, list):
        raise ProgressStoreError("this export has no list of events", remedy=_REMEDY)
    return [_event_of(row, place) for place, row in enumerate(rows)]


def _event_of(row: object, place: int) -> ProgressEvent:
    if not isinstance(row, dict) or set(row) != {"id", "kind", "name", "at", "body"}:
        raise ProgressStoreError(f"entry {place} of the export is not an event", remedy=_REMEDY)
    return checked(ProgressEvent(**row))
