"""Where the lessons' sources are."""

from __future__ import annotations

from pathlib import Path

from gpuedu.errors import GpueduError


def course_root() -> Path:
    """The checkout that has the lessons' sources: the working directory, or where this file lies.

    Raises:
        GpueduError: where neither has ``solutions/``, as in an installation without the sources.
    """
    for folder in (Path.cwd(), Path(__file__).resolve().parents[2]):
        if (folder / "solutions").is_dir() and (folder / "gpuedu" / "syllabus.toml").is_file():
            return folder
    raise GpueduError(
        "this command works on the lessons' sources, and there are none here",
        remedy="run it at the root of a checkout of the course",
    )
