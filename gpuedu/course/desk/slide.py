"""What a slide holds."""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.course.desk.choices import Choice
from gpuedu.course.gallery import Figure


@dataclass(frozen=True)
class Slide:
    """One slide; what is empty is not shown.

    ``kind`` is one of title, idea, code, figure, vote, discuss, truth, task, last. ``above`` is a
    line above the heading, ``note`` one below everything. ``texts`` are blocks in the Markdown of
    lessons: of a vote its question, whose prediction is ``key``.
    """

    kind: str
    heading: str
    texts: tuple[str, ...] = ()
    above: str = ""
    note: str = ""
    code: str = ""
    figure: Figure | None = None
    choices: tuple[Choice, ...] = ()
    because: str = ""
    key: str = ""
