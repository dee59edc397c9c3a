"""Happens-before by vector clocks: which two accesses no barrier, fence or atomic puts in order.

Every thread keeps a clock for every thread. A barrier gives all that take part the latest of
their clocks; a fence marks what an atomic after it hands on to whoever meets that address by an
atomic later, and such an atomic hands on itself too. Two accesses race when neither's clock has seen the other, at least one writes, and
not both are atomic. Two plain writes of equal bits are told apart as harmless.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

READ, WRITE, ATOMIC = "read", "write", "atomic"


@dataclass
class Outcome:
    """What the oracle saw: hazards as (kind, line), races and harmless writes as sets of lines."""

    hazards: set[tuple[str, int]] = field(default_factory=set)
    races: set[frozenset[int]] = field(default_factory=set)
    same_value_writes: set[frozenset[int]] = field(default_factory=set)
    unwritten_reads: set[tuple[int, int, int]] = field(default_factory=set)

    @property
    def kinds(self) -> set[str]:
        """The kinds of hazards found, races included."""
        return set(self.lines)

    @property
    def lines(self) -> dict[str, set[int]]:
        """The lines to blame for each kind of hazard.

        A read of unwritten memory that races with the write is a race and no more.
        """
        found: dict[str, set[int]] = {}
        unwritten = {("uninitialised-read", line) for _, _, line in self.unwritten_reads}
        racing = {("data-race", line) for pair in self.races for line in pair}
        for kind, line in self.hazards | unwritten | racing:
            found.setdefault(kind, set()).add(line)
        return found


class Ordering:
    """The clocks of all threads of a launch and the accesses that they have made."""

    def __init__(self, threads: int, outcome: Outcome, granule: int) -> None:
        self.clocks = np.eye(threads, dtype=np.int32)
        self.outcome = outcome
        self.granule = granule
        self.fences: dict[int, np.ndarray] = {}
        self.released: dict[int, np.ndarray] = {}
        self.made: dict[int, dict[int, int]] = defaultdict(dict)
        self.knows: dict[int, dict[tuple[int, int], int]] = defaultdict(dict)
        self.history: dict[int, dict[tuple[int, str, int], tuple[int, bytes]]] = defaultdict(dict)

    def access(self, thread: int, address: int, how: str, value: np.generic, line: int) -> None:
        """Record an access of one element, and every earlier one that it races with."""
        raw = value.tobytes()
        for start in range(0, len(raw), self.granule):
            part = raw[start : start + self.granule]
            self._meet(thread, address, address + start, how, part, line)

    def read_unwritten(self, thread: int, address: int, line: int) -> None:
        """Note a read of memory that nobody has written so far."""
        self.outcome.unwritten_reads.add((thread, address, line))

    def _meet(
        self,
        thread: int,
        element: int,
        address: int,
        how: str,
        bits: bytes,
        line: int,
    ) -> None:
        mine, seen = self.clocks[thread], self.history[address]
        for (other, earlier, place), (clock, value) in seen.items():
            if other == thread or mine[other] >= clock:
                continue
            if how == earlier and how != WRITE:
                continue
            if earlier == ATOMIC and self.knows[thread].get((element, other), -1) >= clock:
                continue
            same = how == earlier == WRITE and value == bits
            pairs = self.outcome.same_value_writes if same else self.outcome.races
            pairs.add(frozenset((place, line)))
            if how == WRITE:
                self.outcome.unwritten_reads.discard((other, address, place))
        seen[thread, how, line] = int(mine[thread]), bits

    def forget(self, addresses: Iterable[int]) -> None:
        """Drop accesses that everyone who may come later has seen."""
        for address in addresses:
            self.history.pop(address, None)

    def meet(self, threads: list[int]) -> None:
        """A barrier of these threads: all that any of them did is before all that follows."""
        self.clocks[threads] = self.clocks[threads].max(axis=0)
        known: dict[tuple[int, int], int] = {}
        for thread in threads:
            _learn(known, self.knows[thread])
        for thread in threads:
            self.knows[thread] = dict(known)
        self._tick(threads)

    def fence(self, thread: int) -> None:
        """What the thread did, and has seen done, is handed on by its atomics from here on."""
        self.fences[thread] = self.clocks[thread].copy()
        self._tick([thread])

    def hand_over(self, thread: int, address: int, *, writes: bool) -> None:
        """An atomic takes what was handed on at its address, and hands on what was fenced."""
        self._tick([thread])
        _learn(self.knows[thread], {(address, t): c for t, c in self.made[address].items()})
        if address in self.released:
            np.maximum(self.clocks[thread], self.released[address], out=self.clocks[thread])
        if writes and thread in self.fences:
            held = self.released.get(address, self.fences[thread])
            self.released[address] = np.maximum(held, self.fences[thread])
            self.made[address][thread] = int(self.clocks[thread, thread])

    def _tick(self, threads: list[int]) -> None:
        self.clocks[threads, threads] += 1


def _learn(known: dict[tuple[int, int], int], more: dict[tuple[int, int], int]) -> None:
    for key, clock in more.items():
        known[key] = max(clock, known.get(key, -1))
