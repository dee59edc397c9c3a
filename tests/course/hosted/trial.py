"""A hosted session from its first cell to full points: in an environment of its own, as Colab has.

``python -m tests.course.hosted.trial`` (some minutes, about 2 GB of disk, a package index) makes a
virtual environment of the versions in ``versions.txt``, writes the notebooks of ``gpuedu build
--colab`` with this checkout's last commit in place of the public address, and runs lessons there,
as they are and with the answers filled in. It prints what it found as JSON, and ends with status 1
where a lesson has not its points, a cell fails, or a package that was there has changed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat

from gpuedu import __version__
from gpuedu.course.colab import write_hosted
from gpuedu.exercises.registry import load
from gpuedu.syllabus import lesson as find_lesson
from tests.conftest import ROOT
from tests.lessons.notebooks import points

VERSIONS = Path(__file__).with_name("versions.txt")


def main() -> int:
    """Run the trial; 0 where everything is as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lessons", nargs="+", default=["first-kernels", "cupy", "memory"])
    parser.add_argument("--environment", type=Path, help="use this one, or make and keep it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gpuedu-hosted-") as scratch:
        told = trial(Path(scratch), given.environment or Path(scratch, "env"), given.lessons)
    print(json.dumps(told, indent=1))
    return 1 if told["wrong"] else 0


def trial(folder: Path, where: Path, lessons: list[str]) -> dict:
    """All of it, in ``folder``, with the environment in ``where``; ``wrong`` lists what is not as it should be."""
    python = environment(where, ["pip==24.1.2"], ["--requirement", str(VERSIONS)])
    before, told = _packages(python), {"wrong": []}
    hosted = {path.stem: path for path in write_hosted(ROOT, folder / "hosted", package(folder))}
    for slug in lessons:
        entry = find_lesson(slug)
        answered = _answered(hosted[entry.folder], ROOT / "solutions" / entry.folder)
        most = {name: load(name).judge.points for name in entry.exercises}
        for path, wanted in ((hosted[entry.folder], dict.fromkeys(most, 0.0)), (answered, most)):
            _remove_course(python)
            began_s = time.monotonic()
            done = run(python, path, folder)
            told[path.stem] = {"seconds": round(time.monotonic() - began_s, 1)}
            errors = [
                output.evalue
                for cell in done.cells
                for output in cell.get("outputs", [])
                if output.output_type == "error"
            ]
            told["wrong"] += [f"{path.stem}: {error[:300]}" for error in errors]
            if not errors and (found := points(done)) != wanted:
                told["wrong"].append(f"{path.stem}: {found}, wanted {wanted}")
    after = _packages(python)
    told["added"] = sorted(after.keys() - before.keys())
    told["wrong"] += [f"{name} was changed" for name in before if before[name] != after.get(name)]
    return told


def environment(folder: Path, *installs: list[str]) -> Path:
    """The interpreter of the environment, which is made of what pip installs if it isn't there."""
    python = folder / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        for what in installs:
            subprocess.run([python, "-m", "pip", "install", "--quiet", *what], check=True)
    return python


def _remove_course(python: Path) -> None:
    subprocess.run([python, "-m", "pip", "uninstall", "--quiet", "--yes", "gpuedu"], check=True)


def _packages(python: Path) -> dict[str, str]:
    command = [python, "-m", "pip", "list", "--format=json", "--disable-pip-version-check"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {entry["name"]: entry["version"] for entry in json.loads(listed)}


def package(folder: Path) -> str:
    """This checkout's last commit behind an address, with the release's tag."""
    public = folder / "public"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, public], check=True)
    subprocess.run(["git", "-C", public, "tag", "--force", f"v{__version__}"], check=True)
    return f"gpuedu[lessons] @ git+file://{public}@v{__version__}"


def _answered(path: Path, solutions: Path) -> Path:
    """The hosted notebook with the cells of the solution in place of the learner's."""
    notebook = nbformat.read(path, as_version=4)
    solved = nbformat.read(solutions / path.name, as_version=4)
    sources = {cell.id: cell.source for cell in solved.cells}
    for cell in notebook.cells:
        cell.source = sources.get(cell.id, cell.source)
    out = path.with_stem(f"{path.stem}_answered")
    out.write_text(nbformat.writes(notebook), "utf-8")
    return out


def run(python: Path, path: Path, folder: Path) -> nbformat.NotebookNode:
    """Run it in a session of its own: an empty home, and nothing of this checkout on the path."""
    home = Path(tempfile.mkdtemp(dir=folder))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    subprocess.run(
        [python, "-m", "nbconvert", "--to", "notebook", "--execute", "--allow-errors", "--inplace",
         "--ExecutePreprocessor.timeout=600", path],
        cwd=home, env={**kept, "HOME": str(home)}, check=True, capture_output=True,
    )  # fmt: skip
    return nbformat.read(path, as_version=4)


if __name__ == "__main__":
    sys.exit(main())
