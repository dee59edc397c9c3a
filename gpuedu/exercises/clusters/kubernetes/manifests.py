"""Manifests: YAML read as ``kubectl`` reads it, with the line of every value.

PyYAML scans and parses. Scalars are resolved here, since Kubernetes' reader and PyYAML disagree
(``1e3``, ``0o17`` and ``y`` are texts for PyYAML only), and values are built here, within limits:
no anchors, no tags but ``!!str``, bounded depth, and no key twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.needs import missing_of

MOST_CHARACTERS, MOST_DEPTH, MOST_VALUES = 8_000, 40, 1_000
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE"), True),
    **dict.fromkeys(("on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE"), False),
    **dict.fromkeys(("off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INTEGER = re.compile(r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))")
_BASES = (16, 2, 8, 10)
_COUNTED = ("Scalar", "SequenceStart", "MappingStart", "DocumentStart")
_STR = "tag:yaml.org,2002:str"

Path = tuple[str | int, ...]
"""Keys and indices that lead to a value."""


@dataclass(frozen=True, eq=False)
class Document:
    """One document of a manifest, equal to itself only.

    Attributes:
        value: Of dicts, lists, texts, numbers, booleans and None.
        lines: The line of each value by its path, counted from 1: that of its key, if it has one.
        written: How plain scalars that aren't texts were written, by their paths.
    """

    value: Any
    lines: dict[Path, int]
    written: dict[Path, str]

    def line(self, path: Path) -> int:
        """The line of a value, or of what it would be in, where it isn't there."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines[path]


def get(value: Any, *path: str | int) -> Any:
    """What a path leads to; None where that isn't there.

    >>> get({"a": [{"b": 1}]}, "a", 0, "b"), get({"a": 1}, "a", "b")
    (1, None)
    """
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def read_manifest(text: str) -> tuple[Document, ...]:
    r"""The documents of a manifest that aren't empty.

    Raises:
        AnswerError: It isn't YAML, or uses what isn't read here; with the line.
        MissingPackageError: PyYAML isn't installed.

    >>> read_manifest("a: [1, on]\n---\n")[0].value
    {'a': [1, True]}
    >>> read_manifest("a: 1\na: 2")
    Traceback (most recent call last):
    gpuedu.errors.AnswerError: line 2: the key `a` is there twice, first in line 1
    """
    found = _outcome(text)
    if isinstance(found, AnswerError):
        raise AnswerError(found.message, remedy=found.remedy)
    return found


@lru_cache(maxsize=16)
def _outcome(text: str) -> tuple[Document, ...] | AnswerError:
    """The same, with a fault as a value: whoever asks again gets either at once."""
    try:
        return _read(text)
    except AnswerError as fault:
        return AnswerError(fault.message, remedy=fault.remedy)


def _read(text: str) -> tuple[Document, ...]:
    try:
        import yaml
    except ModuleNotFoundError as fault:
        raise missing_of(fault) or fault from None
    if len(text) > MOST_CHARACTERS:
        raise AnswerError(
            f"a manifest of {len(text):,} characters, at most {MOST_CHARACTERS:,} are read"
        )
    _refuse_depth(text)
    tab = re.search(r"^ *\t[\t ]*\S", text, re.MULTILINE)
    try:
        events = _Events(yaml.parse(text, Loader=yaml.SafeLoader))
        documents = tuple(_documents(events))
    except yaml.YAMLError as fault:
        line = _line_of(fault, text)
        if tab and text.count("\n", 0, tab.start()) + 1 == line:
            raise AnswerError(f"line {line}: it is indented by a tab; use spaces") from None
        problem = getattr(fault, "problem", None) or getattr(fault, "reason", None) or "no YAML"
        raise AnswerError(
            f"line {line}: {problem}", remedy="How are this line and the one above indented?"
        ) from None
    return tuple(one for one in documents if one.value is not None)


