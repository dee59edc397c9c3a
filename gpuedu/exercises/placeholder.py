"""Tell a cell that nobody has filled in yet from an answer."""

from __future__ import annotations

import inspect
from contextlib import suppress
from itertools import pairwise
from typing import Any

from gpuedu.triton import is_kernel

WORDS = "YOUR CODE HERE"
MARKER = f"# {WORDS}"
"""The line that a blank begins with; the next line is ``...``, which the learner replaces."""

C_MARKER = f"// {WORDS}"
"""The same inside a text of CUDA C."""


def has_placeholder(answer: Any, depth: int = 4) -> bool:
    """Whether a learner's object is still, or still holds, the ``...`` of an unsolved notebook.

    A dict or tuple counts while nothing in it is filled in. For a function, its source is searched
    for the marker with ``...`` on the next line. So is the source of a CUDA C kernel, and a text
    that is itself an answer, such as a Dockerfile.

    >>> has_placeholder(...), has_placeholder({"a": (..., ...)}), has_placeholder({"a": (1, ...)})
    (True, True, False)
    """
    if answer is ...:
        return True
    if type(answer) in (dict, list, tuple):
        values = list(answer.values()) if type(answer) is dict else answer
        return depth > 0 and bool(values) and all(has_placeholder(v, depth - 1) for v in values)
    code = answer if type(answer) is str else _cuda_c_of(answer)
    if code:
        return source_has_placeholder(code)
    with suppress(Exception):  # no source, or an object that raises for any name
        return source_has_placeholder(inspect.getsource(_function_of(answer)))
    return False


def _function_of(answer: Any) -> Any:
    """The function of a kernel, in Numba or in Triton; anything else as it is."""
    for _ in range(4):  # Triton's kernels lie in those of `autotune` and `heuristics`
        if not is_kernel(answer):
            break
        answer = answer.fn
    return inspect.getattr_static(answer, "py_func", answer)


def _cuda_c_of(answer: Any) -> str:
    """What a learner wrote of a raw, elementwise or reduction kernel; empty for anything else."""
    with suppress(Exception):  # a learner's object may answer a question for a name by anything
        texts = [getattr(answer, name, "") for name in ("code", "operation", "preamble")]
        return "\n".join(text for text in texts if type(text) is str).strip()
    return ""


def source_has_placeholder(source: str) -> bool:
    r"""Whether source text still has the marker with ``...`` right below it.

    >>> source_has_placeholder("def f():\n    # YOUR CODE HERE (about 2 lines)\n    ...")
    True
    >>> source_has_placeholder("def f():\n    # YOUR CODE HERE\n    return 1")
    False
    """
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    return any(
        line.startswith((MARKER, C_MARKER)) and below.startswith("...")
        for line, below in pairwise(lines)
    )
