"""streams: its picture."""

from __future__ import annotations

from gpuedu.exercises.feed_the_gpu.streams import pipeline_pictures

PICTURE = pipeline_pictures.draw_streams