def _refuse_depth(text: str) -> None:
    """A scanner takes long over thousands of open brackets, so they are counted first."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "[{") - (sign in "]}")
        if depth > 2 * MOST_DEPTH:
            line = text.count("\n", 0, place) + 1
            raise AnswerError(f"line {line}: more than {MOST_DEPTH} levels, one inside the other")


def _line_of(fault: Any, text: str) -> int:
    mark = getattr(fault, "problem_mark", None) or getattr(fault, "context_mark", None)
    if mark is not None:
        return min(mark.line, text.rstrip().count("\n")) + 1
    position = getattr(fault, "position", 0)
    return text.count("\n", 0, position if isinstance(position, int) else 0) + 1


class _Events:
    """Events one by one; their kinds by name."""

    def __init__(self, events: Iterable[Any]) -> None:
        self._events = iter(events)
        self._count = 0

    def take(self) -> tuple[str, Any, int]:
        event = next(self._events)
        line = event.start_mark.line + 1
        kind = type(event).__name__.removesuffix("Event")
        self._count += kind in _COUNTED
        if self._count > MOST_VALUES:
            raise AnswerError(f"line {line}: more than {MOST_VALUES:,} values, keys and documents")
        if kind == "Alias" or getattr(event, "anchor", None):
            mark = "*" if kind == "Alias" else "&"
            raise AnswerError(
                f"line {line}: `{mark}{event.anchor}`: anchors and aliases aren't read here",
                remedy="write out what it stands for, or quote a text that begins with * or &",
            )
        tag = getattr(event, "tag", None)
        if tag not in (None, "!") and not (kind == "Scalar" and tag == _STR):
            raise AnswerError(
                f"line {line}: the tag `{tag}` isn't read here", remedy="leave the tag out"
            )
        return kind, event, line


def _documents(events: _Events) -> Iterator[Document]:
    while True:
        kind, _, _ = events.take()
        if kind == "StreamEnd":
            return
        if kind == "DocumentStart":
            lines: dict[Path, int] = {}
            written: dict[Path, str] = {}
            first = events.take()
            lines[()] = first[2]
            value = _value(events, first, (), Document(None, lines, written))
            yield Document(value, lines, written)


def _value(events: _Events, taken: tuple[str, Any, int], path: Path, out: Document) -> Any:
    kind, event, line = taken
    if len(path) > MOST_DEPTH:
        raise AnswerError(f"line {line}: more than {MOST_DEPTH} levels, one inside the other")
    if kind == "Scalar":
        value = _scalar(event)
        if value is not None and not isinstance(value, str):
            out.written[path] = event.value
        return value
    if kind == "SequenceStart":
        items: list[Any] = []
        while (taken := events.take())[0] != "SequenceEnd":
            out.lines[(*path, len(items))] = taken[2]
            items.append(_value(events, taken, (*path, len(items)), out))
        return items
    return _mapping(events, path, out)


def _mapping(events: _Events, path: Path, out: Document) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while (taken := events.take())[0] != "MappingEnd":
        kind, event, line = taken
        if kind != "Scalar":
            raise AnswerError(f"line {line}: a key should be a word, not a list or a mapping")
        if event.value == "<<" and event.implicit[0]:
            raise AnswerError(f"line {line}: `<<` isn't read here", remedy="write out its fields")
        key = _key(_scalar(event), event.value)
        inner = (*path, key)
        if key in found:
            raise AnswerError(
                f"line {line}: the key `{key}` is there twice, first in line {out.lines[inner]}"
            )
        out.lines[inner] = line
        found[key] = _value(events, events.take(), inner, out)
    return found


def _key(value: Any, written: str) -> str:
    """A key as JSON has it: ``on: 1`` becomes ``"true": 1``."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else written


def _scalar(event: Any) -> Any:
    is_plain = event.implicit[0] and event.tag is None
    return resolved(event.value) if is_plain else event.value


def resolved(plain: str) -> Any:
    """What a scalar without quotes is for Kubernetes.

    >>> [resolved(one) for one in ("on", "1e3", "0755", "1.5", "16Gi", "~", "2026-01-01", "0o17")]
    [True, 1000.0, 493, 1.5, '16Gi', None, '2026-01-01', 15]
    """
    if plain in _WORDS:
        return _WORDS[plain]
    if plain[0] not in "+-.0123456789":
        return plain
    digits = plain.replace("_", "")
    if whole := _INTEGER.fullmatch(digits):
        pairs = zip(_BASES, whole.groups()[1:], strict=True)
        (magnitude,) = (int(found[:40], base) for base, found in pairs if found is not None)
        return -magnitude if whole[1] == "-" else magnitude
    return float(digits) if _NUMBER.fullmatch(digits) else plain
