"""Colors of the pictures of numbers, and their sentence on who computed them."""

from __future__ import annotations

from gpuedu.figures import style

COLORS = (style.BLUE, style.ORANGE, style.GREEN, style.RED, style.PINK)

COUNTED = "Computed here, with your functions."
