"""Run a notebook on this machine, outside of any browser: ``python -m tests.tab.site.native IN OUT``.

A process of its own, so that a test's settings, and the browser that it drives, stay out of it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]


class Native:
    """A notebook that runs beside; ``result`` waits for its end."""

    def __init__(self, notebook: dict[str, Any], folder: Path) -> None:
        self._home = tempfile.TemporaryDirectory(dir=folder)
        self._out = Path(self._home.name, "out.ipynb")
        source = Path(self._home.name, "in.ipynb")
        source.write_text(json.dumps(notebook), "utf-8")
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "GPUEDU_HOME": str(Path(self._home.name, "progress")),
            "IPYTHONDIR": str(Path(self._home.name, "ipython")),
        }
        for name in ("GPUEDU_SEED", "NBGRADER_EXECUTION"):
            environment.pop(name, None)
        self._run = subprocess.Popen(
            [sys.executable, "-m", "tests.tab.site.native", str(source), str(self._out)],
            cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def result(self) -> dict[str, Any]:
        """The notebook with its outputs."""
        told, _ = self._run.communicate()
        if self._run.returncode:
            raise RuntimeError(f"the notebook did not run natively:\n{told[-2000:]}")
        notebook = json.loads(self._out.read_text("utf-8"))
        self._home.cleanup()
        return notebook


def main(source: Path, out: Path) -> None:
    """Run every cell, as Run All does: an exception ends it, and stays where it happened."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.read(source, as_version=4)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "", "language": "python"}
    client = NotebookClient(notebook, timeout=None, resources={"metadata": {"path": out.parent}})
    try:
        client.execute()
    except CellExecutionError:
        pass
    nbformat.write(notebook, out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
