"""From a lesson's source to the texts of its two notebooks."""

from __future__ import annotations

from pathlib import Path

import nbformat

from gpuedu.course.release import release_text
from gpuedu.course.soundness import require_sound
from gpuedu.course.source import read_source
from gpuedu.course.teacher import teacher_notebook
from gpuedu.errors import LessonSourceError
from gpuedu.syllabus import Lesson


def notebook_texts(root: Path, lesson: Lesson) -> tuple[str, str]:
    """The teacher's and the learner's notebook of one lesson, as they are written to disk."""
    source = read_source(root / "solutions" / lesson.folder / f"{lesson.folder}.py")
    teacher = teacher_notebook(source, lesson)
    teacher_text = nbformat.writes(teacher) + "\n"
    try:
        release = release_text(teacher_text)
    except (RuntimeError, SyntaxError) as fault:
        raise LessonSourceError(f"cannot be released: {fault}", path=str(source.path)) from fault
    require_sound(source, teacher, nbformat.reads(release, as_version=4))
    return teacher_text, release
