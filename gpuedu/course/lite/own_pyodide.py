"""Pyodide from a folder, as a self-contained site carries it: with bytecode in place of sources.

Without it a tab would compile the standard library and IPython again on each visit. Pyodide's
public address has the same beside the sources, under ``pyc/``.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gpuedu.course.lite.node_packages import compile_archives
from gpuedu.course.lite.wheels import DATE, without_sources
from gpuedu.errors import GpueduError

_LOCK = "pyodide-lock.json"
_STANDARD_LIBRARY = "python_stdlib.zip"
_IMPORTED = (
    *("micropip", "ssl", "sqlite3", "jedi", "IPython", "numpy"),
    *("matplotlib.pyplot", "matplotlib.backends.backend_agg"),
)
"""What a lesson has imported by its first figure. All else stays as sources, which are smaller."""

_NOT_NEEDED = {"matplotlib": {"pytz"}}
"""What the lock file says that a package needs, and its release does not use."""


_SAMPLES = "matplotlib/mpl-data/sample_data/"
"""What only matplotlib's own examples read; it stays out of the copy."""

_ALWAYS_THERE = ("pyodide.js", "pyodide.mjs", "pyodide.asm.wasm", _STANDARD_LIBRARY, _LOCK)


def require_pyodide(folder: Path, names: Iterable[str]) -> None:
    """Raise GpueduError if a folder lacks a part of Pyodide, or one of these packages."""
    for name in _ALWAYS_THERE:
        if not (folder / name).is_file():
            raise GpueduError(
                f"{folder} is not a folder of Pyodide: it has no {name}",
                remedy="unpack a release of Pyodide and name the folder with pyodide.js in it",
            )
    packages = json.loads((folder / _LOCK).read_text("utf-8"))["packages"]
    for name in sorted(_with_needs(packages, names)):
        if name not in packages or not (folder / packages[name]["file_name"]).is_file():
            raise GpueduError(
                f"{folder} has Pyodide without its package {name}",
                remedy="unpack the full release of Pyodide, which brings all packages",
            )


def copy_pyodide(folder: Path, out: Path, names: Iterable[str], packages: Path) -> None:
    """Copy a folder of Pyodide, with bytecode for what every lesson imports.

    Args:
        folder: a folder with Pyodide.
        out: where the copy goes.
        names: packages of Pyodide that every lesson needs, by the lock file's names.
        packages: npm's packages of the site (``node_packages``).
    """
    shutil.copytree(folder, out, dirs_exist_ok=True)
    lock = json.loads((out / _LOCK).read_text("utf-8"))
    for name, needless in _NOT_NEEDED.items():
        needs = lock["packages"][name]["depends"]
        needs[:] = [one for one in needs if one not in needless]
    needed = [lock["packages"][name] for name in sorted(_with_needs(lock["packages"], names))]
    wheels = [one for one in needed if one["file_name"].endswith(".whl")]
    archives = [_STANDARD_LIBRARY, *(one["file_name"] for one in wheels)]
    with tempfile.TemporaryDirectory(prefix="gpuedu-bytecode-") as made:
        for name in archives:
            shutil.copy(out / name, made)
        compile_archives(packages, Path(made), out, names, _IMPORTED)
        for name in archives:
            _replace_sources(Path(made, name), Path(made, f"{name}.zip"), out / name)
    for one in wheels:
        one["sha256"] = hashlib.sha256((out / one["file_name"]).read_bytes()).hexdigest()
    (out / _LOCK).write_text(json.dumps(lock), "utf-8")


def _with_needs(packages: Mapping[str, Any], names: Iterable[str]) -> set[str]:
    found: set[str] = set()
    left = list(names)
    while left:
        name = left.pop().replace("_", "-")  # needs are written in either way
        if name not in found:
            found.add(name)
            left += packages.get(name, {"depends": ()})["depends"]
    return found


def _replace_sources(archive: Path, compiled: Path, out: Path) -> None:
    """Write an archive with the bytecode in place of each source that has one, and no samples."""
    files: dict[str, bytes] = {}
    for part in (archive, compiled):
        with zipfile.ZipFile(part) as opened:
            names = [name for name in opened.namelist() if not name.startswith(_SAMPLES)]
            files |= {name: opened.read(name) for name in names}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as written:
        for name, data in without_sources(files).items():
            written.writestr(zipfile.ZipInfo(name, DATE), data, zipfile.ZIP_DEFLATED, 9)
