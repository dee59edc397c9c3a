"""Plays of the lesson batch-and-learning-rate: each calls the learner's functions on one case."""

from gpuedu.exercises.batch_and_learning_rate.play_accumulation import ACCUMULATION_PLAYS
from gpuedu.exercises.batch_and_learning_rate.play_finder import FINDER_PLAYS
from gpuedu.exercises.batch_and_learning_rate.play_largest import LARGEST_PLAYS
from gpuedu.exercises.batch_and_learning_rate.play_noise import NOISE_PLAYS
from gpuedu.exercises.batch_and_learning_rate.play_schedule import SCHEDULE_PLAYS
from gpuedu.exercises.batch_and_learning_rate.play_surface import SURFACE_PLAYS
from gpuedu.exercises.batch_and_learning_rate.play_throughput import THROUGHPUT_PLAYS

PLAYS = {
    **THROUGHPUT_PLAYS,
    **LARGEST_PLAYS,
    **ACCUMULATION_PLAYS,
    **FINDER_PLAYS,
    **SCHEDULE_PLAYS,
    **NOISE_PLAYS,
    **SURFACE_PLAYS,
}
