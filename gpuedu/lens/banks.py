"""How one request to shared memory goes through the 32 banks, pass by pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuedu.hardware.memory_rules import BANKS, WORD_BYTES
from gpuedu.lens.requests import Request
from gpuedu.trace.records import WARP_SIZE


@dataclass(frozen=True)
class BankVisit:
    """A word of 4 bytes that a bank gives out in one pass, and the lanes that get it.

    ``phase`` is the part of the warp that is served: all of it for elements of up to 4 bytes,
    halves for 8, quarters for 16. ``wavefront`` counts passes from 0 over all phases.
    """

    phase: int
    wavefront: int
    bank: int
    word: int
    lanes: tuple[int, ...]


_ACCESS_BYTES = (16, 8, 4, 2, 1)


def bank_visits(request: Request) -> tuple[BankVisit, ...]:
    """The visits of one request, in order of wavefront and bank.

    Within a phase, a bank gives its distinct words one after another, in order of address; all
    lanes that want the same word get it in the same pass. The hardware's order is not documented;
    the number of passes does not depend on it. The array is assumed to begin at bank 0; elements of
    more than 16 bytes are split.
    """
    visits: list[BankVisit] = []
    phases = 0
    for start_byte, size in _parts(request.site.itemsize):
        words = max(1, size // WORD_BYTES)
        for group in np.arange(WARP_SIZE).reshape(words, -1):
            wanted = _wanted(request, group, start_byte, words)
            first = 1 + max((visit.wavefront for visit in visits), default=-1)
            visits += _serve(wanted, phases, first)
            phases += 1
    return tuple(sorted(visits, key=lambda visit: (visit.wavefront, visit.bank)))


def _serve(wanted: dict[int, list[int]], phase: int, first: int) -> list[BankVisit]:
    """The visits of one phase, which begins at wavefront ``first``."""
    turns: dict[int, int] = {}
    visits = []
    for word in sorted(wanted):
        bank = word % BANKS
        turn = turns.get(bank, 0)
        turns[bank] = turn + 1
        visits.append(BankVisit(phase, first + turn, bank, word, tuple(wanted[word])))
    return visits


def _wanted(
    request: Request, group: np.ndarray, start_byte: int, words: int
) -> dict[int, list[int]]:
    """For each word that a group of lanes asks for, the lanes that do."""
    wanted: dict[int, list[int]] = {}
    for lane in group[request.active[group]]:
        address = int(request.element[lane]) * request.site.itemsize + start_byte
        for word in range(address // WORD_BYTES, address // WORD_BYTES + words):
            wanted.setdefault(word, []).append(int(lane))
    return wanted


def _parts(itemsize: int) -> list[tuple[int, int]]:
    """The accesses (first byte, bytes) that load one element, the largest first.

    >>> _parts(4), _parts(28)
    ([(0, 4)], [(0, 16), (16, 8), (24, 4)])
    """
    parts, begin = [], 0
    for size in _ACCESS_BYTES:
        while itemsize - begin >= size:
            parts.append((begin, size))
            begin += size
    return parts
