"""From what a learner handed in to answers that can be graded: read as data, within limits."""

from gpuedu.grading.reading.limits import ReadingLimits, SubmissionError
from gpuedu.grading.reading.submission import read_submission

__all__ = ["ReadingLimits", "SubmissionError", "read_submission"]
