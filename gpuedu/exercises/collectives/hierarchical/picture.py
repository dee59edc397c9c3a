"""hierarchical: its picture."""

from __future__ import annotations

from gpuedu.exercises.collectives.hierarchical import node_pictures

PICTURE = node_pictures.draw_hierarchical
