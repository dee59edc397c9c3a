"""A class of generated submissions: right, partly right, wrong, broken and hostile, from a seed."""

from __future__ import annotations

import json
import random
import zipfile
from dataclasses import dataclass
from pathlib import Path

import nbformat

from gpuedu.course.demo import fill_in
from gpuedu.course.proof import Bench
from gpuedu.syllabus import lesson_in
from tests.hostile import answers as hostile_answers

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Expected:
    """What a submission should end as; points by exercise, None where only a bound is known."""

    state: str
    points: dict[str, float]


def solutions_of(lesson):
    """Sources of the answer cells by id, solved."""
    path = ROOT / "solutions" / lesson / f"{lesson}.ipynb"
    cells = nbformat.read(path, as_version=4).cells
    return {one.id: one.source for one in cells if one.metadata["gpuedu"]["role"] == "answer"}


def make_class(folder: Path, lesson: str, kinds: str, seed: int) -> dict[str, Expected]:
    """Write a submission for each letter of ``kinds``; what each should end as, by learner."""
    chance = random.Random(seed)
    released = (ROOT / "notebooks" / lesson / f"{lesson}.ipynb").read_text("utf-8")
    makers = {"r": right, "p": partly, "w": wrong, "b": broken, "h": hostile, "u": unsolved}
    expected = {}
    for number, kind in enumerate(kinds):
        learner = f"{makers[kind].__name__}{number:03}"
        place = folder / learner / lesson
        place.mkdir(parents=True)
        expected[learner] = makers[kind](place / f"{lesson}.ipynb", released, lesson, chance)
    return expected


def right(path, released, lesson, chance):
    text = fill_in(released, solutions_of(lesson))
    if chance.random() < 0.3:  # as another tool saves it
        plain = json.loads(text)
        for cell in plain["cells"]:
            cell["metadata"] = {}
        text = json.dumps(plain)
    path.write_text(text, "utf-8")
    return Expected("graded", {one: _points(one) for one in lesson_in(lesson).exercises})


def unsolved(path, released, lesson, chance):
    path.write_text(released, "utf-8")
    return Expected("graded", dict.fromkeys(lesson_in(lesson).exercises, 0.0))


def partly(path, released, lesson, chance):
    """Some exercises solved, the others as they were released."""
    solved = {one for one in lesson_in(lesson).exercises if chance.random() < 0.5}
    answers = {
        cell: text
        for cell, text in solutions_of(lesson).items()
        if cell.split("-answer")[0] in solved
    }
    path.write_text(fill_in(released, answers), "utf-8")
    points = {one: _points(one) if one in solved else 0.0 for one in lesson_in(lesson).exercises}
    return Expected("graded", points)


def wrong(path, released, lesson, chance):
    """One exercise answered by a stored misconception: at most what the others bring, and less."""
    exercises = lesson_in(lesson).exercises
    chosen = chance.choice(exercises)
    stored = chance.choice(list(Bench(ROOT, chosen).wrong_texts().values()))
    answers = solutions_of(lesson)
    last = [cell for cell in answers if cell.split("-answer")[0] == chosen][-1]
    answers[last] += "\n\n\n" + stored
    path.write_text(fill_in(released, answers), "utf-8")
    points = {one: _points(one) for one in exercises}
    return Expected("graded", points | {chosen: -_points(chosen)})


def broken(path, released, lesson, chance):
    """What cannot be read at all."""
    kind = chance.randrange(4)
    if kind == 0:
        path.write_text(released[: len(released) // 2], "utf-8")
    elif kind == 1:
        path.symlink_to("/etc/passwd")
    elif kind == 2:
        path.write_bytes(b"")
    else:
        path.with_suffix(".txt").write_text("I did it on paper")
    return Expected("failed: learner", {})


def hostile(path, released, lesson, chance):
    """Every exercise solved, and hostile code in the last cell of one of them."""
    answers = solutions_of(lesson)
    exercises = lesson_in(lesson).exercises
    chosen = chance.choice(exercises)
    last = [cell for cell in answers if cell.split("-answer")[0] == chosen][-1]
    names = ["fork bomb", "leaves", "segfault", "kills all", "flood", "memory bomb", "open files"]
    code = {**hostile_answers.ENDLESS, **hostile_answers.BROKEN}[chance.choice(names)]
    answers[last] += "\n\n\n" + code
    with zipfile.ZipFile(path.with_suffix(".zip"), "w") as bundle:
        bundle.writestr(path.name, fill_in(released, answers))
    points = {one: _points(one) for one in exercises}
    return Expected("graded", points | {chosen: 0.0})


def _points(exercise):
    return Bench(ROOT, exercise).exercise.judge.points


def comparable(verdicts):
    """Verdicts without what differs from run to run.

    That is how long it took, and in which words a fork bomb or the like was stopped: whether its
    time or its processes were used up first is chance. What it earns is compared.
    """
    told = json.loads(json.dumps(verdicts))
    for verdict in told:
        verdict.pop("seconds")
        for part in verdict["exercises"]:
            part.pop("seconds")
            if "hostile" in verdict["learner"] and part["state"] == "refused":
                part["refusal"] = part["remedy"] = ""
    return told
