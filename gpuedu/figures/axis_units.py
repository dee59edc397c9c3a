"""The unit of an axis of times or of memory: the one in which its numbers are short."""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.units import GIB, KIB, MIB, MS, NS, US


@dataclass(frozen=True)
class AxisUnit:
    """A unit, and how many seconds or bytes it has."""

    name: str
    size: float

    def of(self, value: float) -> float:
        """A time in seconds, or a size in bytes, in this unit."""
        return value / self.size

    def name_axis(self, what: str) -> str:
        """What is written beside the axis.

        >>> time_unit(0.02).name_axis("simulated time")
        'simulated time (ms)'
        """
        return f"{what} ({self.name})"


def time_unit(end_s: float) -> AxisUnit:
    """The unit for an axis from 0 to ``end_s`` seconds.

    >>> [time_unit(end_s).name for end_s in (90.0, 2.0, 0.9, 4e-5, 0.0)]
    ['s', 's', 'ms', 'µs', 's']
    """
    for unit in (AxisUnit("s", 1.0), AxisUnit("ms", MS), AxisUnit("µs", US)):
        if end_s >= 1.5 * unit.size:
            return unit
    return AxisUnit("ns", NS) if end_s > 0 else AxisUnit("s", 1.0)


def memory_unit(most_bytes: float) -> AxisUnit:
    """The unit for an axis from 0 to ``most_bytes``, with binary prefixes.

    >>> [memory_unit(most).name for most in (80 * 2**30, 3 * 2**20, 2**20, 900)]
    ['GiB', 'MiB', 'KiB', 'B']
    """
    for unit in (AxisUnit("GiB", GIB), AxisUnit("MiB", MIB), AxisUnit("KiB", KIB)):
        if most_bytes >= 1.5 * unit.size:
            return unit
    return AxisUnit("B", 1.0)
