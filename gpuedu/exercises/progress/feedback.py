"""What a learner may send to a teacher: counts of their checks, and what they say. Nothing else.

There is no code in it, no name unless it was given, and nothing of the machine. A file may come
from anybody, so that reading one bounds all that it holds.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gpuedu import __version__
from gpuedu.errors import GpueduError
from gpuedu.exercises.progress.events import moment
from gpuedu.exercises.progress.store import ProgressStore
from gpuedu.exercises.progress.summary import Attempt, ExerciseProgress
from gpuedu.syllabus import exercise_ids

FORMAT, FORMAT_VERSION = "gpuedu-feedback", 1
QUESTIONS = {
    "unclear": "What was unclear?",
    "helped": "What helped you?",
    "wrong": "What is wrong, or doesn't work?",
}
MOST_BYTES = 200_000
"""Of a file; all exercises with long remarks are a tenth of it."""
MOST_TEXT, MOST_NAME = 1_000, 80
"""Characters of a remark, and of a name."""
MOST_LOST = 3
"""Properties of an exercise that are named: those that were lost most often."""
_MOST_COUNT = 1_000_000
_SECONDS_PER_MINUTE = 60
_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,59}", re.ASCII)


@dataclass(frozen=True)
class Tried:
    """One exercise: checks, hints, minutes from the first check to the last, properties lost.

    ``lost``: id of a property, and in how many checks it did not hold.
    """

    exercise: str
    checks: int
    hints: int
    solved: bool
    minutes: int
    lost: Mapping[str, int]


@dataclass(frozen=True)
class Feedback:
    """All that is sent. ``remarks``: by the keys of ``QUESTIONS``, those that were answered."""

    exercises: tuple[Tried, ...]
    remarks: Mapping[str, str]
    name: str = ""
    release: str = __version__


def collect(store: ProgressStore, remarks: Mapping[str, str], name: str = "") -> Feedback:
    """What the store has of the course's exercises, and what the learner says; texts are cut."""
    by_name = {one.exercise: one for one in store.summary().exercises}
    tried = [
        _tried(by_name[name], store.attempts(name)) for name in exercise_ids() if name in by_name
    ]
    said = {key: text.strip()[:MOST_TEXT] for key, text in remarks.items() if text.strip()}
    return Feedback(tuple(tried), said, name.strip()[:MOST_NAME])


def _tried(entry: ExerciseProgress, attempts: Sequence[Attempt]) -> Tried:
    lost = Counter(
        name
        for one in attempts
        for name, held in one.properties.items()
        if not held and _ID.fullmatch(name)
    )
    moments = [moment(one.at) for one in attempts]
    seconds = (max(moments) - min(moments)).total_seconds() if moments else 0.0
    return Tried(
        entry.exercise,
        entry.attempts,
        entry.hints,
        entry.first_solved is not None,
        math.ceil(seconds / _SECONDS_PER_MINUTE),
        dict(lost.most_common(MOST_LOST)),
    )


def to_json(feedback: Feedback) -> str:
    """The file's text, which a person can read, too; no name where none was given."""
    content = {"format": FORMAT, "version": FORMAT_VERSION, **asdict(feedback)}
    if not feedback.name:
        del content["name"]
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def from_json(text: str) -> Feedback:
    """A file's content; GpueduError says what is not as `to_json` writes it.

    Exercises that the course does not have are left out.
    """
    try:
        found = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as fault:
        raise GpueduError(f"it is not JSON ({str(fault)[:MOST_NAME]})") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise GpueduError("it is no file of `gpuedu feedback`")
    if found.get("version") != FORMAT_VERSION:
        raise GpueduError("it has another version")
    rows, remarks = found.get("exercises"), found.get("remarks")
    _require(isinstance(rows, list) and isinstance(remarks, dict), "its parts")
    known = set(exercise_ids())
    _require(len(rows) <= len(known), "its number of exercises")
    tried = [_read(row) for row in rows]
    names = [one.exercise for one in tried]
    _require(len(set(names)) == len(names), "an exercise that is there twice")
    said = {key: _text(remarks[key], MOST_TEXT) for key in QUESTIONS if key in remarks}
    return Feedback(
        tuple(one for one in tried if one.exercise in known),
        {key: text for key, text in said.items() if text},
        _text(found.get("name", ""), MOST_NAME),
        _text(found.get("release", ""), MOST_NAME),
    )


def require_ours(path: Path) -> None:
    """Raise GpueduError where there is a file already that is no earlier feedback."""
    if not path.exists():
        return
    try:
        with path.open("rb") as file:
            from_json(file.read(MOST_BYTES).decode("utf-8"))
    except (OSError, UnicodeDecodeError, GpueduError):
        raise GpueduError(
            f"{path} is something else already", remedy="name a file that is not there yet"
        ) from None


def _refuse(name: str) -> None:
    raise ValueError(name)


def _require(is_right: bool, what: str) -> None:
    if not is_right:
        raise GpueduError(f"{what} cannot be")


def _read(row: Any) -> Tried:
    _require(isinstance(row, dict), "an exercise")
    lost = row.get("lost")
    _require(isinstance(lost, dict) and len(lost) <= MOST_LOST, "the properties lost")
    found = Tried(
        _checked(row.get("exercise"), _is_id, "an exercise's id"),
        *(_checked(row.get(key), _is_count, f"a number of {key}") for key in ("checks", "hints")),
        _checked(row.get("solved"), lambda value: type(value) is bool, "what is solved"),
        _checked(row.get("minutes"), _is_count, "a number of minutes"),
        lost,
    )
    for name, times in lost.items():
        _require(_is_id(name) and _is_count(times), "a property lost")
    return found


def _checked(value: Any, is_right: Callable[[Any], bool], what: str) -> Any:
    _require(is_right(value), what)
    return value


def _is_id(value: object) -> bool:
    return type(value) is str and _ID.fullmatch(value) is not None


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= _MOST_COUNT


def _text(value: object, most: int) -> str:
    _require(isinstance(value, str), "a text")
    return str(value)[:most].encode("utf-8", "replace").decode("utf-8").strip()
