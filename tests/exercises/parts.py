"""Pictures and measurements of a lesson by name: its own, and those of its exercises."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from gpuedu.exercises.registry import has_part, load_measure, load_picture
from gpuedu.syllabus import lesson


def pictures_of(slug: str) -> Mapping[str, Callable[..., Any]]:
    """All that ``see`` draws in a lesson."""
    return _parts(slug, "picture", load_picture)


def measures_of(slug: str) -> Mapping[str, Callable[..., Any]]:
    """All that ``measure`` times in a lesson."""
    return _parts(slug, "measure", load_measure)


def _parts(slug: str, part: str, load: Callable[[str], Any]) -> dict[str, Callable[..., Any]]:
    entry = lesson(slug)
    module = f"gpuedu.exercises.{entry.module}.{part}s"
    own = getattr(import_module(module), f"{part.upper()}S") if find_spec(module) else {}
    return {**own, **{name: load(name) for name in entry.exercises if has_part(name, part)}}
