"""The texts in the bars of a timeline: the recorded label, from its long form to its short one.

A stream of ``gpuedu.clock`` calls an operation "the copy of 'batch' to 'x' on copying"; in a bar
that is "batch to x", or "batch" if there is less room.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpuedu.clock import Interval

WAITS = {"wait": "waits", "sleep": "sleeps"}
"""Kinds of intervals in which nothing is done, and what a lane then does."""

_COPY = re.compile(r"the copy of '(?P<source>.*?)' to '(?P<to>.*?)'")
_KERNEL = re.compile(r"kernel '(?P<name>.*?)'")
_MARK = re.compile(r"a mark on stream '(?P<name>.*?)'")
_QUEUE = re.compile(r"(?P<what>room in|an item of) an? (?:empty )?queue.*")
_DIGITS = re.compile(r"\d+")
_NUMBERED = re.compile(r"\D+ (?P<number>\d+)")


def texts_of(interval: Interval) -> tuple[str, ...]:
    """What may be written in the interval's bar, longest first; a wait says what it waits for.

    >>> texts_of(Interval("copy to device", "copy", 0, 1, "the copy of 'batch' to 'x' on copying"))
    ('batch to x', 'batch')
    >>> texts_of(Interval("main", "wait", 0, 1, "batch 3"))
    ('waits for batch 3', 'for batch 3', 'batch 3', 'waits')
    >>> texts_of(Interval("host", "wait", 0, 1, "a mark on stream 'copying'"))[0]
    "waits for stream 'copying'"
    >>> texts_of(Interval("disk", "read", 0, 1, "batch 12"))
    ('read batch 12', 'batch 12', '12')
    """
    if interval.kind == "sleep":
        return ("sleeps",)
    if interval.kind == "wait":
        names = _awaited(interval.label)
        awaited = [f"{verb}{name}" for name in names for verb in ("waits for ", "for ", "")]
        return (*sorted(awaited, key=len, reverse=True), "waits")
    if interval.label.isdigit():
        return (f"{interval.kind} {interval.label}", interval.label)
    number = _NUMBERED.fullmatch(interval.label)
    if number:
        return (f"{interval.kind} {interval.label}", interval.label, number["number"])
    return _done(interval.label)


def _done(label: str) -> tuple[str, ...]:
    """Names of what is done, longest first."""
    if copy := _COPY.match(label):
        return f"{copy['source']} to {copy['to']}", copy["source"]
    if kernel := _KERNEL.match(label):
        return (kernel["name"],)
    return (label,) if label else ()


def _awaited(label: str) -> tuple[str, ...]:
    """Names of what is waited for, longest first."""
    if copy := _COPY.match(label):
        return f"the copy of {copy['source']!r}", "the copy"
    if mark := _MARK.match(label):
        return (f"stream {mark['name']!r}",)
    if queue := _QUEUE.match(label):
        is_full = queue["what"] == "room in"
        return ("room in the queue", "room") if is_full else ("an item of the queue", "an item")
    return _done(label)


def in_families(lanes: Iterable[str]) -> tuple[str, ...]:
    """The lanes, with those that differ only in a number side by side and in its order.

    >>> in_families(["worker 0", "main", "worker 10", "worker 9"])
    ('worker 0', 'worker 9', 'worker 10', 'main')
    """
    known = list(lanes)
    families = [_DIGITS.sub("#", lane) for lane in known]
    ranks = {
        lane: (families.index(family), [int(number) for number in _DIGITS.findall(lane)])
        for lane, family in zip(known, families, strict=True)
    }
    return tuple(sorted(known, key=lambda lane: ranks[lane]))
