"""prefetch: its picture."""

from __future__ import annotations

from gpuedu.exercises.feed_the_gpu.prefetch import prefetch_pictures

PICTURE = prefetch_pictures.draw_prefetch
