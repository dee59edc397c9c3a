"""transfer-size: its picture."""

from __future__ import annotations

from gpuedu.exercises.feed_the_gpu.transfer_size import copy_pictures

PICTURE = copy_pictures.draw_fit
