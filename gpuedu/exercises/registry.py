"""From an exercise's id to its parts, loaded only when they are asked for.

Each exercise is its own package, ``gpuedu.exercises.<topic>.<exercise>``, and is in no table.
Beside the learner's code there are ``play`` with ``PLAY``, ``picture`` with ``PICTURE`` and
``measure`` with ``MEASURE``, the last two if there is something to draw or to time. ``judge`` is
never importable there: it has ``JUDGE``, and ``judge.variant`` has ``VARIANT`` if a class can get
its own numbers. Pictures and measurements that belong to a topic (``why-gpus/stack``) are in the
mappings ``PICTURES`` of its module ``pictures`` and ``MEASURES`` of ``measures``.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from gpuedu.errors import CatalogError, UnknownNameError
from gpuedu.exercises.contract import Exercise, Judge, Play, Prediction
from gpuedu.exercises.variants import Variant, chance, require_code
from gpuedu.syllabus import exercise_ids, lesson_of, topic_exercises, unknown

_KEPT = 2_000
"""Variants that are kept once drawn."""
GIVEN_FIGURES: dict[str, Any] = {}
"""What was measured elsewhere, by name: when a class is graded, learners' code has no measures."""


@cache
def load(exercise: str) -> Exercise:
    """The exercise with this id; UnknownNameError with the nearest ids."""
    entry = lesson_of(exercise)
    play, judge = load_play(exercise), load_judge(exercise)
    return Exercise(exercise, entry.slug, play, judge, topic=entry.topic)


def load_varied(exercise: str, code: str) -> Exercise:
    """The exercise for the code of a variant; most are as published."""
    variant = load_variant(exercise, code)
    if variant is None:
        return load(exercise)
    return replace(load(exercise), judge=variant.judge, is_variant=True)


@lru_cache(maxsize=_KEPT)
def load_variant(exercise: str, code: str) -> Variant | None:
    """What a code changes in an exercise; None if it changes nothing.

    Raises:
        UnknownNameError: it is not a code, or there is no such exercise.
    """
    require_code(code)
    package = package_of(exercise)
    if not code or not has_part(exercise, "judge.variant"):
        return None
    return import_module(f"{package}.judge.variant").VARIANT(chance(code, exercise))


def package_of(exercise: str) -> str:
    """The package of the exercise with this id; UnknownNameError with the nearest ids."""
    return f"gpuedu.exercises.{lesson_of(exercise).module}.{exercise.replace('-', '_')}"


@cache
def has_part(exercise: str, part: str) -> bool:
    """True if the exercise has such a part, ``picture`` say."""
    try:
        return find_spec(f"{package_of(exercise)}.{part}") is not None
    except ModuleNotFoundError:  # nothing of the lesson is here
        return False


def load_play(exercise: str) -> Play:
    """The half beside the learner's code."""
    return _part(exercise, "play", "PLAY")


def load_judge(exercise: str) -> Judge:
    """The half that knows the truth."""
    return _part(exercise, "judge", "JUDGE")


def load_picture(name: str, code: str = "") -> Callable[..., Any]:
    """The drawing function of an exercise (``amdahl``) or of a topic (``why-gpus/stack``)."""
    public = _named(name, "picture", "picture")
    owners = topic_exercises(name.split("/")[0]) if "/" in name else (name,)
    for exercise in owners if code else ():
        variant = load_variant(exercise, code)
        if variant is not None and name in variant.pictures:
            return variant.pictures[name]
    return public


def load_measure(name: str) -> Callable[..., Any]:
    """The function that measures something on the learner's machine, named as pictures are."""
    if name in GIVEN_FIGURES:
        return lambda *_: copy.deepcopy(GIVEN_FIGURES[name])
    return _named(name, "measure", "measurement")


def _named(name: str, part: str, kind: str) -> Any:
    """The function of a part: a constant of the exercise, or an entry in the lesson's mapping."""
    if not isinstance(name, str):
        raise unknown(kind, name, exercise_ids())
    if "/" not in name:
        package = package_of(name)
        if has_part(name, part):
            return getattr(import_module(f"{package}.{part}"), part.upper())
        raise unknown(kind, name, [one for one in exercise_ids() if has_part(one, part)])
    topic = name.split("/")[0]
    topic_exercises(topic)  # raises for one that there is not
    module = f"gpuedu.exercises.{topic.replace('-', '_')}.{part}s"
    entries = getattr(import_module(module), f"{part.upper()}S") if find_spec(module) else {}
    if name not in entries:
        raise unknown(kind, name, entries)
    return entries[name]


def load_prediction(key: str, code: str = "") -> Prediction:
    """The prediction with this key.

    A key is an exercise's id, or that id with something after it (``amdahl-limit``).
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


def _part(exercise: str, part: str, name: str) -> Any:
    module = f"{package_of(exercise)}.{part}"
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as fault:
        if fault.name and module.startswith(fault.name):
            slug, folder = lesson_of(exercise).slug, package_of(exercise).replace(".", "/")
            raise UnknownNameError(
                f"lesson {slug!r} has no {part} of {exercise!r} here",
                remedy=f"its folder is {folder}/, with a {part} in it",
            ) from fault
        raise
    except AttributeError as fault:
        raise CatalogError(f"{module} lacks {name}") from fault
