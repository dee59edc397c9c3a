"""hierarchical: beside the learner's code."""

from __future__ import annotations

from gpuedu.exercises.collectives.hierarchical.node_clusters import cluster_of
from gpuedu.exercises.ranks.in_place import in_place_play

PLAY = in_place_play(
    "hierarchical(x, per_node)",
    lambda inputs: cluster_of(inputs["kind"], len(inputs["values"]), inputs["per_node"]),
    time_limit_s=20.0,
)
