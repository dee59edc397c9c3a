"""Running the notebooks of a lesson, and reading what they showed."""

from __future__ import annotations

from nbformat import read

from tests.notebook_kernels import runner


def run(path, home, monkeypatch, **options):
    monkeypatch.setenv("GPUEDU_HOME", str(home))
    notebook = read(path, as_version=4)
    client = runner(notebook, timeout=120, resources={"metadata": {"path": str(home)}}, **options)
    return client.execute()


def points(notebook) -> dict[str, float]:
    """What each check cell displayed as its result."""
    return {
        cell.metadata.gpuedu.exercise: float(output.data["text/plain"])
        for cell in notebook.cells
        if cell.metadata.gpuedu.role == "check"
        for output in cell.outputs
        if output.output_type == "execute_result"
    }


def streams(notebook, name) -> list[str]:
    return [
        output.text
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "stream" and output.name == name
    ]
