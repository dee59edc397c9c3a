"""The report as one self-contained page of HTML, in light and dark."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from gpuedu.profiling.evidence import Finding
from gpuedu.profiling.records import Watched
from gpuedu.profiling.summary import (
    Line,
    lines,
    memory_parts,
    notes,
    now_and_then,
    short,
    step_sentence,
    told,
)
from gpuedu.units import format_quantity, format_size

_WIDEST_EM = 24


def to_html(watched: Watched, findings: Sequence[Finding]) -> str:
    """The page. Nothing from the script can become markup."""
    marked = {(site.file, site.line) for one in findings for site, _ in one.places}
    parts = memory_parts(watched)
    most = max(parts.values(), default=0)
    return _template().render(
        title=f"Profile of {Path(watched.script).name}",
        end=f"{watched.script} {watched.end}; {watched.counted} steps were counted, "
        f"{len(watched.of_phase('timed'))} timed.",
        is_counted=watched.counted > 0,
        findings=[_view(one, watched) for one in findings],
        step=", ".join(step_sentence(watched)),
        rare=", ".join(
            f"{short(site, watched.script)} {kinds} ({count} of {watched.counted})"
            for site, kinds, count in now_and_then(watched)
        ),
        memory=[
            (kind, format_size(size), round(_WIDEST_EM * size / most, 2))
            for kind, size in parts.items()
            if size
        ],
        rows=[
            {
                "cells": _cells(one),
                "place": short(one.site, watched.script),
                "text": one.site.text,
                "told": (one.site.file, one.site.line) in marked,
            }
            for one in lines(watched)
        ],
        notes=list(notes(watched)),
    )


def _view(one: Finding, watched: Watched) -> dict[str, Any]:
    return {
        "title": one.title,
        "cost": one.cost,
        "places": [(short(site, watched.script), site.text, what) for site, what in one.places],
        "advice": one.advice,
        "lesson": one.lesson,
        "is_suggestion": one.is_suggestion,
    }


def _cells(one: Line) -> list[str]:
    return [
        *told([one.operators, one.small, one.waits, one.copies]),
        format_quantity(one.flop, "").strip() if one.flop else "",
        format_size(one.peak_bytes) if one.peak_bytes else "",
    ]


def code(text: str) -> Any:
    """Escape a text and turn what is between backquotes into code elements.

    >>> str(code("call `f(a < b)`"))
    'call <code>f(a &lt; b)</code>'
    """
    from markupsafe import Markup, escape

    parts = re.split(r"`([^`]+)`", text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if position % 2 else escape(part)
        for position, part in enumerate(parts)
    )


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters["code"] = code
    source = resources.files("gpuedu.profiling").joinpath("page.html.j2").read_text("utf-8")
    return environment.from_string(source)
