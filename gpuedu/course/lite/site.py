"""Build the site: JupyterLite with the lessons, their wheels, and Pyodide or a link to it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from gpuedu.course.lite import PYODIDE_URL
from gpuedu.course.lite.node_packages import compile_archives, copy_parser, node_packages
from gpuedu.course.lite.notebooks import write_notebooks
from gpuedu.course.lite.own_pyodide import copy_pyodide, require_pyodide
from gpuedu.course.lite.page import build_playground
from gpuedu.course.lite.pages import write_pages
from gpuedu.course.lite.wheels import (
    BESIDE,
    add_bytecode,
    write_course_wheel,
    write_installed_wheel,
)
from gpuedu.course.tab.session import PARSER_FOLDER
from gpuedu.errors import GpueduError

_PACKAGE = Path(__file__).resolve().parents[2]
_KERNEL = "@jupyterlite/pyodide-kernel-extension"
_EXTENSIONS = (_KERNEL, "@jupyter-widgets/jupyterlab-manager")
_AT_ONCE = ("micropip", "ssl", "sqlite3", "jedi", "ipython", "numpy", "matplotlib")
"""Packages of Pyodide that every lesson needs: fetched side by side while Python starts, where the
kernel and the first cell would ask for one after the other."""

_PYODIDE = "static/pyodide"
_MARK = "jupyter-lite.json"
_APPS = ("notebooks", "lab", "tree")
_FILE_MENU = {"id": "jp-mainmenu-file", "items": [{"command": "docmanager:download", "rank": 6}]}


def build_site(root: Path, out: Path, pyodide: Path | None = None) -> Path:
    """Build the whole site into ``out``, which is replaced; returns its start page.

    Args:
        root: the checkout.
        out: the folder that a web server will serve.
        pyodide: a folder with Pyodide, copied into the site so that it needs nothing from outside;
            by default browsers fetch it from its public address.

    Raises:
        GpueduError: a package is missing, or JupyterLite failed; ``out`` is then as it was.
    """
    if pyodide is not None:
        require_pyodide(pyodide, _AT_ONCE)
    is_free = not out.exists() or (out.is_dir() and not any(out.iterdir()))
    if not is_free and not (out / _MARK).is_file():
        raise GpueduError(
            f"{out} holds something other than this site",
            remedy="name a new folder, or empty it",
        )
    with tempfile.TemporaryDirectory(prefix="gpuedu-lite-") as made, node_packages() as packages:
        work, site = Path(made), Path(made) / "site"
        wheels = write_wheels(work / "wheels", packages)
        write_notebooks(root, work / "files")
        _write_settings(work, wheels, pyodide)
        _run_jupyterlite(work, site)
        if pyodide is not None:
            copy_pyodide(pyodide, site / _PYODIDE, _AT_ONCE, packages)
        copy_parser(packages, site / PARSER_FOLDER)
        address = f"../{_PYODIDE}/" if pyodide else PYODIDE_URL
        build_playground(site / "playground", address, wheels, packages)
        write_pages(site, own_pyodide=pyodide is not None)
        _replace(out, site)
    return out / "index.html"


def write_wheels(folder: Path, packages: Path) -> list[Path]:
    """The course's wheel and those beside it, with their bytecode; the course's is the first."""
    course = write_course_wheel(_PACKAGE, folder)
    beside = [write_installed_wheel(name, folder) for name in BESIDE]
    compile_archives(packages, folder)
    add_bytecode(course, keep_sources=True)
    for wheel in beside:
        add_bytecode(wheel, keep_sources=False)
    return [course, *beside]


def _write_settings(work: Path, wheels: list[Path], pyodide: Path | None) -> None:
    """JupyterLite's files of settings: how it is built, and how its pages behave."""
    extensions = Path(sys.prefix) / "share" / "jupyter" / "labextensions"
    build = {
        "contents": [str(work / "files")],
        "apps": list(_APPS),
        "federated_extensions": [str(extensions / name) for name in _EXTENSIONS],
        "ignore_sys_prefix": ["federated_extensions"],
        "no_sourcemaps": True,
        "output_dir": str(work / "site"),
        "cache_dir": str(work / "cache"),
    }
    _write_json(
        work / "jupyter_lite_config.json",
        {"LiteBuildConfig": build, "PipliteAddon": {"piplite_urls": [str(w) for w in wheels]}},
    )
    address = f"./{_PYODIDE}/" if pyodide else PYODIDE_URL
    kernel = {
        "pyodideUrl": f"{address}pyodide.js",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {"packages": list(_AT_ONCE)},
    }
    page = {
        "appName": "gpuedu",
        "litePluginSettings": {f"{_KERNEL}:kernel": kernel},
        "disabledExtensions": ["@jupyterlab/apputils-extension:announcements"],
    }
    _write_json(
        work / "jupyter-lite.json",
        {"jupyter-lite-schema-version": 0, "jupyter-config-data": page},
    )
    _write_json(
        work / "overrides.json",
        {
            "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},
            # A tab may be closed at any time; what was saved is what stays.
            "@jupyterlab/docmanager-extension:plugin": {"autosaveInterval": 5},
            # JupyterLite has the command, and no menu with it.
            "@jupyterlab/mainmenu-extension:plugin": {"menus": [_FILE_MENU]},
        },
    )


def _write_json(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1) + "\n", "utf-8")


def _run_jupyterlite(work: Path, site: Path) -> None:
    command = [sys.executable, "-m", "jupyterlite_core", "build", "--lite-dir", str(work)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=work)
    if run.returncode or not (site / "index.html").is_file():
        output = "\n".join((run.stdout + run.stderr).splitlines()[-15:])
        raise GpueduError(
            f"JupyterLite did not build the site:\n{output}",
            remedy="`make lite` installs its parts",
        )


def _replace(out: Path, site: Path) -> None:
    if out.exists():
        shutil.rmtree(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(site, out)
