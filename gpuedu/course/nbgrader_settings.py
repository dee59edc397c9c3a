"""The settings that make this checkout an nbgrader course.

``nbgrader_config.py`` at the course's root calls ``configure``. The grade of a check cell is the
number it prints; see ``gpuedu.exercises.session.check``.
"""

from __future__ import annotations

from typing import Any

from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory

from gpuedu.course.collect import SubmittedNames
from gpuedu.course.export import SafeCsv
from gpuedu.course.rebuild import RELEASE_FOLDER, RebuildFromRelease
from gpuedu.course.release import RELEASE_PREPROCESSORS
from gpuedu.course.timestamps import submitted_at

CELL_LIMIT_S = 120
"""Wall-clock seconds for a cell of a submission; a check stops itself long before that."""


SUBMITTED_NAME = (
    r".*_(?P<student_id>\w+)_attempt_(?P<timestamp>[0-9\-]+)_(?P<file_id>[0-9][0-9]_\w+)"
)
"""How Blackboard names a download: ``..._LEARNER_attempt_DATE-AND-TIME_01_why_gpus.ipynb``."""

MOODLE_NAME = r".*_(?P<student_id>\d+)_assignsubmission_file(?:_/|/|_)(?P<file_id>[0-9][0-9]_\w+)"
"""Moodle's way, in folders or not: ``Ada Lovelace_4242_assignsubmission_file/01_why_gpus.ipynb``.

The learner is the number of Moodle's participant, which its grading worksheet has, too.
Source: ``mod/assign/classes/downloader.php``.
"""
CANVAS_NAME = r".*_(?P<student_id>\d+)_\d+_(?P<file_id>[0-9][0-9]_\w+)"
"""Canvas's way: ``lovelaceada_LATE_4242_777_01_why_gpus-1.ipynb``: the user's ID, then the file's.

Source: ``lib/content_zipper.rb`` of canvas-lms.
"""


def configure(config: Any) -> None:
    """Fill nbgrader's config object."""
    config.CourseDirectory.course_id = "gpuedu"
    config.CourseDirectory.source_directory = "solutions"
    config.CourseDirectory.release_directory = RELEASE_FOLDER
    # This replaces nbgrader's defaults, so they are repeated. A lesson's .py has the answers and
    # would otherwise be copied into the release and beside each submission.
    config.CourseDirectory.ignore = [
        ".ipynb_checkpoints",
        "*.pyc",
        "__pycache__",
        "feedback",
        "[0-9][0-9]_*.py",
        ".gpuedu",
    ]
    config.GenerateAssignment.preprocessors = RELEASE_PREPROCESSORS
    # The release is in the checkout already. Without this nbgrader would skip the lesson, and never
    # enter it into the gradebook.
    config.GenerateAssignment.force = True
    config.ExecutePreprocessor.timeout = CELL_LIMIT_S
    # Cells that a learner deleted and metadata that a tool stripped come back before anything else.
    config.Autograde.sanitize_preprocessors = [
        RebuildFromRelease,
        *Autograde.sanitize_preprocessors.default_args[0],
    ]
    CourseDirectory.get_existing_timestamp = submitted_at
    config.ExportApp.plugin_class = SafeCsv
    # What `zip_collect` reads from a submitted file's name: change it to what your platform writes.
    config.ZipCollectApp.collector_plugin = SubmittedNames
    config.FileNameCollectorPlugin.named_regexp = SUBMITTED_NAME
