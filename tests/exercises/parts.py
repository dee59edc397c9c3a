"""Pictures and measurements of a lesson by name: its own, and those of its exercises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from gpuedu.exercises.registry import has_part, load_measure, load_picture
from gpuedu.syllabus import topic_exercises


def pictures_of(topic: str) -> Mapping[str, Callable[..., Any]]:
    """All that ``see`` draws for a topic."""
    return _parts(topic, "picture", load_picture)


def measures_of(topic: str) -> Mapping[str, Callable[..., Any]]:
    """All that ``measure`` times for a topic."""
    return _parts(topic, "measure", load_measure)


def _parts(topic: str, part: str, load: Callable[[str], Any]) -> dict[str, Callable[..., Any]]:
    module = f"gpuedu.exercises.{topic.replace('-', '_')}.{part}s"
    own = getattr(import_module(module), f"{part.upper()}S") if find_spec(module) else {}
    return {**own, **{name: load(name) for name in topic_exercises(topic) if has_part(name, part)}}
