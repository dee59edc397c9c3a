"""Bytes to a clean nbformat 4.5 notebook and back (pure).

Learners' files come out of JupyterLab, VS Code, Colab and years of upgrades: ids may be missing or
doubled, the minor version old, unknown keys added. Reading keeps every source and drops only what
the format does not allow.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import nbformat
from nbformat import NotebookNode

_KEYS = {
    "code": ("cell_type", "id", "metadata", "source", "outputs", "execution_count"),
    "markdown": ("cell_type", "id", "metadata", "source", "attachments"),
    "raw": ("cell_type", "id", "metadata", "source", "attachments"),
}


class UnreadableNotebookError(ValueError):
    """The bytes are not a notebook: bad JSON, not UTF-8, empty, or a format from the future."""


def parse(
    data: bytes, before_upgrade: Callable[[NotebookNode], None] = lambda _: None
) -> NotebookNode:
    """Read a notebook of any format version, as it is, with its cells joined to plain strings.

    Ids may be missing or doubled in the result. Raises UnreadableNotebookError.

    Args:
        data: the bytes of its file.
        before_upgrade: is called with a notebook of an older format, before two passes over all of
            it, so this is the place to refuse it or to take something out.

    >>> parse(b'{"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": []}').cells
    []
    """
    try:
        found = nbformat.reader.reads(data.decode("utf-8-sig"))
        if "nbformat" not in found:
            raise ValueError("no nbformat in it")
        if found.nbformat < 4:
            before_upgrade(found)
            found = nbformat.convert(found, 4)
            for cell in found.cells:
                cell.pop("id", None)  # drawn by chance in the upgrade: it would identify nothing
        if not all(isinstance(cell["source"], str) for cell in found.cells):
            raise ValueError("a cell without source")
    except (MemoryError, OSError, ImportError):
        raise  # the machine's fault, not the file's
    except Exception as fault:  # converters of old formats raise whatever a broken file leads to
        raise UnreadableNotebookError(f"{type(fault).__name__}: {str(fault)[:120]}") from fault
    return found


def clean(notebook: NotebookNode) -> NotebookNode:
    """A copy as format 4.5 has it: known cell types and keys only. Ids are left as they are."""
    metadata = notebook.get("metadata")
    return NotebookNode(
        nbformat=4,
        nbformat_minor=5,
        metadata=_copy(metadata) if isinstance(metadata, dict) else NotebookNode(),
        cells=[_clean_cell(cell) for cell in notebook.cells],
    )


def _clean_cell(cell: NotebookNode) -> NotebookNode:
    kind = cell.get("cell_type")
    kind = kind if isinstance(kind, str) and kind in _KEYS else "raw"
    kept = _copy(NotebookNode({key: cell[key] for key in _KEYS[kind] if key in cell}))
    kept.cell_type = kind
    if not isinstance(kept.get("id", ""), str):
        del kept["id"]
    if not isinstance(kept.get("metadata"), dict):
        kept.metadata = NotebookNode()
    if kind == "code":
        if not isinstance(kept.get("outputs"), list):
            kept.outputs = []
        kept.setdefault("execution_count", None)
    return kept


def _copy(node: NotebookNode) -> NotebookNode:
    return nbformat.from_dict(node)


def mend(notebook: NotebookNode) -> NotebookNode:
    """The notebook, valid: outputs, attachments and odd metadata of invalid cells are left out."""
    if _is_valid(notebook):
        return notebook
    mended = NotebookNode(
        {**notebook, "cells": [_mend_cell(notebook, cell) for cell in notebook.cells]}
    )
    if not _is_valid(mended):
        mended.metadata = NotebookNode()
    return mended


def _mend_cell(notebook: NotebookNode, cell: NotebookNode) -> NotebookNode:
    alone = NotebookNode({**notebook, "metadata": NotebookNode(), "cells": [cell]})
    if _is_valid(alone):
        return cell
    ours = {key: cell.metadata[key] for key in ("gpuedu", "nbgrader") if key in cell.metadata}
    plain = {"cell_type": cell.cell_type, "id": cell.id, "source": cell.source, "metadata": ours}
    if cell.cell_type == "code":
        plain |= {"outputs": [], "execution_count": None}
    return nbformat.from_dict(plain)


def _is_valid(notebook: NotebookNode) -> bool:
    try:
        nbformat.validate(notebook)
    except nbformat.ValidationError:
        return False
    return True


def is_same_notebook(one: NotebookNode, other: NotebookNode) -> bool:
    """Whether two notebooks hold the same, whatever their files look like (NaN equals NaN)."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def render(notebook: NotebookNode) -> bytes:
    """The notebook's bytes: the same notebook always gives the same bytes."""
    notebook_format = nbformat.versions[4]
    try:
        return (notebook_format.writes(notebook) + "\n").encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair, from a paste: only escapes can carry it
        return (notebook_format.writes(notebook, ensure_ascii=True) + "\n").encode("utf-8")
