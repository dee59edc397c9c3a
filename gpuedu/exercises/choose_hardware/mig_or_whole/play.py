"""mig-or-whole: beside the learner's code."""

from gpuedu.exercises.functions import call_play

PLAY = call_play(
    "job_s(host_s, work_s, width, slices)",
    "batch_s(jobs, host_s, work_s, width, slices, instances)",
    "best_profile(jobs, host_s, work_s, width, memory_gb, profiles) -> text",
)
