"""Before a submission is graded: put back what its notebook lost, by cell id.

nbgrader restores a deleted check cell only where the cell before it is still there, and gives up on
the whole submission otherwise. Here the notebook is rebuilt from the released one, the way a
workspace is updated: the learner's answers go into the released cells.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import NotebookNode
from nbgrader.preprocessors import NbGraderPreprocessor

from gpuedu.course.signposts import drop_ways_in
from gpuedu.course.workspace.merge import merge
from gpuedu.course.workspace.notebook_text import parse

RELEASE_FOLDER = "notebooks"


class RebuildFromRelease(NbGraderPreprocessor):
    """The released notebook with the learner's answers and own cells in it."""

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Rebuild one submission; nbgrader runs this in the course's root."""
        settings = resources["nbgrader"]
        release = self.release_for(settings)
        if release is None:  # a notebook that is not the course's
            return nb, resources
        mine = self.handed_in(nb, settings)
        for one in (mine, release):  # a hosted session's notebook has no such line
            drop_ways_in(one)
        rebuilt = merge(self.base_of(mine, settings), mine, release).notebook
        # A browser tab, or a learner's own computer, has kernels of names that are not here.
        rebuilt.metadata.kernelspec = release.metadata.kernelspec
        return rebuilt, resources

    def handed_in(self, nb: NotebookNode, settings: Mapping[str, Any]) -> NotebookNode:
        """The learner's notebook, which nbgrader has read as ``nb``."""
        return parse(nbformat.writes(nb).encode())

    def base_of(self, mine: NotebookNode, settings: Mapping[str, Any]) -> NotebookNode | None:
        """What the learner's notebook was made from; None if that is the released one."""
        return None

    def release_for(self, settings: Mapping[str, Any]) -> NotebookNode | None:
        """The released notebook for a submission, as nbgrader names it; None if there is none."""
        path = Path(RELEASE_FOLDER) / settings["assignment"] / f"{settings['notebook']}.ipynb"
        return parse(path.read_bytes()) if path.is_file() else None
