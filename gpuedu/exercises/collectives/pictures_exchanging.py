"""Pictures of the first half: ranks, messages, deadlocks, and the learner's own collectives."""

from __future__ import annotations

from gpuedu.exercises.collectives import exchanging_pictures, growth_pictures

EXCHANGING_PICTURES = {
    "collectives/question": growth_pictures.draw_question,
    "collectives/run": exchanging_pictures.draw_run,
    "collectives/stuck": exchanging_pictures.tell_stuck,
    "broadcast-tree": exchanging_pictures.draw_broadcast,
    "collectives/broadcasts": growth_pictures.draw_broadcasts,
    "reduce-scatter": exchanging_pictures.draw_collective,
    "collectives/whose": exchanging_pictures.tell_whose,
    "all-gather": exchanging_pictures.draw_collective,
    "ring-all-reduce": exchanging_pictures.draw_collective,
    "collectives/bytes": exchanging_pictures.draw_bytes,
    "collectives/all-reduces": growth_pictures.draw_all_reduces,
}
