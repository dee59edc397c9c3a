"""Where a counted kernel is under a device's roofs: its FLOP and bytes, from a lens report."""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.hardware import roofline
from gpuedu.hardware.roofline import Roofs
from gpuedu.lens.report import PASS_BYTES, Lens


@dataclass(frozen=True)
class RooflinePoint:
    """A kernel's work and traffic, counted; it involves no time and no device.

    Args:
        name: its name in figures.
        flop: floating-point operations of the launch.
        l1_bytes: bytes through the data path that the L1 cache and shared memory have in common.
        memory_bytes: the least traffic with device memory, each sector read once and written once.
        requested_bytes: sectors of global memory that the threads asked for, in bytes: the traffic
            with device memory if no cache held anything. None if it was not counted.
    """

    name: str
    flop: int
    l1_bytes: int
    memory_bytes: int
    requested_bytes: int | None = None

    @property
    def l1_intensity(self) -> float | None:
        """FLOP for each byte through the L1 data path; None without traffic."""
        return _per(self.flop, self.l1_bytes)

    @property
    def memory_intensity(self) -> float | None:
        """FLOP for each byte of the least traffic with device memory; None without traffic.

        >>> saxpy = RooflinePoint("saxpy", flop=2 * 32, l1_bytes=3 * 128, memory_bytes=3 * 128)
        >>> saxpy.memory_intensity == 1 / 6
        True
        """
        return _per(self.flop, self.memory_bytes)

    @property
    def uncached_intensity(self) -> float | None:
        """FLOP for each byte that the threads request from global memory; None if not counted."""
        return None if self.requested_bytes is None else _per(self.flop, self.requested_bytes)

    def attainable_flop_per_s(self, roofs: Roofs) -> float:
        """The most that this kernel can do in a second on the device."""
        return roofline.attainable_flop_per_s(roofs, self.l1_intensity, self.memory_intensity)

    def attainable_share(self, roofs: Roofs) -> float:
        """That as a share of the fp32 peak, 0 to 1."""
        return self.attainable_flop_per_s(roofs) / roofs.flop_per_s

    def uncached_share(self, roofs: Roofs) -> float | None:
        """The share if every sector that is asked for came from device memory.

        It is below ``attainable_share``; the difference is what caches or shared memory save. None
        if ``requested_bytes`` is.
        """
        if self.requested_bytes is None:
            return None
        rate = roofline.attainable_flop_per_s(roofs, self.l1_intensity, self.uncached_intensity)
        return min(rate / roofs.flop_per_s, self.attainable_share(roofs))

    def limit(self, roofs: Roofs) -> str:
        """Which roof it meets first: "arithmetic", "L1" or "device memory"."""
        return roofline.limit(roofs, self.l1_intensity, self.memory_intensity)


def roofline_point(report: Lens, name: str | None = None) -> RooflinePoint:
    """Read a kernel's place under any roofline from the report on one launch.

    FLOP of every floating-point dtype count the same. L1 cache and shared memory are one array of
    banks with one data path, so bytes through it are 128 for each pass. Shared memory takes a pass
    for each wavefront, a request to global memory one for every four sectors and at least one, even
    if its lanes share a single word (NVIDIA's answer in its developer forum, topic 165293, read
    2026-11: a request has one or more wavefronts, and one passes in a cycle). Counts are those of
    the source: if the compiler merges narrow loads into wide ones, the real kernel can need fewer
    passes.

    Args:
        report: the lens of a launch.
        name: the kernel's name in figures; the name of its function by default.
    """
    totals = report.totals
    return RooflinePoint(
        name=report.trace.launch.kernel if name is None else name,
        flop=totals.flop,
        l1_bytes=PASS_BYTES * report.passes,
        memory_bytes=report.touched_bytes,
        requested_bytes=totals.sector_bytes,
    )


def _per(flop: int, size_bytes: int) -> float | None:
    return flop / size_bytes if size_bytes else None
