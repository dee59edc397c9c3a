"""A new release's notebook in a browser tab: merged with the learner's by cell id, as an update is.

Once saved, the learner's copy is in the browser and hides the one that the site serves, so it would
stay as it was forever.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gpuedu.course.workspace.merge import Counts, merge
from gpuedu.course.workspace.nodes import NotebookNode, from_dict


def read_notebook(text: str) -> NotebookNode:
    """A notebook of format 4, its cells' texts joined to one string each."""
    notebook = from_dict(json.loads(text))
    for cell in notebook.cells:
        cell.source = "".join(cell.source)
        cell.setdefault("metadata", NotebookNode())
    return notebook


def bring(path: Path, former: str | None, released: str) -> Counts | None:
    """Bring a release into the learner's notebook at ``path``; None if there is nothing to do.

    Args:
        path: the notebook as the learner sees it.
        former: the released text that it was made from; None if this is the first time.
        released: the text that the site serves now.
    """
    if former is None or former == released or not path.is_file():
        return None
    mine = path.read_text("utf-8")
    merged = merge(read_notebook(former), read_notebook(mine), read_notebook(released))
    if _same(merged.notebook, read_notebook(mine)):
        return None
    _rewrite(path, json.dumps(merged.notebook, indent=1, ensure_ascii=False).encode())
    return merged.counts


def _rewrite(path: Path, data: bytes) -> None:
    """Replace what is in a file without making it shorter on the way.

    JupyterLite parses a notebook at each change of its size, and a kernel that empties one waits
    for ever. So what is over of a longer file becomes spaces, which JSON does not mind.
    """
    with path.open("r+b") as file:
        size_bytes = len(file.read())
        file.seek(0)
        file.write(data.ljust(size_bytes))


def _same(one: Any, other: Any) -> bool:
    return [(c.id, c.source) for c in one.cells] == [(c.get("id"), c.source) for c in other.cells]
