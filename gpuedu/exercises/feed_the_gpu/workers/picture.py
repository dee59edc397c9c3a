"""workers: its picture."""

from __future__ import annotations

from gpuedu.exercises.feed_the_gpu.workers import worker_pictures

PICTURE = worker_pictures.draw_workers
