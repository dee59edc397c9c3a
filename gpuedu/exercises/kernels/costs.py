"""From counted traffic to faults of properties that bound what a kernel may cost."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuedu.exercises.contract import Fault, Undecided
from gpuedu.exercises.kernels.traffic import Access, Traffic
from gpuedu.trace.counts import SECTOR_BYTES

WHOLE = 0.9
"""The share of the fetched bytes that a kernel in whole sectors uses at least."""

AGAIN = 2
"""How often an array's bytes count as used, at most, where nothing needs them more than once."""

_VERB = {"load": "read", "store": "written", "atomic": "updated"}


def sector_faults(
    prop: str,
    traffic: Traffic,
    operation: str,
    name: str,
    *,
    most_bytes: float = math.inf,
    least: float = WHOLE,
) -> Iterator[Fault]:
    """A fault where too few of the bytes in the sectors that come are asked for.

    What is asked for again and again, in whole sectors, makes up for nothing.

    Args:
        prop: The property.
        traffic: The accesses to one array.
        operation: "load", "store" or "atomic": which of them are judged.
        name: The array's name in the exercise.
        most_bytes: How many bytes count as used, at most.
        least: The share of the bytes that has to be used.
    """
    own = traffic.of(operation)
    if not own.requests:
        yield Undecided(prop, f"`{name}` was never {_VERB[operation]}")
    elif own.wasted_bytes > min(own.asked_bytes, most_bytes) * (1 / least - 1) and own.least_used:
        yield Fault(prop, _told_sectors(own.least_used))


def _told_sectors(access: Access) -> str:
    each = access.sectors_per_request
    wanted = access.lanes * access.itemsize / max(access.requests, 1)
    used = access.lanes * access.itemsize / max(access.sectors * SECTOR_BYTES, 1)
    return (
        f"each time a warp runs {access.told}, it asks for {_short(each)} "
        f"{'sector' if each == 1 else 'sectors'} ({_short(each * SECTOR_BYTES)} bytes) for "
        f"{_short(wanted)} bytes: {used:.1%} of them are used"
    )


def conflict_faults(prop: str, traffic: Traffic) -> Iterator[Fault]:
    """A fault at the access to shared memory that loses the most passes to bank conflicts."""
    if traffic.conflicts and traffic.worst:
        worst = traffic.worst
        best = worst.ideal_wavefronts / max(worst.requests, 1)
        yield Fault(
            prop,
            f"each time a warp runs {worst.told}, it takes {_short(worst.wavefronts_per_request)} "
            f"passes through the banks, where {_short(best)} would do",
        )


def _short(value: float) -> str:
    return f"{value:.0f}" if value == round(value) else f"{value:.1f}"
