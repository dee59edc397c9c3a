"""Run Python scripts in Pyodide, the Python of a browser tab, under Node.

``GPUEDU_PYODIDE`` names Pyodide's folder, which ``python -m tests.tab.parts FOLDER`` makes. In the
tab the checkout is at ``/repo`` and this environment's packages are at ``/packages``; of those only
pure ones are admitted, by name (``tests/tab/pure.py``), never what was built for this machine.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.tab.parts import has_parser, parser_folder, tests_folder

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PACKAGES = Path(pytest.__file__).resolve().parents[1]
VARIABLE = "GPUEDU_PYODIDE"
PREPARE = """\
from gpuedu.simt.cuda_c import prepare
assert await prepare({folder!r}), "the parser of CUDA C could not be loaded"
"""


@dataclass(frozen=True)
class Done:
    """How a script ended."""

    status: int
    stdout: str
    stderr: str


def why_not() -> str | None:
    """Why no script can run in Pyodide here; None where one can."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        return f"{VARIABLE} names no folder: python -m tests.tab.parts FOLDER makes one"
    if not Path(folder, "pyodide.mjs").is_file():
        return f"{VARIABLE} names {folder}, which has no pyodide.mjs"
    if not tests_folder(Path(folder).resolve()).is_dir():
        return f"{VARIABLE} names {folder}, without Hypothesis beside it: use tests.tab.parts"
    if not has_parser(parser_folder(Path(folder).resolve())):
        return f"{VARIABLE} names {folder}, without the parser beside it: use tests.tab.parts"
    if shutil.which("node") is None:
        return "Node.js is not installed"
    return None


def command(
    script: str | Path,
    arguments: Sequence[str] = (),
    *,
    packages: Sequence[str] = ("numpy",),
    mounts: Mapping[str, Path] | None = None,
    environment: Mapping[str, str] | None = None,
    cuda_c: bool = False,
) -> list[str]:
    """The command that runs ``script`` (a path from the checkout's root) in Pyodide.

    Args:
        script: The script, such as ``tests/tab/suite.py``.
        arguments: Its arguments.
        packages: What is loaded of Pyodide's packages.
        mounts: More folders, by the path that they have in the tab.
        environment: Variables that the script sees.
        cuda_c: Whether the parser of CUDA C is loaded first.
    """
    pyodide = Path(os.environ[VARIABLE]).resolve()
    folders = {"/repo": ROOT, "/packages": PACKAGES, "/tests-packages": tests_folder(pyodide)}
    folders |= mounts or {}
    request = {
        "pyodide": str(pyodide),
        "packages": list(packages),
        "mounts": {path: str(folder) for path, folder in folders.items()},
        "environment": {"HOME": "/home/pyodide", "PYTHONHASHSEED": "0"} | dict(environment or {}),
        "path": ["/repo"],
        "before": PREPARE.format(folder=parser_folder(pyodide).as_uri()) if cuda_c else "",
        "script": f"/repo/{script}",
        "arguments": list(arguments),
    }
    return ["node", str(HERE / "run.mjs"), json.dumps(request)]


def run(script: str | Path, arguments: Sequence[str] = (), **options) -> Done:
    """Run ``script`` in Pyodide and wait for its end; the options are those of ``command``."""
    done = subprocess.run(command(script, arguments, **options), capture_output=True, text=True)
    return Done(done.returncode, done.stdout, done.stderr)
