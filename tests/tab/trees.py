"""A tree of CUDA C as plain values; as a script in the tab, those of many texts.

The script reads ``texts.json``, a list, in ``/work``, and writes ``trees.json`` beside it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def plain_tree(root: Any) -> list[list[Any]]:
    """Every node below a root, from the top: its depth and what it tells of itself."""
    return list(_nodes(root, 0))


def _nodes(node: Any, depth: int) -> Iterator[list[Any]]:
    start, end = node.start_point, node.end_point
    yield [
        *(depth, node.type, node.is_named, node.is_missing, node.has_error, node.start_byte),
        *(start.row, start.column, end.row, end.column),
        (node.text or b"").decode(),
    ]
    for child in node.children:
        yield from _nodes(child, depth + 1)


def main() -> None:
    """The script."""
    from gpuedu.simt.cuda_c.parser import root_of

    folder = Path("/work")
    texts = json.loads((folder / "texts.json").read_text("utf-8"))
    trees = [plain_tree(root_of(text)) for text in texts]
    (folder / "trees.json").write_text(json.dumps(trees), "utf-8")


if __name__ == "__main__":
    main()
