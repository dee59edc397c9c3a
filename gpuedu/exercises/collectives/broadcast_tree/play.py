"""broadcast-tree: beside the learner's code."""

from __future__ import annotations

from gpuedu.exercises.collectives.clusters import cluster_of
from gpuedu.exercises.ranks.in_place import in_place_play

PLAY = in_place_play("broadcast_tree(x, root)", cluster_of)
