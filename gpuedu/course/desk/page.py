"""One HTML file from a template of this package: nothing in it comes from the network."""

from __future__ import annotations

import base64
from importlib import resources
from pathlib import Path
from typing import Any

from gpuedu.course.desk.prose import inline, to_html
from gpuedu.errors import GpueduError


def render(template: str, **values: Any) -> str:
    """A template's text with values; the filters ``prose`` and ``inline`` take a lesson's texts."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=FunctionLoader(_source),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"prose": to_html, "inline": inline, "png": _as_address}
    return environment.get_template(template).render(**values)


def _source(name: str) -> str:
    return resources.files("gpuedu.course.desk").joinpath(name).read_text("utf-8")


def _as_address(png: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def write(path: Path, page: str) -> Path:
    """Write a page; GpueduError where that cannot be done."""
    try:
        path.write_text(page, "utf-8")
    except OSError as fault:
        raise GpueduError(f"cannot write {path}: {fault.strerror or fault}") from fault
    return path
