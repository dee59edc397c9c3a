"""Pictures of numbers on their way: sums, a weight in 16 bits, Adam in 16 bits."""

from __future__ import annotations

from gpuedu.figures import style

COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.RED, style.PINK)


COUNTED = "Computed here, with your functions."
