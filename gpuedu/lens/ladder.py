"""The ladder of matmul kernels as rows: what counts allow each rung, and what GPUs measured of it.

Two shares are kept apart. What a rung can reach by its counts is a share of the device's fp32 peak.
What was measured is also a share of that peak, and next to it a share of what cuBLAS reached on the
same device at the same size.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gpuedu.errors import GpueduError
from gpuedu.hardware.names import find_device
from gpuedu.hardware.records import Record
from gpuedu.hardware.roofline import RooflineError, Roofs, roofs_of
from gpuedu.lens.roofline import RooflinePoint

CUBLAS = "cublas"
SERIES = "matmul-ladder"
_DTYPE = "float32"


class LadderError(GpueduError):
    """A size that no record has, or a record that is not one of the ladder."""


@dataclass(frozen=True)
class CountedRung:
    """A rung with what it does, counted; ``point`` is None if it was not run."""

    slug: str
    title: str
    language: str
    point: RooflinePoint | None = None


@dataclass(frozen=True)
class Measured:
    """One rung on one device.

    ``share_of_peak`` is of the device's fp32 peak (None: the catalog does not know the device),
    ``share_of_cublas`` of what cuBLAS reached there (None: not measured). 1 means all of it.
    """

    device: str
    share_of_peak: float | None
    share_of_cublas: float | None
    is_own: bool = False


@dataclass(frozen=True)
class LadderRow:
    """One rung.

    Args:
        slug: of the rung.
        name: its title.
        language: what it is written in.
        bound_share: the share of the fp32 peak that its counts allow; None if not counted.
        limit: which roof that is: "arithmetic", "L1", "device memory", or empty.
        uncached_share: the same if no cache held anything.
        measured: on each device that has a record of it.
    """

    slug: str
    name: str
    language: str
    bound_share: float | None = None
    limit: str = ""
    uncached_share: float | None = None
    measured: tuple[Measured, ...] = ()


@dataclass(frozen=True)
class Ladder:
    """Rungs from slow to fast.

    Args:
        rows: the rungs; cuBLAS is the last one if it was measured.
        bound_device: the device whose roofs the bounds are under.
        n: the size (n, n, n) of what was measured; None without a record.
        counted_n: the size at which the rungs were counted, if known.
        recorded: for each device with a record, its name and the day of the record.
    """

    rows: tuple[LadderRow, ...]
    bound_device: str
    n: int | None = None
    counted_n: int | None = None
    recorded: Mapping[str, str] | None = None

    @property
    def devices(self) -> tuple[str, ...]:
        """Devices with a measurement at this size, in the order of the records."""
        found = (here.device for row in self.rows for here in row.measured)
        return tuple(dict.fromkeys(found))

    @property
    def own_devices(self) -> frozenset[str]:
        """Those of them that are the learner's."""
        return frozenset(m.device for row in self.rows for m in row.measured if m.is_own)


def same_device(records: Sequence[Record], otherwise: str) -> tuple[Roofs, tuple[Record, ...]]:
    """One device's roofs and its record only: a bound says nothing about another device's time.

    Args:
        records: of the ladder; the learner's own comes first, or else the newest. One of a device
            whose roofs aren't known is left out.
        otherwise: the device of the roofs if no record is left.
    """
    for record in sorted(records, key=lambda one: (one.is_own, one.date), reverse=True):
        known = find_device(record.device)
        with contextlib.suppress(RooflineError):
            if known is not None:
                return roofs_of(known.key), (record,)
    return roofs_of(otherwise), ()


def build_ladder(
    counted: Sequence[CountedRung],
    roofs: Roofs,
    records: Sequence[Record] = (),
    *,
    n: int | None = None,
    counted_n: int | None = None,
) -> Ladder:
    """Put counts and records together, one row per rung.

    Only square products in float32 are taken from the records. A rung that a record lacks has no
    measurement of that device; rungs that are not in ``counted`` are left out.

    Args:
        counted: the rungs from slow to fast.
        roofs: of the device that the bounds are for.
        records: the series ``matmul-ladder``, one per device, with times in seconds.
        n: the size to show; by default the largest at which most of the rungs were measured.
        counted_n: the size at which the rungs were counted, to be stated in the figure.

    Raises:
        LadderError: no record has the size; or a record is of another series or unit.
    """
    times = {record.device: _times(record) for record in records}
    own = {record.device for record in records if record.is_own}
    size = _size(times.values(), [rung.slug for rung in counted], n) if records else None
    at_size = {device: by_size.get(size, {}) for device, by_size in times.items()}
    rungs = [*counted, CountedRung(CUBLAS, "cuBLAS", "library")]
    rows = [_row(rung, roofs, at_size, size, own) for rung in rungs]
    if not rows[-1].measured:
        rows.pop()
    dates = {r.device: r.date[:10] for r in records if at_size[r.device] and size is not None}
    return Ladder(tuple(rows), roofs.device, size, counted_n, dates)


def _row(
    rung: CountedRung,
    roofs: Roofs,
    at_size: Mapping[str, Mapping[str, float]],
    size: int | None,
    own: set[str],
) -> LadderRow:
    point = rung.point
    return LadderRow(
        slug=rung.slug,
        name=rung.title,
        language=rung.language,
        bound_share=None if point is None else point.attainable_share(roofs),
        limit="" if point is None else point.limit(roofs),
        uncached_share=None if point is None else point.uncached_share(roofs),
        measured=tuple(
            _measured(device, times[rung.slug], times.get(CUBLAS), size, device in own)
            for device, times in at_size.items()
            if size is not None and rung.slug in times
        ),
    )


def _measured(
    device: str, time_s: float, cublas_s: float | None, size: int, is_own: bool
) -> Measured:
    known = find_device(device)
    peak = known.flop_per_s.get("fp32") if known else None
    return Measured(
        device=device,
        share_of_peak=2 * size**3 / time_s / peak if peak else None,
        share_of_cublas=cublas_s / time_s if cublas_s else None,
        is_own=is_own,
    )


def _times(record: Record) -> dict[int, dict[str, float]]:
    """Size to rung to median in seconds, of the square float32 products."""
    if (record.name, record.unit) != (SERIES, "s"):
        raise LadderError(
            f"the record of {record.device} is {record.name!r} in {record.unit!r}",
            remedy=f"records({SERIES!r}), whose times are in seconds",
        )
    found: dict[int, dict[str, float]] = {}
    for row in record.rows:
        if _is_square(row) and row["median"] > 0:
            found.setdefault(row["n"], {})[row["rung"]] = row["median"]
    return found


def _is_square(row: Mapping[str, Any]) -> bool:
    is_whole = row.get("dtype") == _DTYPE and "rung" in row
    return is_whole and row.get("m") == row.get("n") == row.get("k") is not None


def _size(
    times: Iterable[Mapping[int, Mapping[str, float]]], slugs: Sequence[str], n: int | None
) -> int | None:
    wanted = {*slugs, CUBLAS}
    have: Counter[int] = Counter()
    for by_size in times:
        for size, by_rung in by_size.items():
            have[size] += len(wanted & set(by_rung))
    if n is not None and not have[n]:
        known = ", ".join(str(size) for size in sorted(have)) or "none"
        raise LadderError(f"no record has the size {n}", remedy=f"one of the sizes: {known}")
    if n is not None:
        return n
    return max(+have, key=lambda size: (have[size], size), default=None)
