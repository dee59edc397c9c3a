"""Tell a cell that nobody has filled in yet from an answer."""

from __future__ import annotations

import inspect
from itertools import pairwise
from typing import Any

MARKER = "# YOUR CODE HERE"
"""The line that a blank begins with; the next line is ``...``, which the learner replaces."""


def has_placeholder(answer: Any, depth: int = 4) -> bool:
    """Whether a learner's object is still, or still holds, the ``...`` of an unsolved notebook.

    A dict or tuple counts while nothing in it is filled in. For a function its source is read: the
    marker with ``...`` on the next line.

    >>> has_placeholder(...), has_placeholder({"a": (..., ...)}), has_placeholder({"a": (1, ...)})
    (True, True, False)
    """
    if answer is ...:
        return True
    if type(answer) in (dict, list, tuple):
        values = list(answer.values()) if type(answer) is dict else answer
        return depth > 0 and bool(values) and all(has_placeholder(v, depth - 1) for v in values)
    function = inspect.getattr_static(answer, "py_func", answer)
    try:
        return source_has_placeholder(inspect.getsource(function))
    except (TypeError, OSError):
        return False


def source_has_placeholder(source: str) -> bool:
    r"""Whether source text still has the marker with ``...`` right below it.

    >>> source_has_placeholder("def f():\n    # YOUR CODE HERE (about 2 lines)\n    ...")
    True
    >>> source_has_placeholder("def f():\n    # YOUR CODE HERE\n    return 1")
    False
    """
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    return any(
        line.startswith(MARKER) and below.startswith("...") for line, below in pairwise(lines)
    )
