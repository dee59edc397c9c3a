"""Pictures of the lessons on collectives."""

from gpuedu.exercises.collectives import cost_pictures, exchanging_pictures, growth_pictures
from gpuedu.exercises.collectives.hierarchical import node_pictures
from gpuedu.exercises.collectives.who_waits import wait_pictures

PICTURES = {
    "collectives/question": growth_pictures.draw_question,
    "collectives/run": exchanging_pictures.draw_run,
    "collectives/stuck": exchanging_pictures.tell_stuck,
    "collectives/broadcasts": growth_pictures.draw_broadcasts,
    "collectives/whose": exchanging_pictures.tell_whose,
    "collectives/bytes": exchanging_pictures.draw_bytes,
    "collectives/all-reduces": growth_pictures.draw_all_reduces,
    "collectives/all-sizes": cost_pictures.draw_all_sizes,
    "collectives/own-times": cost_pictures.draw_own_times,
    "collectives/programs": wait_pictures.tell_programs,
    "collectives/waits": wait_pictures.draw_waits,
    "collectives/nodes": node_pictures.draw_nodes,
}
