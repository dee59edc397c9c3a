"""From an exercise's id to its two halves, loaded only when they are asked for.

A lesson's package below ``gpuedu.exercises`` has a module ``play`` with ``PLAYS`` and a package or
module ``judge`` with ``JUDGES``, each a mapping from exercise id; and ``pictures`` with
``PICTURES``, from picture name to a function that draws it; a lesson that times something on the
learner's machine has ``measures`` with ``MEASURES``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from gpuedu.errors import CatalogueError, UnknownNameError
from gpuedu.exercises.contract import Exercise, Judge, Play, Prediction
from gpuedu.exercises.variants import Variant, chance, require_code
from gpuedu.syllabus import exercise_ids, lesson, lesson_of, unknown

_KEPT = 2_000
"""Variants that are kept once drawn."""


@cache
def load(exercise: str) -> Exercise:
    """The exercise with this id; UnknownNameError with the nearest ids."""
    slug = lesson_of(exercise).slug
    return Exercise(exercise, slug, load_play(slug, exercise), load_judge(slug, exercise))


def load_varied(exercise: str, code: str) -> Exercise:
    """The exercise as the code of a variant has it; most are as they are published."""
    variant = load_variant(exercise, code)
    return load(exercise) if variant is None else replace(load(exercise), judge=variant.judge)


@lru_cache(maxsize=_KEPT)
def load_variant(exercise: str, code: str) -> Variant | None:
    """What a code changes of an exercise; None where it changes nothing.

    Raises:
        UnknownNameError: it is no code, or there is no such exercise.
    """
    require_code(code)
    draw = _variants(lesson_of(exercise).slug).get(exercise) if code else None
    return None if draw is None else draw(chance(code, exercise))


@cache
def _variants(slug: str) -> Mapping[str, Callable[..., Variant]]:
    """What can be drawn in a lesson, by exercise."""
    if find_spec(f"gpuedu.exercises.{lesson(slug).module}.variants") is None:
        return {}
    return _module(slug, "variants").VARIANTS


def load_play(slug: str, exercise: str) -> Play:
    """The half beside the learner's code."""
    return _part(slug, "play", "PLAYS", exercise)


def load_judge(slug: str, exercise: str) -> Judge:
    """The half that knows the truth."""
    return _part(slug, "judge", "JUDGES", exercise)


def load_picture(name: str, code: str = "") -> Callable[..., Any]:
    """The drawing function of an exercise (``amdahl``) or of a lesson (``why-gpus/stack``)."""
    public = _named(name, "pictures", "PICTURES", "picture")
    slug = name.split("/")[0] if "/" in name else lesson_of(name).slug
    for exercise in _variants(slug) if code else ():
        variant = load_variant(exercise, code)
        if variant is not None and name in variant.pictures:
            return variant.pictures[name]
    return public


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


def load_prediction(key: str, code: str = "") -> Prediction:
    """The prediction with this key.

    A key is an exercise's id, or that id with something behind it (``amdahl-limit``).
    """
    if not isinstance(key, str):
        raise unknown("prediction", key, exercise_ids())
    owners = [name for name in exercise_ids() if key == name or key.startswith(name + "-")]
    for owner in sorted(owners, key=len, reverse=True):
        predictions = load_varied(owner, code).judge.predictions
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
