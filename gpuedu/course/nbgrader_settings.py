"""The settings that make this checkout an nbgrader course.

``nbgrader_config.py`` at the course's root calls ``configure``. The grade of a check cell is the
number it prints; see ``gpuedu.exercises.session.check``.
"""

from __future__ import annotations

from typing import Any

from nbgrader.apps.api import NbGraderAPI
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory

from gpuedu.course.collect import PlatformArchives, SubmittedNames
from gpuedu.course.export import SafeCsv
from gpuedu.course.highlighting import highlighted
from gpuedu.course.rebuild import RELEASE_FOLDER, RebuildFromRelease
from gpuedu.course.release import RELEASE_PREPROCESSORS
from gpuedu.course.timestamps import shown_at, submitted_at

CELL_LIMIT_S = 120
"""Wall-clock seconds for a cell of a submission; a check stops itself long before that."""


SUBMITTED_NAME = (
    r"(?P<title>[^/]*?)_(?P<student_id>[^\W_]+)_attempt_(?P<timestamp>[0-9\-]+)_"
    r"(?P<file_id>[^/]+)\Z"
)
"""How Blackboard names a download: ``..._LEARNER_attempt_DATE-AND-TIME_01_why_gpus.ipynb``.

The first ``_attempt_`` with a time is the platform's: only the assignment's title, which is the
teacher's, and the user's name, which is the institution's, stand before it. Either may have
underscores, so ``01_ann_lee`` may be lee. The title is kept: if it differs between one learner's
files, they may be of two, and none is collected.
"""

MOODLE_NAME = (
    r"[^_/]*(?:_(?P<student_id>[0-9]+))?_assignsubmission_file(?:_/|/|_)(?P<file_id>(?s:.+))\Z"
)
"""Moodle's way, in folders or not: ``Ada Lovelace_4242_assignsubmission_file/01_why_gpus.ipynb``.

The learner is the number of Moodle's participant, which its grading worksheet has, too. The number
follows the name's first underscore, since Moodle writes a space for each one in a person's or
team's name. Learners without a team have no number, and are not collected.
Source: ``mod/assign/classes/downloader.php``.
"""
CANVAS_NAME = (
    r"(?![^/]*_[0-9]+_[0-9]+_[^/]*_[0-9]+_[0-9]+_)"
    r"[^/]*?_(?P<student_id>[0-9]+)_[0-9]+_(?P<file_id>[^/]+)\Z"
)
"""Canvas's way: ``lovelaceada_LATE_4242_777_01_why_gpus-1.ipynb``: the user's ID, then the file's.

The first two numbers in a row are these: Canvas takes the underscores from ``_12_`` in a person's
name, which may have others. It does so before it drops signs, so ``_1-_2-_`` in a name becomes two
numbers; but Canvas's own two follow, and a file with two such pairs is not collected. Nor is one of
who is called ``ada_12`` there: 12 and 4242 are then the first, and ``777_01_why_gpus`` no lesson.
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
    NbGraderAPI.get_submitted_timestamp = shown_at
    config.ExportApp.plugin_class = SafeCsv
    config.HTMLExporter.filters = {"highlight_code": highlighted}
    config.ZipCollectApp.extractor_plugin = PlatformArchives
    # What `zip_collect` reads from a submitted file's name: change it to what your platform writes.
    config.ZipCollectApp.collector_plugin = SubmittedNames
    config.FileNameCollectorPlugin.named_regexp = SUBMITTED_NAME
