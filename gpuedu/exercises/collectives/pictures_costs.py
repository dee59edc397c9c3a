"""Pictures of the second half: what collectives cost, who waits, and nodes."""

from __future__ import annotations

from gpuedu.exercises.collectives import cost_pictures, node_pictures, wait_pictures

COST_PICTURES = {
    "alpha-beta": cost_pictures.draw_bandwidths,
    "collectives/own-times": cost_pictures.draw_own_times,
    "tree-or-ring": cost_pictures.draw_tree_or_ring,
    "collectives/programs": wait_pictures.tell_programs,
    "collectives/waits": wait_pictures.draw_waits,
    "who-waits": wait_pictures.draw_halos,
    "hierarchical": node_pictures.draw_hierarchical,
    "collectives/nodes": node_pictures.draw_nodes,
}
