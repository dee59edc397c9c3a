"""Where the lessons are: their sources, and their released notebooks."""

from __future__ import annotations

import re
from pathlib import Path

from gpuedu.errors import GpueduError, WorkspaceError

_LESSON = re.compile(r"\d\d_\w+")
_PACKAGE = Path(__file__).resolve().parents[1]


def course_root() -> Path:
    """The checkout that has the lessons' sources: the working directory, or this file's.

    Raises:
        GpueduError: if neither has ``solutions/``, as in an installation without the sources.
    """
    for folder in (Path.cwd(), Path(__file__).resolve().parents[2]):
        if (folder / "solutions").is_dir() and (folder / "gpuedu" / "syllabus.toml").is_file():
            return folder
    raise GpueduError(
        "this command works on the lessons' sources, and there are none here",
        remedy="run it at the root of a checkout of the course",
    )


def release_folder(package: Path = _PACKAGE) -> Path:
    """The folder with the released lessons, in the checkout or else in the installed package.

    Raises WorkspaceError if neither has lessons.
    """
    for folder in (package.parent / "notebooks", package / "course" / "notebooks"):
        if lesson_names(folder):
            return folder
    raise WorkspaceError(
        f"no lessons found beside or inside {package}",
        remedy="in a checkout, `make build`; else install gpuedu again",
    )


def lesson_names(folder: Path) -> list[str]:
    """Names of the lesson folders in a folder: NN_slug with a notebook NN_slug.ipynb in it."""
    if not folder.is_dir():
        return []
    return sorted(
        entry.name
        for entry in folder.iterdir()
        if _LESSON.fullmatch(entry.name) and (entry / f"{entry.name}.ipynb").is_file()
    )
