"""Every unit conversion, and every way a quantity is written for a person.

Decimal prefixes (GB = 1e9 bytes) are for rates and for what data sheets print; binary prefixes
(GiB = 2**30 bytes) for memory that is allocated. Names of variables carry base units: ``time_s``,
``size_bytes``, ``bandwidth_bytes_per_s``, ``flop``, ``flop_per_s``.
"""

from __future__ import annotations

import math

KB, MB, GB, TB = 1e3, 1e6, 1e9, 1e12
KIB, MIB, GIB = 2**10, 2**20, 2**30
US, MS, NS = 1e-6, 1e-3, 1e-9
TERA = 1e12

_SI = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def format_quantity(value: float, unit: str) -> str:
    """Write a number with a decimal prefix and three significant digits.

    >>> format_quantity(67e12, "FLOP/s"), format_quantity(320e9, "B/s"), format_quantity(12, "B")
    ('67 TFLOP/s', '320 GB/s', '12 B')
    """
    if not math.isfinite(value):
        return f"{value} {unit}"
    for factor, prefix in _SI:
        if abs(value) >= factor:
            return f"{value / factor:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def format_size(size_bytes: float) -> str:
    """Write a size of memory with binary prefixes.

    >>> format_size(24 * 2**30), format_size(512), format_size(1000 * 2**10)
    ('24 GiB', '512 B', '1000 KiB')
    """
    for factor, prefix in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if abs(size_bytes) >= factor:
            number = size_bytes / factor
            return f"{number:.3g} {prefix}" if abs(number) < 999.5 else f"{number:.0f} {prefix}"
    return f"{size_bytes:.0f} B"


def format_time(time_s: float) -> str:
    """Write a duration with the prefix that suits it.

    >>> format_time(2.5e-6), format_time(0.0124), format_time(90)
    ('2.5 µs', '12.4 ms', '90 s')
    """
    if not math.isfinite(time_s):
        return f"{time_s} s"
    for factor, unit in ((1.0, "s"), (MS, "ms"), (US, "µs")):
        if abs(time_s) >= factor:
            return f"{time_s / factor:.3g} {unit}"
    return f"{time_s / NS:.3g} ns"
