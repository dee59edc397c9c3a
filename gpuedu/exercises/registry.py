"""From an exercise's id to its two halves, loaded only when they are asked for.

A lesson's package below ``gpuedu.exercises`` has a module ``play`` with ``PLAYS`` and a package or
module ``judge`` with ``JUDGES``, each a mapping from exercise id; and ``pictures`` with
``PICTURES``, from picture name to a function that draws it; a lesson that times something on the
learner's machine has ``measures`` with ``MEASURES``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from gpuedu.errors import CatalogueError, UnknownNameError
from gpuedu.exercises.contract import Exercise, Judge, Play, Prediction
from gpuedu.syllabus import exercise_ids, lesson, lesson_of, unknown


@cache
def load(exercise: str) -> Exercise:
    """The exercise with this id; UnknownNameError with the nearest ids."""
    slug = lesson_of(exercise).slug
    return Exercise(exercise, slug, load_play(slug, exercise), load_judge(slug, exercise))


def load_play(slug: str, exercise: str) -> Play:
    """The half beside the learner's code."""
    return _part(slug, "play", "PLAYS", exercise)


def load_judge(slug: str, exercise: str) -> Judge:
    """The half that knows the truth."""
    return _part(slug, "judge", "JUDGES", exercise)


def load_picture(name: str) -> Callable[..., Any]:
    """The drawing function of an exercise (``amdahl``) or of a lesson (``why-gpus/stack``)."""
    return _named(name, "pictures", "PICTURES", "picture")


def load_measure(name: str) -> Callable[..., Any]:
    """The function that measures something on the learner's machine, named as pictures are."""
    return _named(name, "measures", "MEASURES", "measurement")


def _named(name: str, module: str, table: str, kind: str) -> Any:
    if not isinstance(name, str):
        raise unknown(kind, name, exercise_ids())
    slug = name.split("/")[0] if "/" in name else lesson_of(name).slug
    entries = getattr(_module(lesson(slug).slug, module), table)
    if name not in entries:
        raise unknown(kind, name, entries)
    return entries[name]


def load_prediction(key: str) -> Prediction:
    """The prediction with this key.

    A key is an exercise's id, or that id with something behind it (``amdahl-limit``).
    """
    if not isinstance(key, str):
        raise unknown("prediction", key, exercise_ids())
    owners = [name for name in exercise_ids() if key == name or key.startswith(name + "-")]
    for owner in sorted(owners, key=len, reverse=True):
        predictions = load(owner).judge.predictions
        if key in predictions:
            return predictions[key]
        if not predictions:
            raise UnknownNameError(f"{owner!r} has no prediction")
        raise unknown(f"prediction of {owner!r}", key, predictions)
    raise unknown("prediction", key, exercise_ids())


def _part(slug: str, module: str, table: str, exercise: str) -> Any:
    entries: Mapping[str, Any] = getattr(_module(slug, module), table)
    if exercise not in entries:
        raise CatalogueError(
            f"gpuedu.exercises.{lesson(slug).module}.{module}: {table} lacks {exercise!r}"
        )
    return entries[exercise]


def _module(slug: str, name: str) -> Any:
    package = f"gpuedu.exercises.{lesson(slug).module}"
    try:
        return import_module(f"{package}.{name}")
    except ModuleNotFoundError as fault:
        if fault.name and fault.name.startswith(package):
            raise UnknownNameError(f"lesson {slug!r} has no {name} here") from fault
        raise
