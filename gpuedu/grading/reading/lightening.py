"""A learner's notebook without what no grader looks at, and no teacher should be shown."""

from __future__ import annotations

from typing import Any

from nbformat import NotebookNode

_OF_NOTEBOOK = ("gpuedu", "kernelspec")
_OF_CELL = ("gpuedu", "nbgrader")
_IN_CELL = ("cell_type", "id", "source")
_PLAIN = (str, int, float, bool, type(None))


def lightened(notebook: NotebookNode) -> NotebookNode:
    """Sources, ids, and the entries by which cells are recognized.

    Outputs, attachments and all other metadata may be of any size and depth, and what tools make of
    them (a cell that is not shown, say) is not for a learner to decide on a teacher's page.
    """
    return NotebookNode(
        metadata=_kept(notebook.get("metadata"), _OF_NOTEBOOK),
        cells=[_cell(cell) for cell in notebook.cells],
    )


def _cell(cell: NotebookNode) -> NotebookNode:
    metadata = cell.get("metadata")
    kept = _kept(metadata, _OF_CELL)
    if isinstance(metadata, dict) and isinstance(metadata.get("id"), str):
        kept["id"] = metadata["id"]  # where Colab keeps it
    lighter = NotebookNode({key: cell[key] for key in _IN_CELL if key in cell}, metadata=kept)
    if isinstance(lighter.get("source"), str):  # half a character can be written nowhere
        lighter.source = lighter.source.encode("utf-8", "replace").decode("utf-8")
    return lighter


def _kept(metadata: Any, names: tuple[str, ...]) -> NotebookNode:
    """The entries of these names, without what is nested in them."""
    found = metadata if isinstance(metadata, dict) else {}
    entries = {name: found[name] for name in names if isinstance(found.get(name), dict)}
    return NotebookNode(
        {
            name: NotebookNode({key: one for key, one in entry.items() if isinstance(one, _PLAIN)})
            for name, entry in entries.items()
        }
    )
