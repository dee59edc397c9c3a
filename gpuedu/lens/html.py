"""The report as HTML for a notebook: the same contents as the text, escaped, light and dark.

Colors are tints over the notebook's own, and a tinted line has its finding in words above.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Any

from gpuedu.lens.report import SHOWN, Lens
from gpuedu.lens.text import level_words, rows, said, summary, title
from gpuedu.trace.records import Finding, Level


def to_html(report: Lens) -> str:
    """One element that holds the whole report. Nothing from the learner can become markup."""
    levels = _told(report.findings)
    return _template().render(
        title=title(report),
        state=next((str(level) for level in Level if report.of(level)), "clean"),
        summary=summary(report),
        findings=[_view(found) for found in report.findings],
        rows=[
            {"line": place.line, "source": text, "cells": cells, "told": levels.get(place, "")}
            for place, text, cells in rows(report)
        ],
    )


SHOWN["html"] = to_html


def code(text: str) -> Any:
    """Escape ``text`` and turn what is between backquotes into code elements.

    >>> str(code("let `a < b` hold"))
    'let <code>a &lt; b</code> hold'
    """
    from markupsafe import Markup, escape

    parts = re.split(r"`([^`]+)`", text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if position % 2 else escape(part)
        for position, part in enumerate(parts)
    )


def _view(found: Finding) -> dict[str, Any]:
    return {
        "level": level_words(found.level),
        "line": found.place.line if found.place else None,
        "message": said(found),
        "remedy": found.remedy,
    }


def _told(findings: tuple[Finding, ...]) -> dict[Any, str]:
    """The places of hazards and costs with their level; a hazard outweighs a cost."""
    levels: dict[Any, str] = {}
    for found in findings:
        if found.place is not None and found.level is not Level.NOTE:
            levels.setdefault(found.place, str(found.level))
    return levels


@cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined)
    environment.filters["code"] = code
    source = resources.files("gpuedu.lens").joinpath("lens.html.j2").read_text("utf-8")
    return environment.from_string(source)
