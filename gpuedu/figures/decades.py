"""How the ticks of a logarithmic axis are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from matplotlib.ticker import Formatter


def write_decade(value: float) -> str:
    """A power of ten in plain figures or with a letter if it has one, otherwise with its exponent.

    >>> write_decade(1000.0), write_decade(0.1), write_decade(1e7), write_decade(1e12)
    ('1,000', '0.1', '10M', '1T')
    """
    exponent = round(math.log10(value))
    if -4 < exponent < 4:
        return f"{value:,.{max(0, -exponent)}f}"
    for power, letter in ((12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if power <= exponent < 15:
            return f"{value / 10**power:.0f}{letter}"
    return f"$10^{{{exponent}}}$"


class DecadeFormatter(Formatter):
    """Ticks by ``write``, ``write_decade`` by default; all with exponents if one in sight has one.

    >>> [DecadeFormatter()(value) for value in (0.01, 1e-4)]
    ['0.01', '$10^{-4}$']
    """

    def __init__(self, write: Callable[[float], str] = write_decade) -> None:
        self.write = write

    def __call__(self, value: float, pos: int | None = None) -> str:
        """One tick."""
        return self.write(value)

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """All ticks of the axis."""
        texts = [self.write(value) for value in values]
        low, high = sorted(self.axis.get_view_interval())
        seen = [text for value, text in zip(values, texts, strict=True) if low <= value <= high]
        if not any(text.startswith("$10^") for text in seen):
            return texts
        powers = [f"$10^{{{round(math.log10(value))}}}$" for value in values]
        return [power if text else "" for power, text in zip(powers, texts, strict=True)]
