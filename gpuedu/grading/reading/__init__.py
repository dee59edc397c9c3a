"""From what a learner handed in to a notebook that can be graded: read as data, within limits."""

from gpuedu.grading.reading.limits import ReadingLimits, SubmissionError
from gpuedu.grading.reading.submission import Submission, read_submission, rebuild

__all__ = ["ReadingLimits", "Submission", "SubmissionError", "read_submission", "rebuild"]
