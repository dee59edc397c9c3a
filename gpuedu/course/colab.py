"""The learner's notebooks for a hosted session such as Colab's: a first cell installs gpuedu."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat

from gpuedu import __version__
from gpuedu.course.addresses import REPOSITORY
from gpuedu.course.signposts import drop_ways_in
from gpuedu.syllabus import ready_lessons

# pip is held to the versions that are there: a session whose PyTorch or ipykernel is replaced under
# it has to be restarted, and may not work then. Colab makes a form of the title and the parameter.
CELL = """\
# @title Set up gpuedu in this session: run this cell first (about a minute)
keep_progress_in_drive = False  # @param {type:"boolean"}
PACKAGE = <package>

try:
    import gpuedu
except ImportError:
    import importlib, subprocess, sys, tempfile, time

    class NotInstalled(Exception):
        def _render_traceback_(self):
            return str(self).splitlines()

    why = {
        "different Python": "This session's Python is too old for gpuedu: choose a newer runtime.",
        "conflicting dependencies": "Something that is installed here is too old for gpuedu.",
        "resolve host": "This session cannot reach the internet, or not the course's address.",
        "Failed to establish": "This session cannot reach the internet.",
        "did not match any": "The course has no release of that name at its address.",
        "git clone": "The course could not be fetched from its address.",
        "No space left": "The disk of this session is full.",
    }
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    started, said = time.monotonic(), ""
    here = subprocess.run([*pip, "list", "--format=freeze"], capture_output=True).stdout
    with tempfile.NamedTemporaryFile(suffix=".txt") as versions:
        versions.write(here)
        versions.flush()
        command = [*pip, "install", "--constraint", versions.name, PACKAGE]
        run = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for line in run.stdout:
            said += line
            if not line.startswith(("Requirement already", " ")):
                spent_s = time.monotonic() - started
                print(f"\\r{spent_s:3.0f} s  {line.strip():<90.90}", end="", flush=True)
    print()
    if run.wait():
        reason = next((why[sign] for sign in why if sign in said), "pip could not install gpuedu.")
        raise NotInstalled(
            f"{reason}\\nNothing was changed. Run this cell again, or report what pip said:\\n\\n"
            + "\\n".join(said.splitlines()[-15:])
        )
    importlib.invalidate_caches()

from gpuedu.exercises.hosted import begin

begin(keep_progress_in_drive)
"""


def released_package() -> str:
    """What pip installs of this release: the repository at the release's tag."""
    return f"gpuedu[lessons] @ git+{REPOSITORY}@v{__version__}"


def write_hosted(root: Path, out: Path, package: str | None = None) -> list[Path]:
    """Write each learner's notebook into ``out`` with the cell in front; returns the files.

    ``package`` is what pip installs instead of this release: a wheel, a folder, or
    ``gpuedu[lessons] @ git+https://...``.
    """
    out.mkdir(parents=True, exist_ok=True)
    source = CELL.replace("<package>", json.dumps(package or released_package()))
    written = []
    for entry in ready_lessons():
        path = root / "notebooks" / entry.folder / f"{entry.folder}.ipynb"
        notebook = nbformat.read(path, as_version=4)
        drop_ways_in(notebook)
        metadata = {"gpuedu": {"role": "code"}, "cellView": "form"}
        notebook.cells.insert(0, nbformat.v4.new_code_cell(source, id="install", metadata=metadata))
        written.append(out / path.name)
        written[-1].write_text(nbformat.writes(notebook) + "\n", "utf-8")
    return written
