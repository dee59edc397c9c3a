"""The playground's page: bundled with npm and esbuild, with the part of the wheel that it needs."""

from __future__ import annotations

import json
import shutil
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from gpuedu.course.lite.node_packages import HERE, licenses, run
from gpuedu.course.lite.wheels import is_license

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
    "gpuedu/triton/__init__.py",  # tells that a kernel is none in Triton
    "gpuedu/widgets/",
)
"""Files and folders of the wheel that the machine needs, beside what is at the package's top."""

_WITH_IT = ("jinja2-", "markupsafe-")
_TEMPLATES = ("jinja2/", "markupsafe/")
"""Packages that draw the stepper's frames."""


def build_playground(out: Path, pyodide: str, wheels: Sequence[Path], packages: Path) -> None:
    """Build the page into a folder.

    Args:
        out: The folder; it is created if missing.
        pyodide: Address of the folder with Pyodide, absolute or relative to the page.
        wheels: The site's wheels; what the machine needs is taken from them.
        packages: A folder of ``node_packages``.

    Raises:
        GpueduError: the page could not be bundled.
    """
    out.mkdir(parents=True, exist_ok=True)
    write_archive(out / ARCHIVE, wheels)
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
    text = json.dumps(config, ensure_ascii=False).replace("</", "<\\/")
    (out / "index.html").write_text(page.replace('id="config">{}', f'id="config">{text}'), "utf-8")


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


def write_archive(path: Path, wheels: Sequence[Path]) -> None:
    """The part of the wheels that runs kernels, with the packages for templates."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for wheel in (one for one in wheels if one.name.startswith(("gpuedu-", *_WITH_IT))):
            with zipfile.ZipFile(wheel) as whole:
                for name in sorted(filter(_is_needed, whole.namelist())):
                    archive.writestr(name, whole.read(name))


def _is_needed(name: str) -> bool:
    if name.startswith(_TEMPLATES) or is_license(name):
        return True
    path = PurePosixPath(name.replace("/__pycache__/", "/"))
    module = str(path.with_name(f"{path.name.partition('.')[0]}.py"))
    is_top = path.parent == PurePosixPath("gpuedu")
    return is_top or any(
        name.startswith(own) if own.endswith("/") else module == own for own in _NEEDED
    )


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
