"""overlap: its picture."""

from __future__ import annotations

from gpuedu.exercises.ddp.overlap import overlap_pictures

PICTURE = overlap_pictures.draw_overlap
