"""What the lesson batch-and-learning-rate measures on the learner's machine."""

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.batch_and_learning_rate.finder_measure import FINDER_MEASURES
from gpuedu.exercises.batch_and_learning_rate.largest_measure import LARGEST_MEASURES
from gpuedu.exercises.batch_and_learning_rate.schedule_measure import SCHEDULE_MEASURES
from gpuedu.exercises.batch_and_learning_rate.throughput_measure import THROUGHPUT_MEASURES

MEASURES: dict[str, Callable[..., Any]] = {
    **THROUGHPUT_MEASURES,
    **LARGEST_MEASURES,
    **FINDER_MEASURES,
    **SCHEDULE_MEASURES,
}
