"""Judges of the lesson batch-and-learning-rate, one module an exercise."""

from gpuedu.exercises.batch_and_learning_rate.judge import (
    accumulate_gradients,
    largest_batch,
    lr_finder,
    noise_scale,
    schedule,
    throughput_knee,
    time_to_accuracy,
)

JUDGES = {
    "throughput-knee": throughput_knee.JUDGE,
    "largest-batch": largest_batch.JUDGE,
    "accumulate-gradients": accumulate_gradients.JUDGE,
    "lr-finder": lr_finder.JUDGE,
    "schedule": schedule.JUDGE,
    "noise-scale": noise_scale.JUDGE,
    "time-to-accuracy": time_to_accuracy.JUDGE,
}
