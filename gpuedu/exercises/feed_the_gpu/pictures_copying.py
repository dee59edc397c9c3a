"""Pictures of the second half: copies, augmentation on the device, streams."""

from __future__ import annotations

from gpuedu.exercises.feed_the_gpu import augment_pictures, copy_pictures, pipeline_pictures

COPYING_PICTURES = {
    "transfer-size": copy_pictures.draw_fit,
    "feed-the-gpu/pinned": copy_pictures.draw_pinned,
    "feed-the-gpu/recorded-copies": copy_pictures.draw_recorded_copies,
    "augment-on-device": augment_pictures.draw_augment,
    "feed-the-gpu/kernels": augment_pictures.draw_kernels,
    "streams": pipeline_pictures.draw_streams,
}
