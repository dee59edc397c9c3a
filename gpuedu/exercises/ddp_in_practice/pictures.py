"""Pictures of the lessons on data parallelism in practice."""

from gpuedu.exercises.ddp_in_practice.ddp_pictures import draw_real_group
from gpuedu.exercises.ddp_in_practice.interruption_pictures import draw_interruptions
from gpuedu.exercises.ddp_in_practice.scaling.scaling_pictures import draw_measured, draw_to_a_goal
from gpuedu.exercises.ddp_in_practice.statistics_pictures import draw_drift, draw_far

PICTURES = {
    "ddp-in-practice/real-group": draw_real_group,
    "ddp-in-practice/drift": draw_drift,
    "ddp-in-practice/far": draw_far,
    "ddp-in-practice/interruptions": draw_interruptions,
    "ddp-in-practice/to-a-goal": draw_to_a_goal,
    "ddp-in-practice/measured": draw_measured,
}
