"""ring-all-reduce: its picture."""

from __future__ import annotations

from gpuedu.exercises.collectives import exchanging_pictures

PICTURE = exchanging_pictures.draw_collective
