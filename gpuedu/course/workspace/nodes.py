"""The parts of a notebook as dictionaries with attributes: nbformat's, or an equivalent in a tab.

nbformat brings compiled packages that a browser tab does not have, and merging needs only these two
of its names.
"""

from __future__ import annotations

from typing import Any

try:
    from nbformat import NotebookNode, from_dict
except ModuleNotFoundError:

    class NotebookNode(dict):  # type: ignore[no-redef]
        """A dictionary whose entries are attributes, too."""

        def __getattr__(self, name: str) -> Any:
            """The entry of this name."""
            try:
                return self[name]
            except KeyError:
                raise AttributeError(name) from None

        __setattr__ = dict.__setitem__
        __delattr__ = dict.__delitem__

    def from_dict(value: Any) -> Any:
        """A copy in which every dictionary is a NotebookNode."""
        if isinstance(value, dict):
            return NotebookNode({key: from_dict(entry) for key, entry in value.items()})
        if isinstance(value, (tuple, list)):
            return [from_dict(entry) for entry in value]
        return value


__all__ = ["NotebookNode", "from_dict"]
