"""one-f-one-b: beside the learner's code."""

from gpuedu.exercises.pipelines.list_plays import lists_play

PLAY = lists_play("one_f_one_b(stage, stages, micro_batches)")
