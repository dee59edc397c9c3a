"""The one place that knows which build of tree-sitter reads CUDA C here.

It is the Python binding, wherever that is installed. In a browser tab it is the WebAssembly build,
which takes a moment to load: ``web_parser.prepare`` is awaited first, and registers it with
``use``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from gpuedu import needs
from gpuedu.errors import MissingPackageError
from gpuedu.simt.cuda_c.nodes import Node

TreeOf = Callable[[str], Node]
_given: list[TreeOf] = []
_why_not: list[str] = []


class ParserMissingError(MissingPackageError):
    """CUDA C cannot be read in this browser tab: no parser was loaded."""


def use(tree_of: TreeOf) -> None:
    """Read every further text with this function."""
    _given[:] = [tree_of]


def is_given() -> bool:
    """Whether ``use`` named a parser."""
    return bool(_given)


def note_failure(reason: str) -> None:
    """Remember why a browser tab's parser could not be loaded, for the error where it is needed."""
    _why_not[:] = [reason]


def root_of(text: str) -> Node:
    """The root of a text's tree.

    Raises:
        MissingPackageError: There is no parser.
    """
    if _given:
        return _given[0](text)
    if needs.IN_TAB:
        raise ParserMissingError(
            "CUDA C cannot be read in this tab"
            + (f": {_why_not[0]}" if _why_not else ", because its parser was not loaded"),
            remedy="run the first cell of the lesson again; if that does not help, reload the page",
        )
    return _native().parse(text.encode()).root_node


@cache
def _native() -> Any:
    try:
        import tree_sitter
        import tree_sitter_cuda
    except ModuleNotFoundError as fault:
        raise needs.missing(fault.name or "tree_sitter") from fault
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))
