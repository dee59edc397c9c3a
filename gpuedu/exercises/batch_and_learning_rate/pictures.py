"""Pictures of the topic batch-and-learning-rate, whose lessons are two."""

from gpuedu.exercises.batch_and_learning_rate.accumulation_pictures import draw_accumulated
from gpuedu.exercises.batch_and_learning_rate.intro_pictures import (
    draw_which_batch,
    draw_which_rate,
)
from gpuedu.exercises.batch_and_learning_rate.largest_batch.largest_pictures import draw_guess
from gpuedu.exercises.batch_and_learning_rate.lr_finder.finder_pictures import draw_shares
from gpuedu.exercises.batch_and_learning_rate.noise_pictures import draw_steps_by_batch
from gpuedu.exercises.batch_and_learning_rate.schedule_pictures import (
    draw_by_schedule,
    draw_plans,
    draw_valleys,
)
from gpuedu.exercises.batch_and_learning_rate.throughput_pictures import (
    draw_measured,
    draw_own,
    draw_recorded_throughput,
)

PICTURES = {
    "batch-and-learning-rate/which-batch": draw_which_batch,
    "batch-and-learning-rate/which-rate": draw_which_rate,
    "batch-and-learning-rate/measured-throughput": draw_measured,
    "batch-and-learning-rate/own-throughput": draw_own,
    "batch-and-learning-rate/recorded-throughput": draw_recorded_throughput,
    "batch-and-learning-rate/guess": draw_guess,
    "batch-and-learning-rate/accumulated": draw_accumulated,
    "batch-and-learning-rate/shares": draw_shares,
    "batch-and-learning-rate/plans": draw_plans,
    "batch-and-learning-rate/valleys": draw_valleys,
    "batch-and-learning-rate/schedules": draw_by_schedule,
    "batch-and-learning-rate/steps-by-batch": draw_steps_by_batch,
}
