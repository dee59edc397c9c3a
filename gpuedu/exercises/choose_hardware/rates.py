"""A device of the catalog as the lesson's functions get it: the rates that a program reaches."""

from __future__ import annotations

from gpuedu.choosing import steps
from gpuedu.hardware.catalog import Device

_PCIE4_BYTES_PER_S = 32e9


def reachable(device: Device, precision: str = "bf16") -> dict[str, float]:
    """Rates of arithmetic, memory, link (one direction) and launches.

    Where the catalog has no link, it is PCIe 4.0 x16.
    """
    link = device.link_bytes_per_s
    return {
        "flop_per_s": steps.MATMUL_SHARE * steps.peak(device, precision),
        "bytes_per_s": steps.BANDWIDTH_SHARE * device.bandwidth_bytes_per_s,
        "link_bytes_per_s": link / 2 if link else _PCIE4_BYTES_PER_S,
        "launch_s": steps.LAUNCH_S,
    }
