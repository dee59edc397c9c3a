"""Run a notebook's cells in a kernel, with a home of its own for what they keep."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gpuedu.errors import GpueduError

if TYPE_CHECKING:
    from nbformat import NotebookNode

_TIMEOUT_S = 300


def read_notebook(root: Path, tree: str, folder: str) -> NotebookNode:
    """A lesson's notebook in ``solutions`` or ``notebooks``; GpueduError where there is none."""
    import nbformat

    path = root / tree / folder / f"{folder}.ipynb"
    if not path.is_file():
        raise GpueduError(f"there is no {path}", remedy="`gpuedu build`")
    return nbformat.read(path, as_version=4)


def execute(notebook: NotebookNode, name: str) -> None:
    """Run all cells, which keep their outputs; the learner's progress is left alone.

    Raises:
        GpueduError: a cell fails: the notebook's name and what the cell said.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError
    from traitlets.config import Config

    with tempfile.TemporaryDirectory(prefix="execution-") as home:
        sockets = Config(KernelManager={"transport": "ipc", "ip": f"{home}/kernel"})
        client = NotebookClient(
            notebook, timeout=_TIMEOUT_S, resources={"metadata": {"path": home}}, config=sockets
        )
        try:
            client.execute(env={**os.environ, "GPUEDU_HOME": home})
        except CellExecutionError as fault:
            told = str(fault).strip().splitlines()[-1]
            raise GpueduError(f"{name}: a cell fails: {told}") from fault
