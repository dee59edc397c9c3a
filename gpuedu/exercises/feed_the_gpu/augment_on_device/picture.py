"""augment-on-device: its picture."""

from __future__ import annotations

from gpuedu.exercises.feed_the_gpu.augment_on_device import augment_pictures

PICTURE = augment_pictures.draw_augment
