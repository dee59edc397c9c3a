"""What the machine found in a launch, as plain values that travel from a play to its judge."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuedu.trace import Finding, Level, Place, Thread, Trace

_SHORT = 100


@dataclass(frozen=True)
class Sighting:
    """A finding with the line of source that it is about.

    ``line`` is counted in the learner's cell and 0 where the finding is about no line; ``text`` is
    that line. ``block`` and ``thread`` are (x, y, z), or empty where no thread is named.
    """

    level: str
    kind: str
    message: str
    remedy: str
    line: int = 0
    text: str = ""
    array: str = ""
    index: tuple[int, ...] = ()
    block: tuple[int, ...] = ()
    thread: tuple[int, ...] = ()
    count: int = 1

    @property
    def is_hazard(self) -> bool:
        """Whether the kernel is wrong or unsafe because of it."""
        return self.level == Level.HAZARD

    @property
    def told(self) -> str:
        """Where it is, and what it is, in one sentence.

        >>> Sighting("hazard", "out-of-bounds", "thread 3 reads `a[3]`", "", 4, "b[i] = a[i]").told
        'on line 4, `b[i] = a[i]`, thread 3 reads `a[3]`'
        """
        if not self.line:
            return self.message
        text = f"`{self.text}`, " if self.text else ""
        return f"on line {self.line}, {text}{self.message}"

    def as_plain(self) -> str:
        """The sighting as JSON: a play returns nothing but text, numbers and arrays."""
        return json.dumps(vars(self))


def sightings_of(trace: Trace) -> list[str]:
    """All findings of a launch as plain values, hazards first."""
    texts = _texts(trace)
    return [_sighting(found, texts).as_plain() for found in trace.findings]


def read_sightings(plain: Sequence[str]) -> tuple[Sighting, ...]:
    """The sightings that ``sightings_of`` made plain.

    >>> plain = Sighting("note", "partial-warp", "a block of 5", "", block=(0, 0, 0)).as_plain()
    >>> read_sightings([plain])[0].block
    (0, 0, 0)
    """
    return tuple(_read(json.loads(one)) for one in plain)


def _read(fields: Mapping[str, object]) -> Sighting:
    return Sighting(**{k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()})


def _sighting(found: Finding, texts: Mapping[Place, str]) -> Sighting:
    who = found.who or Thread((), ())
    return Sighting(
        level=str(found.level),
        kind=found.kind,
        message=found.message,
        remedy=found.remedy,
        line=found.place.line if found.place else 0,
        text=texts.get(found.place, "") if found.place else "",
        array=found.array,
        index=tuple(map(int, found.index)),
        block=tuple(map(int, who.block)),
        thread=tuple(map(int, who.thread)),
        count=int(found.count),
    )


def _texts(trace: Trace) -> dict[Place, str]:
    """The lines of the kernel and its device functions; a very long one is cut."""
    return {
        Place(source.function, source.first_line + row): text.strip()[:_SHORT]
        for source in trace.launch.sources
        for row, text in enumerate(source.text.splitlines())
    }
