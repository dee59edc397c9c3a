"""The roofline of a device: what arithmetic, the L1 data path and device memory allow a kernel.

A kernel that does ``flop`` and moves ``bytes`` through one level of memory has the intensity ``flop
/ bytes`` there. Moving the bytes takes time, so the kernel cannot run faster than intensity times
the bandwidth of that level: a slanted roof; and never faster than the peak: the flat one. There are
two slanted roofs here, because most of what the threads of an SM ask for never comes from device
memory. One is the data path of the SM's L1 cache and shared memory, which are one array since
Volta; the other is device memory. The model is from S. Williams, A. Waterman, D. Patterson,
"Roofline: an insightful visual performance model for multicore architectures", Communications of
the ACM 52(4), 2009.

What it simplifies: latency and occupancy are left out (everything overlaps), and so are the mix of
instructions (address arithmetic and loads also take issue slots) and the L2 cache; the clock is the
boost clock of the data sheet; the peak counts a multiply-add as two operations in fp32, and a
kernel that does not fuse them, or computes in float64, has a lower one. The intensity with device
memory takes the least traffic, each sector once. So the result is a bound, not a prediction.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from gpuedu.errors import GpueduError
from gpuedu.hardware.catalog import Device, device

ARITHMETIC, L1, DEVICE_MEMORY = "arithmetic", "L1", "device memory"
LIMITS = (ARITHMETIC, DEVICE_MEMORY, L1)
"""What can limit a kernel; of two that allow the same rate, ``limit`` names the first."""

_GA10X = (
    "NVIDIA Ampere GA102 GPU Architecture, V2 (2021), on L1 cache and shared memory: 128 bytes a "
    "clock and SM, 64 in Turing"
)
_BANKS = (
    "NVIDIA, CUDA C++ Programming Guide (12.9), Compute Capabilities, Shared Memory: 32 banks of "
    "32 bits a clock; W. Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU "
    "Architecture, arXiv:2402.13499 (2024), measures 107 to 124 bytes a clock and SM from the L1 "
    "cache of compute capability 8.0, 8.9 and 9.0"
)

_L1_BYTES_PER_CLOCK: Mapping[tuple[int, int], tuple[int, str]] = {
    (7, 5): (64, _GA10X),
    (8, 0): (128, _BANKS),
    (8, 6): (128, _GA10X),
    (8, 9): (128, _BANKS),
    (9, 0): (128, _BANKS),
}


class RooflineError(GpueduError):
    """A device whose roofs the course does not know, or an invalid intensity."""


@dataclass(frozen=True)
class Roofs:
    """The three roofs of a device, by the data sheet.

    Args:
        device: its name.
        flop_per_s: the dense fp32 peak.
        memory_bytes_per_s: bandwidth of device memory.
        l1_bytes_per_s: what the L1 data paths of all SMs move together.
        sources: for each of the three, the documents that it comes from.
    """

    device: str
    flop_per_s: float
    memory_bytes_per_s: float
    l1_bytes_per_s: float
    sources: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def l1_ridge(self) -> float:
        """Intensity in FLOP/byte at which the L1 roof meets the peak."""
        return self.flop_per_s / self.l1_bytes_per_s

    @property
    def memory_ridge(self) -> float:
        """Intensity in FLOP/byte at which the roof of device memory meets the peak."""
        return self.flop_per_s / self.memory_bytes_per_s


def roofs_of(key: str) -> Roofs:
    """The roofs of a device of the catalog.

    The L1 roof is bytes a clock and SM, times SMs, times clock; if the catalog has no clock, the
    one that the fp32 peak was computed with (peak / lanes / 2).

    Raises:
        UnknownNameError: the catalog has no such device.
        RooflineError: it does not say enough about it: no fp32 peak, SMs or lanes, or the compute
            capability is not one whose L1 data path is known.

    >>> t4, h200 = roofs_of("t4"), roofs_of("h200-sxm")
    >>> h200.flop_per_s, h200.memory_bytes_per_s, round(h200.l1_bytes_per_s / 1e12, 1)
    (67000000000000.0, 4800000000000.0, 33.5)
    >>> round(t4.memory_ridge, 1), round(h200.memory_ridge, 1), round(h200.l1_ridge, 1)
    (25.3, 14.0, 2.0)
    """
    found = device(key)
    lanes, sms, peak = found.fp32_lanes, found.sms, found.flop_per_s.get("fp32")
    if not (lanes and sms and peak):
        missing = "its SMs and lanes" if peak else "an fp32 peak"
        raise _unknown(found, f"the catalog has no source for {missing}")
    if found.compute_capability not in _L1_BYTES_PER_CLOCK:
        raise _unknown(found, "the width of its L1 data path is not known")
    bytes_per_clock, document = _L1_BYTES_PER_CLOCK[found.compute_capability]
    clock_hz = found.clock_hz or peak / lanes / 2
    return Roofs(
        device=found.name,
        flop_per_s=peak,
        memory_bytes_per_s=found.bandwidth_bytes_per_s,
        l1_bytes_per_s=bytes_per_clock * sms * clock_hz,
        sources={
            "flop_per_s": found.sources["fp32"],
            "memory_bytes_per_s": found.sources["bandwidth"],
            "l1_bytes_per_s": _joined(document, found, "sms", "clock_ghz"),
        },
    )


def attainable_flop_per_s(
    roofs: Roofs, l1_intensity: float | None, memory_intensity: float | None
) -> float:
    """The most that a kernel can do in a second under all three roofs.

    Args:
        roofs: of the device.
        l1_intensity: FLOP for each byte through the L1 data path; None or infinity for no traffic.
        memory_intensity: FLOP for each byte from and to device memory; likewise.

    Raises:
        RooflineError: an intensity below 0, or not a number.

    >>> h200 = roofs_of("h200-sxm")
    >>> attainable_flop_per_s(h200, 1 / 6, 1 / 6) / 1e12  # saxpy: 2 FLOP for 12 bytes
    0.8
    >>> attainable_flop_per_s(h200, 4.0, 100.0) == h200.flop_per_s
    True
    """
    return min(_rates(roofs, l1_intensity, memory_intensity).values())


def limit(roofs: Roofs, l1_intensity: float | None, memory_intensity: float | None) -> str:
    """Which roof is lowest: "arithmetic", "L1" or "device memory".

    Where roofs meet, it is "arithmetic" before "device memory" before "L1": at a ridge point the
    peak is reached. Arguments and errors as for ``attainable_flop_per_s``.

    >>> h200 = roofs_of("h200-sxm")
    >>> limit(h200, 1 / 6, 1 / 6), limit(h200, 0.25, 100.0), limit(h200, None, 100.0)
    ('device memory', 'L1', 'arithmetic')
    """
    rates = _rates(roofs, l1_intensity, memory_intensity)
    return min(LIMITS, key=lambda name: rates[name])


def _rates(
    roofs: Roofs, l1_intensity: float | None, memory_intensity: float | None
) -> dict[str, float]:
    return {
        ARITHMETIC: roofs.flop_per_s,
        DEVICE_MEMORY: _checked(memory_intensity) * roofs.memory_bytes_per_s,
        L1: _checked(l1_intensity) * roofs.l1_bytes_per_s,
    }


def _checked(intensity: float | None) -> float:
    if intensity is None:
        return math.inf
    if not intensity >= 0:
        raise RooflineError(
            f"an intensity cannot be {intensity} FLOP/byte",
            remedy="FLOP / bytes, and None where there is no traffic",
        )
    return intensity


def _joined(document: str, found: Device, *fields: str) -> str:
    """The document and those of the device's fields, each once."""
    others = [found.sources[name] for name in fields if name in found.sources]
    return "; ".join(dict.fromkeys([document, *others]))


def _unknown(found: Device, why: str) -> RooflineError:
    return RooflineError(
        f"no roofs for {found.name}: {why}", remedy="a device such as 't4', 'a100-40gb', 'h200-sxm'"
    )
