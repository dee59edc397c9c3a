"""Judges of the lesson collectives, one module an exercise."""

from gpuedu.exercises.collectives.judge import (
    all_gather,
    alpha_beta,
    broadcast_tree,
    hierarchical,
    reduce_scatter,
    ring_all_reduce,
    tree_or_ring,
    who_waits,
)

JUDGES = {
    "broadcast-tree": broadcast_tree.JUDGE,
    "reduce-scatter": reduce_scatter.JUDGE,
    "all-gather": all_gather.JUDGE,
    "ring-all-reduce": ring_all_reduce.JUDGE,
    "alpha-beta": alpha_beta.JUDGE,
    "tree-or-ring": tree_or_ring.JUDGE,
    "who-waits": who_waits.JUDGE,
    "hierarchical": hierarchical.JUDGE,
}
