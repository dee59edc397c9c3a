"""What a notebook's outputs say: its cards, the points of each exercise, its errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Notebook = dict[str, Any]


def text_of(value: str | list[str]) -> str:
    """A text of the notebook format, which may be a list of lines."""
    return value if isinstance(value, str) else "".join(value)


def code_cells(notebook: Notebook) -> list[dict[str, Any]]:
    """The cells of code, in order."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def cell_of(notebook: Notebook, name: str) -> dict[str, Any]:
    """The cell with this id."""
    return next(cell for cell in notebook["cells"] if cell["id"] == name)


def source_of(notebook: Notebook, name: str) -> str:
    """The source of the cell with this id."""
    return text_of(cell_of(notebook, name)["source"])


def cards_of(cell: dict[str, Any]) -> list[str]:
    """The cards that a cell drew, as plain text: all that a learner reads, whoever draws it."""
    return [text for html, text in _shown(cell) if 'class="gpuedu-card' in html]


def points_of(cell: dict[str, Any]) -> float | None:
    """The result of a cell that ends with ``check``; None where there is none."""
    found = [
        text for html, text in _shown(cell) if "gpuedu-points" in html and "<style>" not in html
    ]
    return float(found[-1]) if found else None


def _shown(cell: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for output in cell["outputs"]:
        data = output.get("data", {})
        yield text_of(data.get("text/html", "")), text_of(data.get("text/plain", ""))


def errors_of(notebook: Notebook) -> list[str]:
    """Exceptions that ended a cell, and what was written to the stream of errors."""
    found = []
    for cell in code_cells(notebook):
        for output in cell["outputs"]:
            if output["output_type"] == "error":
                found.append(f"{cell['id']}: {output['ename']}: {output['evalue']}")
            elif output.get("name") == "stderr":
                found.append(f"{cell['id']}: {text_of(output['text'])}")
    return found


def earned(notebook: Notebook) -> dict[str, float]:
    """Points by exercise, from the cells that check; a cell that did not run gives none."""
    return {
        cell["metadata"]["gpuedu"]["exercise"]: points_of(cell) or 0.0
        for cell in code_cells(notebook)
        if cell["metadata"].get("gpuedu", {}).get("role") == "check"
    }


def streams_of(cell: dict[str, Any]) -> str:
    """What a cell printed."""
    return "".join(text_of(o["text"]) for o in cell["outputs"] if o.get("name") == "stdout")
