"""The site's own pages around JupyterLite's: the start page, and the worker that keeps files."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from importlib import resources
from pathlib import Path

from gpuedu.course.addresses import REPOSITORY
from gpuedu.course.lite import PYODIDE_URL
from gpuedu.course.lite.notebooks import tab_lessons
from gpuedu.errors import GpueduError
from gpuedu.exercises.registry import load

_WORKER = "service-worker.js"
_JUPYTER_WORKER = "jupyterlite-service-worker.js"

_LOAD = "await import("
_PLAYGROUND = '<script type="module" src="app.js"></script>'
_PLAYGROUND_WAITS = (
    '<script type="module">await window.gpueduKept; await import("./app.js");</script>'
)
_SCRIPT = re.compile(r"""["']\.\./([\w./-]+\.js\?_=\w+)["']""")
_APPS = ("notebooks", "lab", "tree")


def write_pages(site: Path, *, own_pyodide: bool) -> None:
    """Put the start page, the worker and what they need into a site that JupyterLite built.

    Raises:
        GpueduError: a page is not as this release expects it.
    """
    for app in _APPS:
        _let_wait(site / app / "index.html", _LOAD, f"await window.gpueduKept; {_LOAD}")
    _let_wait(site / "playground" / "index.html", _PLAYGROUND, _PLAYGROUND_WAITS)
    shutil.move(site / _WORKER, site / _JUPYTER_WORKER)
    _copy_start(site)
    release = _digest(site)
    _write_start(site, release)
    _write_worker(site, release, "" if own_pyodide else PYODIDE_URL)


def _let_wait(page: Path, load: str, waits: str) -> None:
    """Have a page load its scripts once the worker is there: put ``waits`` in place of ``load``."""
    text = page.read_text("utf-8")
    if text.count(load) != 1 or text.count("<head>") != 1:
        raise GpueduError(
            f"{page.parent.name}/index.html is not as this release expects it",
            remedy="install the versions of constraints.txt",
        )
    keep = f"<head>\n    <script>{_keep('../')}</script>"
    page.write_text(text.replace(load, waits).replace("<head>", keep), "utf-8")


def _keep(root: str) -> str:
    """The script that has a page wait for the worker; ``root`` leads from the page to the site."""
    source = resources.files("gpuedu.course.lite").joinpath("keep.js").read_text("utf-8")
    return source.replace("<root>", root)


def _copy_start(site: Path) -> None:
    (site / "start").mkdir()
    for entry in resources.files("gpuedu.course.lite").joinpath("start").iterdir():
        if not entry.name.endswith(".j2"):
            (site / "start" / entry.name).write_bytes(entry.read_bytes())


def _digest(site: Path) -> str:
    """A name for all that the site holds: it changes when anything does."""
    digest = hashlib.sha256()
    for path in sorted(site.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(site).as_posix()}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _write_start(site: Path, release: str) -> None:
    from jinja2 import Environment, StrictUndefined

    source = resources.files("gpuedu.course.lite").joinpath("start", "index.html.j2")
    template = Environment(autoescape=True, undefined=StrictUndefined)
    lessons = [
        {
            "folder": entry.folder,
            "title": entry.title,
            "question": entry.question,
            "minutes": entry.minutes,
            "points": {name: load(name).judge.points for name in entry.exercises},
        }
        for entry in tab_lessons()
    ]
    from markupsafe import Markup

    page = template.from_string(source.read_text("utf-8")).render(
        lessons=lessons,
        release=release,
        keep=Markup(_keep("./")),
        repository=REPOSITORY,
    )
    (site / "index.html").write_text(page, "utf-8")


def _write_worker(site: Path, release: str, pyodide: str) -> None:
    source = resources.files("gpuedu.course.lite").joinpath("service_worker.js")
    text = source.read_text("utf-8")
    for name, value in (("release", release), ("pyodide", pyodide)):
        text = text.replace(f"<{name}>", value)
    text = text.replace("<shell>", json.dumps(_shell(site)))
    (site / _WORKER).write_text(text, "utf-8")


def _shell(site: Path) -> list[str]:
    """What a page has fetched before the worker could see it, scripts that it names, and lessons.

    With them, whoever has opened one lesson can open the others without a network.
    """
    found = ["./", "./index.html", "./playground/index.html", "./playground/style.css"]
    for app in ("notebooks", "lab"):
        found.append(f"./{app}/index.html")
        text = (site / app / "index.html").read_text("utf-8")
        found += [f"./{name}" for name in _SCRIPT.findall(text)]
    start = (site / "index.html").read_text("utf-8")
    found += [f"./{name}" for name in re.findall(r'"(start/[\w.]+\?_=\w+)"', start)]
    found += [f"./start/{path.name}" for path in sorted((site / "start").glob("*.mjs"))]
    found += [f"./files/{path.name}" for path in sorted((site / "files").glob("*.ipynb"))]
    return list(dict.fromkeys(found))
