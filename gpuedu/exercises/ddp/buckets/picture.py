"""buckets: its picture."""

from __future__ import annotations

from gpuedu.exercises.ddp.buckets import bucket_pictures

PICTURE = bucket_pictures.draw_buckets
