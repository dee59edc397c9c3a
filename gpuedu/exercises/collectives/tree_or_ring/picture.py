"""tree-or-ring: its picture."""

from __future__ import annotations

from gpuedu.exercises.collectives import cost_pictures

PICTURE = cost_pictures.draw_tree_or_ring
