"""stay-on-device: its picture."""

from __future__ import annotations

from gpuedu.exercises.cupy.pictures import draw_journey

PICTURE = draw_journey
