"""The playground's page: bundled with npm and esbuild, with the part of the wheel that it needs."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import tomllib
import zipfile
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any

from gpuedu.errors import GpueduError

HERE = Path(__file__).parent
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


def build_playground(out: Path, pyodide: str, wheel: Path) -> None:
    """Build the page into a folder.

    Args:
        out: The folder; it is made where it is missing.
        pyodide: Address of the folder with Pyodide, absolute or relative to the page.
        wheel: The course's wheel; what the machine needs is taken from it.

    Raises:
        GpueduError: npm is missing, or fails.
    """
    out.mkdir(parents=True, exist_ok=True)
    write_archive(out / ARCHIVE, wheel)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder)
        shutil.copytree(HERE / "playground", folder / "playground")
        _npm(folder, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
        _bundle(folder, out)
        (out / "licenses.txt").write_text(_licenses(folder / "node_modules"), "utf-8")
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
        _run(
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


def _licenses(modules: Path) -> str:
    """The licenses of what is bundled, one after the other."""
    parts = ["Licenses of the packages that the page is bundled from.\n"]
    for path in sorted(modules.rglob("package.json")):
        text = next(iter(sorted(path.parent.glob("LICENSE*"))), None)
        about = json.loads(path.read_text("utf-8"))
        if text is not None and "name" in about and "esbuild" not in about["name"]:
            parts.append(f"{about['name']} {about.get('version', '')}\n\n{text.read_text('utf-8')}")
    return "\n----\n\n".join(parts)


def _npm(folder: Path, *words: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise GpueduError(
            "the playground's page is bundled with npm, which is not here",
            remedy="install Node.js 20 or newer, which brings npm",
        )
    _run([npm, *words], folder)


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        name = Path(command[0]).name
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:] or ["no message"]
        raise GpueduError(
            f"`{name} {command[1]}` failed while the playground was built: {last[0]}",
            remedy="run it again with a connection to npm's registry",
        )
