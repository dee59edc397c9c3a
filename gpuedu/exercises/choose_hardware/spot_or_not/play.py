"""spot-or-not: beside the learner's code."""

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "run_h(up_h, work_h, interval_h, save_h, restart_h)",
    "expected_h(work_h, interval_h, save_h, restart_h, mean_h)",
    "best_interval(save_h, restart_h, mean_h)",
)
