"""Run a notebook on this machine, outside of any browser: ``python -m tests.tab.lite.native IN OUT``.

A process of its own, so that a test's settings, and the browser that it drives, stay out of it.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.tab.lite.outputs import Notebook

ROOT = Path(__file__).resolve().parents[3]


class Native:
    """A notebook that runs beside, for the length of a block; ``result`` waits for its end."""

    def __init__(self, notebook: Notebook) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="gpuedu-native-")
        self._out = Path(self._home.name, "out.ipynb")
        source = Path(self._home.name, "in.ipynb")
        source.write_text(json.dumps(notebook), "utf-8")
        self._run = subprocess.Popen(
            [sys.executable, "-m", "tests.tab.lite.native", str(source), str(self._out)],
            cwd=ROOT, env=_environment(self._home.name), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def __enter__(self) -> Native:
        return self

    def __exit__(self, *_: object) -> None:
        if self._run.poll() is None:
            self._run.terminate()
            self._run.communicate()
        self._home.cleanup()

    def result(self) -> Notebook:
        """The notebook with its outputs."""
        told, _ = self._run.communicate()
        if self._run.returncode:
            raise RuntimeError(f"the notebook did not run natively:\n{told[-2000:]}")
        return json.loads(self._out.read_text("utf-8"))


def _environment(home: str) -> dict[str, str]:
    """A learner's, without what a class or another test sets."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("GPUEDU_SEED", "NBGRADER_EXECUTION")
    }
    own = {"GPUEDU_HOME": f"{home}/progress", "IPYTHONDIR": f"{home}/ipython"}
    return kept | own | {"PYTHONPATH": str(ROOT)}


def main(source: Path, out: Path) -> None:
    """Run every cell, as Run All does: an exception ends it, and stays where it happened."""
    import nbformat
    from nbclient.exceptions import CellExecutionError

    from tests.notebook_kernels import runner

    notebook = nbformat.read(source, as_version=4)
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "", "language": "python"}
    client = runner(notebook, timeout=None, resources={"metadata": {"path": out.parent}})
    with contextlib.suppress(CellExecutionError):
        client.execute()
    nbformat.write(notebook, out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
