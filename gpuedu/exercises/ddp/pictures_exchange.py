"""Pictures of the second half: gradients in buckets, and their way beside the backward."""

from __future__ import annotations

from gpuedu.exercises.ddp import (
    bucket_pictures,
    bucket_size_pictures,
    overlap_pictures,
    real_pictures,
)

EXCHANGE_PICTURES = {
    "buckets": bucket_pictures.draw_buckets,
    "overlap": overlap_pictures.draw_overlap,
    "ddp/bucket-size": bucket_size_pictures.draw_bucket_size,
    "ddp/real-trace": real_pictures.draw_real_trace,
}
"""By name."""
