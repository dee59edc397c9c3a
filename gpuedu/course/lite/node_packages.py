"""What the site takes from npm: the playground's editor, the parser of CUDA C, and a compiler.

All of it is pinned in ``package-lock.json``, with the packages' checksums.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from gpuedu.errors import GpueduError

HERE = Path(__file__).parent
PARSER = (
    "web-tree-sitter/web-tree-sitter.js",
    "web-tree-sitter/web-tree-sitter.wasm",
    "tree-sitter-cuda/tree-sitter-cuda.wasm",
)
"""The parser's files, below ``node_modules``."""


@contextlib.contextmanager
def node_packages() -> Iterator[Path]:
    """A folder for the duration of a block, with the packages in its ``node_modules``.

    Raises:
        GpueduError: npm is missing, or fails.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise GpueduError(
            "parts of the site come from npm, which is not installed here",
            remedy="install Node.js 20 or newer, which brings npm",
        )
    with tempfile.TemporaryDirectory(prefix="gpuedu-npm-") as made:
        folder = Path(made)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(HERE / name, folder)
        run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"], folder)
        yield folder


def run(command: list[str], folder: Path) -> None:
    """Run a program of Node.js in a folder; GpueduError with its last line if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        name = Path(command[0]).name
        # Node.js may quote a whole script in one line before its message.
        lines = [line[:300] for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        message = next((line for line in lines if "Error" in line), (lines or ["no message"])[-1])
        raise GpueduError(
            f"`{name} {command[1]}` failed while the site was built: {message}",
            remedy="run it again with a connection to npm's registry",
        )


def compile_archives(
    packages: Path,
    folder: Path,
    pyodide: Path | None = None,
    names: Iterable[str] = (),
    modules: Iterable[str] = (),
) -> None:
    """Have the tab's own Python, under Node.js, compile the wheels and archives of a folder.

    A zip with the bytecode of its modules is put beside each. Given a folder with Pyodide, that
    Pyodide compiles, with these of its packages, and only what importing these modules loads.
    """
    node = shutil.which("node")
    if node is None:
        raise GpueduError(
            "node, which npm comes with, is not installed here", remedy="install Node.js 20"
        )
    shutil.copy(HERE / "compile.mjs", packages)  # it finds its package beside itself
    given = [str(pyodide.resolve()), " ".join(names), " ".join(modules)] if pyodide else []
    script = str(HERE / "compile_in_tab.py")
    run([node, "compile.mjs", str(folder.resolve()), script, *given], packages)


def copy_parser(folder: Path, out: Path) -> None:
    """Put the parser's files, and the licenses of their packages, into a folder of the site."""
    modules = folder / "node_modules"
    out.mkdir(parents=True, exist_ok=True)
    for name in PARSER:
        shutil.copy(modules / name, out)
    packages = sorted({name.partition("/")[0] for name in PARSER})
    (out / "licenses.txt").write_text(licenses(modules, packages), "utf-8")


def licenses(modules: Path, names: list[str]) -> str:
    """The licenses of packages, one after another."""
    parts = ["Licenses of the packages that this folder was made from.\n"]
    for name in names:
        home = modules / name
        text = next(iter(sorted(home.glob("LICENSE*"))), None)
        about = json.loads((home / "package.json").read_text("utf-8"))
        if text is not None:
            parts.append(f"{name} {about.get('version', '')}\n\n{text.read_text('utf-8')}")
    return "\n----\n\n".join(parts)
