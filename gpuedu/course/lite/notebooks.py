"""The learner's notebooks for a browser tab: a first cell brings gpuedu into it."""

from __future__ import annotations

from pathlib import Path

import nbformat

from gpuedu.course.lite.wheels import BESIDE, FOR_CUDA_C
from gpuedu.course.signposts import drop_ways_in
from gpuedu.syllabus import Lesson, ready_lessons

# Elsewhere, say in JupyterLab after a download, gpuedu is there already and the cell does nothing.
CELL = """\
# Run this cell first. It brings gpuedu into this browser tab; your computer stays as it is.
import sys

if sys.platform == "emscripten":
    import piplite

    await piplite.install("<names>".split(), deps=False)
    from gpuedu.course.tab.session import begin

    await begin("<lesson>"<options>)
"""


def tab_lessons() -> tuple[Lesson, ...]:
    """The lessons that a tab can run."""
    return tuple(entry for entry in ready_lessons() if entry.tab)


def write_notebooks(root: Path, out: Path) -> list[Path]:
    """Write the notebook of each lesson that a tab can run into ``out``; returns the files."""
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for entry in tab_lessons():
        path = root / "notebooks" / entry.folder / f"{entry.folder}.ipynb"
        notebook = for_tab(nbformat.read(path, as_version=4), entry.folder)
        written.append(out / path.name)
        written[-1].write_text(nbformat.writes(notebook) + "\n", "utf-8")
    return written


def for_tab(notebook: nbformat.NotebookNode, folder: str) -> nbformat.NotebookNode:
    """A lesson's notebook with the first cell of a tab, and the tab's kernel; it is changed."""
    has_cuda_c = any(
        "__global__" in cell.source or "Kernel(" in cell.source for cell in notebook.cells
    )
    names = ["gpuedu", *(name for name in BESIDE if has_cuda_c or name != FOR_CUDA_C)]
    source = CELL.replace("<lesson>", folder).replace("<names>", " ".join(names))
    source = source.replace("<options>", ", cuda_c=True" if has_cuda_c else "")
    first = nbformat.v4.new_code_cell(
        source.rstrip(), id="install", metadata={"gpuedu": {"role": "code"}}
    )
    drop_ways_in(notebook)
    notebook.cells.insert(0, first)
    notebook.metadata["kernelspec"] = {
        "name": "python",
        "display_name": "Python (Pyodide)",
        "language": "python",
    }
    return notebook
