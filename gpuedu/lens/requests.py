"""Single accesses of single warps, found in the watched blocks: what a picture shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuedu.errors import GpueduError
from gpuedu.hardware import memory_rules
from gpuedu.lens.listing import line_texts
from gpuedu.syllabus import unknown
from gpuedu.trace.records import AccessSite, Place, Space, Trace


class NothingWatchedError(GpueduError):
    """The trace keeps counts of an access, but no single request of it that could be shown."""


@dataclass(frozen=True)
class Request:
    """One warp's access: ``element`` is (32,) int64, -1 for a lane that takes no part.

    ``block`` is linear, ``warp`` within the block; ``epoch`` counts the block's barriers before.
    """

    site: AccessSite
    step: int
    block: int
    warp: int
    epoch: int
    element: np.ndarray

    @property
    def active(self) -> np.ndarray:
        """(32,) bool: the lanes that take part."""
        return self.element >= 0

    @property
    def lanes(self) -> int:
        """How many lanes take part."""
        return int(self.active.sum())

    @property
    def sectors(self) -> int:
        """Sectors of 32 bytes that it asks for, in an array that begins at a whole sector."""
        if not self.lanes:
            return 0
        address = self.element * self.site.itemsize
        return int(memory_rules.sectors(address, self.site.itemsize, self.active))

    @property
    def ideal_sectors(self) -> int:
        """Sectors that this many different elements need at best: one, if all lanes share one."""
        elements = len(np.unique(self.element[self.active]))
        return int(memory_rules.ideal_sectors(elements, self.site.itemsize))

    @property
    def wavefronts(self) -> int:
        """Passes through the 32 banks that it would take in shared memory."""
        address = self.element * self.site.itemsize
        return int(memory_rules.wavefronts(address, self.site.itemsize, self.active))

    @property
    def ideal_wavefronts(self) -> int:
        """Passes that the same lanes need at best."""
        return int(memory_rules.ideal_wavefronts(self.site.itemsize, self.active))

    @property
    def cost(self) -> str:
        """What it costs its memory, in words; empty for registers and constants."""
        if self.site.space is Space.GLOBAL:
            return f"{_many(self.sectors, 'sector')}, {self.ideal_sectors} at best"
        if self.site.space is Space.SHARED:
            return f"{_many(self.wavefronts, 'wavefront')}, {self.ideal_wavefronts} at best"
        return ""


def find_sites(trace: Trace, at: int | str | Place | AccessSite) -> tuple[AccessSite, ...]:
    """The access sites at a place of the source.

    Args:
        trace: The account of a launch.
        at: A line number, the text of an access (``"a[i]"``) or of its line, the name of an array,
            a ``Place``, or a site itself.

    Raises:
        UnknownNameError: Nothing accesses memory there; the remedy names what does.
    """
    texts = line_texts(trace.launch)
    found = tuple(site for site in trace.sites if _is_at(site, at, texts))
    if not found:
        known = [f"line {site.place.line}: {site.text}" for site in trace.sites]
        raise unknown("access", str(at), list(dict.fromkeys(known)))
    return found


def find_requests(
    trace: Trace,
    at: int | str | Place | AccessSite,
    *,
    block: int | None = None,
    warp: int | None = None,
    epoch: int | None = None,
) -> tuple[Request, ...]:
    """The watched requests at a place, in order of execution.

    Args:
        trace: The account of a launch.
        at: As in ``find_sites``.
        block: A linear block; all that were watched by default.
        warp: A warp of the block; all by default.
        epoch: How many barriers the block had passed; all by default.

    Raises:
        UnknownNameError: Nothing accesses memory there.
        NothingWatchedError: Something does, but not in the watched blocks, or not in this way.
    """
    sites = find_sites(trace, at)
    numbers = [n for n, site in enumerate(trace.sites) if any(site is own for own in sites)]
    events = trace.events
    is_asked = np.isin(events.site, numbers)
    for column, wanted in ((events.block, block), (events.warp, warp), (events.epoch, epoch)):
        is_asked &= True if wanted is None else column == wanted
    if not is_asked.any():
        raise NothingWatchedError(
            f"no single request of `{sites[0].text}` was kept for block {block}, warp {warp}, "
            f"epoch {epoch} (None means any)",
            remedy=f"one of the watched blocks, {list(trace.watched)[:8]}, or a smaller launch",
        )
    return tuple(request_at(trace, int(row)) for row in np.flatnonzero(is_asked))


def request_at(trace: Trace, row: int) -> Request:
    """The request in one row of the trace's events."""
    events = trace.events
    return Request(
        trace.sites[events.site[row]],
        int(events.step[row]),
        int(events.block[row]),
        int(events.warp[row]),
        int(events.epoch[row]),
        events.element[row],
    )


def _is_at(site: AccessSite, at: object, texts: dict[Place, str]) -> bool:
    if isinstance(at, AccessSite):
        return site is at
    if isinstance(at, str):
        return at.strip() in (site.text, site.array, texts.get(site.place))
    return at in (site.place, site.place.line)


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
