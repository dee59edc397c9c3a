"""What a lesson's first cell and its exercises announce: aims, needs, points, minutes (pure)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuedu.course.desk.prose import blocks_of, without_heading

_AIMS = re.compile(r"\*\*You will be able to\*\*(.+?)(?=\*\*You need\*\*|\Z)", re.DOTALL)
_NEEDS = re.compile(r"\*\*You need\*\*(.+?)(?=\*\*Time\*\*|\Z)", re.DOTALL)
_BOLD = "**"


@dataclass(frozen=True)
class Announcement:
    """Of a lesson: the ideas that it opens with, what one will be able to, what one needs."""

    opening: tuple[str, ...]
    aims: tuple[str, ...]
    needs: str


def announcement_in(text: str) -> Announcement:
    r"""Read a lesson's first cell.

    >>> announcement_in("# Why?\n\nIdea.\n\n**You will be able to** run; stop. **You need** legs.")
    Announcement(opening=('Idea.',), aims=('run', 'stop'), needs='legs.')
    """
    blocks = blocks_of(without_heading(text))
    opening = tuple(block for block in blocks if not block.startswith(_BOLD))
    aims, needs = _AIMS.search(text), _NEEDS.search(text)
    told = " ".join(aims[1].split()).rstrip(".") if aims else ""
    return Announcement(
        opening,
        tuple(part.strip() for part in told.split(";") if part.strip()),
        " ".join(needs[1].split()) if needs else "",
    )
