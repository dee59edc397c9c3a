"""The roofs of a device in the units that data sheets print."""

from __future__ import annotations

from gpuedu.hardware.roofline import roofs_of
from gpuedu.units import GB, TERA


def in_sheet_units(key: str) -> dict[str, float]:
    """Peak in TFLOP/s, and what L1 and device memory move in GB/s (1e9 bytes).

    >>> in_sheet_units("h200-sxm")["memory_gb_per_s"]
    4800.0
    """
    roofs = roofs_of(key)
    return {
        "tflop_per_s": roofs.flop_per_s / TERA,
        "l1_gb_per_s": roofs.l1_bytes_per_s / GB,
        "memory_gb_per_s": roofs.memory_bytes_per_s / GB,
    }
