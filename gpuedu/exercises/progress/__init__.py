"""The learner's progress: attempts, predictions and hints, kept whatever happens to the disk."""

from gpuedu.exercises.progress.store import ProgressStore, data_folder, open_store
from gpuedu.exercises.progress.summary import ProgressSummary
from gpuedu.exercises.progress.view import ProgressView, format_summary

__all__ = [
    "ProgressStore",
    "ProgressSummary",
    "ProgressView",
    "data_folder",
    "format_summary",
    "open_store",
]
