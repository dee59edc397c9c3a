"""three-utilisations: its picture."""

from __future__ import annotations

from gpuedu.exercises.feed_the_gpu.three_utilisations import utilisation_pictures

PICTURE = utilisation_pictures.draw_three_utilisations
