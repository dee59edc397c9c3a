"""The lesson that a file's or folder's name belongs to, under whatever name it was handed in."""

from __future__ import annotations

import re

from gpuedu.syllabus import lessons as all_lessons

ENDINGS = re.compile(r"\.(ipynb|zip)$", re.IGNORECASE)
_COPY = re.compile(r"(_?\(\d+\)|_(copy|kopie)?_?\d*)$")
"""What browsers, file managers and platforms put behind a name that is taken, in plain form."""
_PLAIN = re.compile(r"[\s_-]+")


def lesson_named(name: str) -> str:
    """The folder of the lesson that a file's or folder's name belongs to, or "".

    >>> lesson_named("01_why_gpus (1).ipynb"), lesson_named("1-Why-GPUs-copy.zip")
    ('01_why_gpus', '01_why_gpus')
    >>> lesson_named("01_why_gpus_notes.ipynb"), lesson_named("why_gpus.ipynb")
    ('', '')
    """
    plain = _PLAIN.sub("_", ENDINGS.sub("", name)).lower()
    by_name = {f"{one.number}_{one.folder.partition('_')[2]}": one.folder for one in all_lessons()}
    while plain:
        number, _, rest = plain.partition("_")
        found = by_name.get(f"{int(number)}_{rest}") if number.isdecimal() else None
        shorter = _COPY.sub("", plain)
        if found or shorter == plain:
            return found or ""
        plain = shorter
    return ""
