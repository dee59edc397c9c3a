"""The learner's workspace: laid out once, updated without ever losing an answer."""

from gpuedu.course.workspace.folder import format_report, release_folder, start, update

__all__ = ["format_report", "release_folder", "start", "update"]
