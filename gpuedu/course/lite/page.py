"""The playground's page: bundled with npm and esbuild, with the part of the wheel that it needs."""

from __future__ import annotations

import json
import shutil
import tomllib
import zipfile
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any

from gpuedu.course.lite.node_packages import HERE, licenses, run
from gpuedu.errors import GpueduError

ARCHIVE = "machine.zip"
_NEEDED = (
    "gpuedu/compilers/__init__.py",
    "gpuedu/compilers/errors.py",
    "gpuedu/compilers/facts.py",
    "gpuedu/figures/",
    "gpuedu/hardware/",
    "gpuedu/lens/",
    "gpuedu/playground/",
    "gpuedu/simt/",
    "gpuedu/trace/",
    "gpuedu/widgets/",
)
"""Files and folders of the wheel that the machine needs, beside what is at the package's top."""

_TEMPLATES = {"jinja2": "Jinja2", "markupsafe": "MarkupSafe"}
"""Packages that draw the stepper's frames, with the names of their distributions."""


def build_playground(out: Path, pyodide: str, wheel: Path, packages: Path) -> None:
    """Build the page into a folder.

    Args:
        out: The folder; it is made where it is missing.
        pyodide: Address of the folder with Pyodide, absolute or relative to the page.
        wheel: The course's wheel; what the machine needs is taken from it.
        packages: A folder of ``node_packages``.

    Raises:
        GpueduError: the page could not be bundled.
    """
    out.mkdir(parents=True, exist_ok=True)
    write_archive(out / ARCHIVE, wheel)
    shutil.copytree(HERE / "playground", packages / "playground", dirs_exist_ok=True)
    _bundle(packages, out)
    modules = packages / "node_modules"
    (out / "licenses.txt").write_text(licenses(modules, _bundled(modules)), "utf-8")
    shutil.copy(HERE / "playground" / "style.css", out)
    config = {
        "pyodide": pyodide if pyodide.endswith("/") else f"{pyodide}/",
        "archive": ARCHIVE,
        "worker": "worker.js",
        "examples": examples(),
    }
    page = (HERE / "playground" / "index.html").read_text("utf-8")
    told = json.dumps(config, ensure_ascii=False).replace("</", "<\\/")
    (out / "index.html").write_text(page.replace('id="config">{}', f'id="config">{told}'), "utf-8")


def examples() -> list[dict[str, Any]]:
    """The examples in order, each a launch with its title and what to look for.

    >>> sorted(examples()[0])
    ['arguments', 'block', 'grid', 'line', 'look', 'name', 'shared', 'shows', 'source', 'title']
    """
    found = []
    for path in sorted((HERE / "playground" / "examples").glob("*.toml")):
        launch = tomllib.loads(path.read_text("utf-8"))
        found.append({"name": path.stem.partition("-")[2], "shared": "", **launch})
    return found


def write_archive(path: Path, wheel: Path) -> None:
    """The part of the wheel that runs kernels, with the pure parts of the template packages."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        with zipfile.ZipFile(wheel) as whole:
            for name in sorted(whole.namelist()):
                if _is_needed(name):
                    archive.writestr(name, whole.read(name))
        for package, distribution in _TEMPLATES.items():
            for name, content in _pure_files(package, distribution):
                archive.writestr(name, content)


def _is_needed(name: str) -> bool:
    is_top = PurePosixPath(name).parent == PurePosixPath("gpuedu")
    return is_top or any(
        name.startswith(own) if own.endswith("/") else name == own for own in _NEEDED
    )


def _pure_files(package: str, distribution: str) -> list[tuple[str, bytes]]:
    """A package's Python files and its licenses, from where it is installed."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise GpueduError(
            f"{distribution} is not installed, and the page's stepper needs it",
            remedy=f"`pip install {distribution}`",
        )
    home = Path(spec.origin).parent
    files = [(f"{package}/{path.name}", path.read_bytes()) for path in sorted(home.glob("*.py"))]
    for record in metadata.files(distribution) or []:
        if "license" in record.name.lower():
            told = PurePosixPath(package) / record.name
            files.append((str(told), Path(record.locate()).read_bytes()))
    return files


def _bundle(folder: Path, out: Path) -> None:
    esbuild = folder / "node_modules" / ".bin" / "esbuild"
    for name in ("app", "worker"):
        run(
            [
                str(esbuild),
                f"playground/{name}.mjs",
                "--bundle",
                "--minify",
                "--format=esm",
                "--target=es2022",
                "--legal-comments=none",
                "--log-level=error",
                f"--outfile={(out / f'{name}.js').resolve()}",
            ],
            folder,
        )


def _bundled(modules: Path) -> list[str]:
    """The packages of which the editor consists."""
    homes = [*modules.glob("@codemirror/*"), *modules.glob("@lezer/*"), *modules.glob("@marijn/*")]
    homes += [modules / name for name in ("crelt", "style-mod", "w3c-keyname")]
    return sorted(home.relative_to(modules).as_posix() for home in homes if home.is_dir())
