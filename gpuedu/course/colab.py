"""The learner's notebooks for a hosted session: behind a first cell that installs gpuedu."""

from __future__ import annotations

from pathlib import Path

import nbformat

from gpuedu.syllabus import ready_lessons

INSTALL = """\
# This session has no gpuedu yet: install it, once, and keep the PyTorch that is here.
try:
    import gpuedu
except ImportError:
    import subprocess
    import sys

    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "{package}"], check=True)
"""


def write_hosted(root: Path, out: Path, package: str) -> list[Path]:
    """Write each learner's notebook into ``out`` with the cell in front; returns the files.

    ``package`` is what pip installs: a name, a wheel, or ``gpuedu @ git+https://...``.
    """
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for entry in ready_lessons():
        path = root / "notebooks" / entry.folder / f"{entry.folder}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        cell = nbformat.v4.new_code_cell(
            INSTALL.format(package=package), id="install", metadata={"gpuedu": {"role": "code"}}
        )
        notebook.cells.insert(0, cell)
        written.append(out / path.name)
        written[-1].write_text(nbformat.writes(notebook) + "\n", "utf-8")
    return written
