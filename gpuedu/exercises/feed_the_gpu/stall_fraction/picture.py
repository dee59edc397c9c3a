"""stall-fraction: its picture."""

from __future__ import annotations

from gpuedu.exercises.feed_the_gpu.stall_fraction import stall_pictures

PICTURE = stall_pictures.draw_stall_fraction
