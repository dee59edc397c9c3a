"""checkpoint-interval: beside the learner's code."""

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "waste(interval_s, save_s, write_s, restart_s, mtbf_s)",
    "best_interval(save_s, write_s, restart_s, node_mtbf_s, nodes)",
)
