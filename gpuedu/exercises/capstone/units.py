"""How the figures of a bill are shown."""

from __future__ import annotations

from gpuedu.units import format_quantity, format_size


def show_count(value: float) -> str:
    """A number of things, or the mean of several.

    >>> show_count(24.0), show_count(1.6667), show_count(936)
    ('24', '1.7', '936')
    """
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:.1f}"


def show_bytes(value: float) -> str:
    """Bytes; those that are freed, too.

    >>> show_bytes(18240.0), show_bytes(20)
    ('17.8 KiB', '20 B')
    """
    return format_size(max(value, 0.0))


def show_flop(value: float) -> str:
    """Floating-point operations.

    >>> show_flop(865_831_680)
    '866 MFLOP'
    """
    return format_quantity(value, "FLOP")
