"""interleaved: beside the learner's code."""

from gpuedu.exercises.pipelines.list_plays import lists_play

PLAY = lists_play("interleaved(stage, stages, micro_batches, chunks)")
