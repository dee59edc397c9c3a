"""What to measure: a series of points, each with its work; and the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpuedu.recording.bench import GpuBench
from gpuedu.recording.sizes import Sizes


@dataclass(frozen=True)
class PreparedPoint:
    """A point made ready.

    ``run`` enqueues it once. ``check`` is called after exactly one run, when the device is done,
    and says what is wrong with the result, or nothing. ``by_host`` takes the time from the call
    until the device has finished, by the host's clock; otherwise it is the device's own. ``times``
    is how many runs make a sample, 0 for as many as make it long enough for the clock.
    ``moved_bytes`` is what a run moves, if the series' unit is bytes in a second. ``fields`` are
    more fields of the row, known only now. ``values``, if given, are what the row is about instead
    of times: losses, say, one for each seed.
    """

    run: Callable[[], object]
    check: Callable[[], str]
    by_host: bool = False
    times: int = 0
    moved_bytes: float = 0.0
    fields: Mapping[str, Any] = field(default_factory=dict)
    values: Sequence[float] = ()


class NotHereError(Exception):
    """A point cannot be measured on this machine, which is not a fault; the text says why."""


@dataclass(frozen=True)
class Point:
    """A row to measure: its parameters, and how to prepare its work.

    ``prepare`` allocates and compiles; it raises NotHereError if something is missing. Points of
    one ``group`` differ only in size: ``units``, such as FLOP, predict the time of the next.
    ``least_s`` is the least that the point takes: it is not started with less time left.
    """

    row: Mapping[str, Any]
    prepare: Callable[[], PreparedPoint]
    group: str = ""
    units: float = 0.0
    least_s: float = 0.0


@dataclass(frozen=True)
class Series:
    """A series of one record: its file, what its unit is, and how it makes its points.

    ``weight`` is its share of the time, relative to the others'. One that ``changes_power_limit``
    is measured only if that was asked for.
    """

    name: str
    file: str
    unit: str
    what: str
    points: Callable[[GpuBench, Sizes], Sequence[Point]]
    weight: float = 1.0
    changes_power_limit: bool = False


@dataclass(frozen=True)
class Measured:
    """The rows of a series; what was left out and why; and what is wrong with the code.

    ``faults`` are among what was left out: wrong results and kernels that failed. ``is_cut`` says
    that the time was used up before the last point.
    """

    rows: tuple[Mapping[str, Any], ...]
    left_out: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    is_cut: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether another try would find nothing more on this machine."""
        return not self.faults and not self.is_cut
