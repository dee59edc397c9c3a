"""Races between streams: two uses of a buffer that nothing orders.

A use comes before another when something guarantees it: both are on one stream, or an event that
was recorded after the first is waited for before the second, or the host waited for the first
before it issued the second. That is Lamport's happens-before ("Time, Clocks, and the Ordering of
Events in a Distributed System", 1978), kept in vector clocks: how many operations of each agent are
known to be done. So a race is found on every run, even where the times happen to work out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

Known = dict[str, int]
"""For each agent, how many of its operations are known to be done."""


@dataclass(frozen=True)
class Use:
    """One operation as a user of buffers: what it is, who carries it out, its number there."""

    what: str
    agent: str
    number: int


@dataclass(frozen=True)
class Race:
    """Two unordered uses of ``buffer``; at least one of them writes.

    ``kind`` is "read after write", "write after read" or "write after write", in the order in
    which the host issued them.
    """

    buffer: str
    kind: str
    first: Use
    second: Use

    def __str__(self) -> str:
        return (
            f"{self.second.what} (on {self.second.agent}) and {self.first.what} (on "
            f"{self.first.agent}) both use {self.buffer!r}, a {self.kind}, and nothing makes "
            "one wait for the other"
        )


@dataclass
class _Uses:
    write: Use | None = None
    reads: list[Use] = field(default_factory=list)


class RaceDetector:
    """Follows the uses of buffers in the order in which the host issues them.

    >>> detector = RaceDetector()
    >>> detector.use(Use("copy", "stream 1", 1), {}, reads=[], writes=["x"])
    >>> detector.use(Use("kernel", "stream 2", 1), {"stream 1": 0}, reads=["x"], writes=[])
    >>> [race.kind for race in detector.races]
    ['read after write']
    """

    def __init__(self) -> None:
        self.races: list[Race] = []
        self._uses: dict[str, _Uses] = {}

    def use(self, use: Use, known: Known, reads: Sequence[str], writes: Sequence[str]) -> None:
        """Note a use of buffers by an operation, with what is known to be done before it."""
        for buffer in dict.fromkeys((*reads, *writes)):
            earlier = self._uses.setdefault(buffer, _Uses())
            if buffer in writes:
                self._compare(buffer, "write after write", [earlier.write], use, known)
                self._compare(buffer, "write after read", earlier.reads, use, known)
                self._uses[buffer] = _Uses(write=use)
            else:
                self._compare(buffer, "read after write", [earlier.write], use, known)
                earlier.reads.append(use)

    def _compare(
        self, buffer: str, kind: str, earlier: Sequence[Use | None], use: Use, known: Known
    ) -> None:
        for other in earlier:
            if other is None or other.agent == use.agent:
                continue
            if known.get(other.agent, 0) < other.number:
                self.races.append(Race(buffer, kind, other, use))


def join(*known: Known) -> Known:
    """The combined knowledge of all of these.

    >>> join({"a": 1, "b": 4}, {"a": 2})
    {'a': 2, 'b': 4}
    """
    joined: Known = {}
    for one in known:
        for agent, number in one.items():
            joined[agent] = max(number, joined.get(agent, 0))
    return joined
