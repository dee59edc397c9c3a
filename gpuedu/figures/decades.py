"""How the ticks of a logarithmic axis are written."""

from __future__ import annotations

import math


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
