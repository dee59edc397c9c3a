"""A section of a notebook as slides: its idea, figures, votes on predictions, and its task (pure).

A prediction gives three slides, for Peer Instruction: everybody votes alone, discusses, votes
again, and sees the truth. Source: E. Mazur, *Peer Instruction: A User's Manual*, 1997.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpuedu.course.book.exercise_list import Listed
from gpuedu.course.desk.choices import choices_for
from gpuedu.course.desk.prose import (
    heading_of,
    is_paragraph,
    items_of,
    labeled_blocks,
    sentence,
    shortened,
    without_heading,
    without_label,
)
from gpuedu.course.desk.slide import Slide
from gpuedu.course.gallery import figures_of
from gpuedu.exercises.contract import Prediction
from gpuedu.exercises.predictions import with_unit
from gpuedu.exercises.registry import load_prediction

if TYPE_CHECKING:
    from nbformat import NotebookNode

_PREDICTED = re.compile(r'predict\("([^"]+)"')
_MEASURED = re.compile(r"<div>You said [^;]*; it is ([\d,.e+-]+)")
_PROGRAM = re.compile(r"^(?:def |class |@)|^\w+ = r?(?:\"{3}|'{3})", re.MULTILINE)
_PREDICT, _CAPTIONS, _TASKS = "Predict", ("See", "Step", "Measure"), ("Implement", "Fix", "Find")
_FOLLOWING = ("And ", "The same ")
"""How a question begins that only makes sense after another one."""
_TASK_CHARACTERS, _CAPTION_CHARACTERS = 560, 260
"""As much of a task, and below a figure, as can be read from the last row."""


class Section:
    """The cells below a heading, read one after another.

    Args:
        cells: the first one has the heading.
        exercise: what the section asks for; None where that is nothing.
    """

    def __init__(self, cells: Sequence[NotebookNode], exercise: Listed | None) -> None:
        self._cells, self._exercise = cells, exercise
        self._heading = heading_of(cells[0].source)
        self._caption = ""
        self._asked: tuple[str, ...] = ()
        self._has_task = False

    def slides(self) -> Iterator[Slide]:
        """The idea, then what comes of each cell."""
        opening = tuple(_opening(self._cells[0]))
        if opening:
            yield Slide("idea", self._heading, opening)
        for number, cell in enumerate(self._cells):
            if cell.cell_type == "markdown":
                yield from self._idea_before_a_vote(cell, opening)
                self._read(cell)
            else:
                yield from self._code_cell(cell, self._cells[number + 1 :])

    def _idea_before_a_vote(self, cell: NotebookNode, said: Sequence[str]) -> Iterator[Slide]:
        """The paragraph above a prediction, on which its question builds, unless it was said."""
        blocks = _labeled(cell)
        labels = [label for label, _ in blocks]
        place = labels.index(_PREDICT) if _PREDICT in labels else 0
        if place and not labels[place - 1] and blocks[place - 1][1] not in said:
            yield Slide("idea", self._heading, (blocks[place - 1][1],))

    def _read(self, cell: NotebookNode) -> None:
        """Keep what a text cell says of the next figure, and what it asks to predict."""
        blocks = [(label, without_label(block)) for label, block in _labeled(cell)]
        captions = [block for label, block in blocks if label in _CAPTIONS]
        self._caption = shortened(captions[0], _CAPTION_CHARACTERS) if captions else ""
        asked = tuple(block for label, block in blocks if label == _PREDICT)
        self._asked = asked or self._asked

    def _code_cell(self, cell: NotebookNode, below: Sequence[NotebookNode]) -> Iterator[Slide]:
        role = cell.metadata["gpuedu"]["role"]
        if role == "predict":
            keys = _PREDICTED.findall(cell.source)
            for key in keys:
                yield from self._votes(key, below, is_alone=len(keys) == 1)
        elif role == "answer" and self._exercise and not self._has_task:
            self._has_task = True
            yield self._task_slide(self._exercise)
        elif role in ("given", "code"):
            if _is_asked_about(cell, below):
                yield Slide("code", "Read this first", above=self._heading, code=cell.source)
            for figure in figures_of(cell):
                yield Slide("figure", self._heading, note=self._caption, figure=figure)

    def _votes(self, key: str, below: Sequence[NotebookNode], *, is_alone: bool) -> Iterator[Slide]:
        """Three slides. A text that asks for several predictions is shown where one needs it."""
        prediction = load_prediction(key)
        measured = _measured(key, below) if prediction.truth is None else None
        question = sentence(prediction.question)
        if is_alone:
            texts = self._asked
        elif question.startswith(_FOLLOWING):
            texts = (*self._asked, f"**{question}**")
        else:
            texts = (question,)
        choices = choices_for(key, prediction, measured)
        asked = {"above": self._heading, "texts": texts, "choices": choices, "key": key}
        note = "" if choices else "Write your number down."
        yield Slide("vote", "Vote: what do you expect?", note=note, **asked)
        yield Slide("discuss", "Discuss with your neighbor, then vote again", **asked)
        yield _truth_slide(prediction, measured, asked)

    def _task_slide(self, exercise: Listed) -> Slide:
        room, texts = _TASK_CHARACTERS, []
        for block in _task_in(self._cells):
            items = []
            for item in items_of(block):
                room -= len(item)
                if room >= 0 or not texts:
                    items.append(item)
            texts.append("\n".join(items))
        stretch = "Stretch: nobody has to do this one. " if exercise.is_stretch else ""
        rest = "" if room >= 0 else "The rest of the task is in the notebook. "
        find = f"Find `{exercise.id}` in the notebook: {exercise.points} points."
        minutes = f"Your turn: about {exercise.minutes} minutes"
        return Slide(
            "task", exercise.title, tuple(filter(None, texts)), minutes, f"{stretch}{rest}{find}"
        )


def _labeled(cell: NotebookNode) -> list[tuple[str, str]]:
    return list(labeled_blocks(without_heading(cell.source)))


def _opening(cell: NotebookNode) -> Iterator[str]:
    """The first paragraph of a section, with the table or list that it announces."""
    blocks = [block for label, block in _labeled(cell) if not label]
    if blocks and is_paragraph(blocks[0]):
        yield blocks[0]
        if blocks[0].endswith(":") and len(blocks) > 1 and not is_paragraph(blocks[1]):
            yield blocks[1]


def _is_asked_about(cell: NotebookNode, below: Sequence[NotebookNode]) -> bool:
    """Whether a cell has a program in it, and the next code cell is a prediction."""
    following = next((one for one in below if one.cell_type == "code"), None)
    is_next = following is not None and following.metadata["gpuedu"]["role"] == "predict"
    return is_next and _PROGRAM.search(cell.source) is not None


def _task_in(cells: Sequence[NotebookNode]) -> list[str]:
    """What an exercise asks for: what is labeled so, or the first text below the opening one."""
    texts = [_labeled(cell) for cell in cells if cell.cell_type == "markdown"]
    told = [block for text in texts for label, block in text if label in _TASKS]
    if not told:
        own = [[block for label, block in text if not label] for text in texts]
        told = next((blocks for blocks in own[1:] if blocks), own[0][1:] or own[0])
    return [without_label(block) for block in told]


def _truth_slide(prediction: Prediction, measured: float | None, asked: Mapping[str, Any]) -> Slide:
    truth = prediction.truth if measured is None else measured
    said = "What you measure" if truth is None else with_unit(truth, prediction)
    note = ""
    if prediction.truth is None:
        note = "Measured where these slides were made. Run the cell: what does your machine say?"
    return Slide("truth", sentence(said), note=note, because=prediction.because, **asked)


def _measured(key: str, below: Sequence[NotebookNode]) -> float | None:
    """What the run measured, from the card below that reveals a prediction; None without one."""
    for cell in below:
        if f'reveal("{key}"' in cell.source:
            pages = "".join(one.get("data", {}).get("text/html", "") for one in cell.outputs)
            found = _MEASURED.search(pages)
            return float(found[1].rstrip(".").replace(",", "")) if found else None
    return None
