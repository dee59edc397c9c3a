"""all-gather: beside the learner's code."""

from __future__ import annotations

from gpuedu.exercises.collectives.clusters import cluster_of
from gpuedu.exercises.ranks.in_place import in_place_play

PLAY = in_place_play("all_gather(x)", cluster_of)
