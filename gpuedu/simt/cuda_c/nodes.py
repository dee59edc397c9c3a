"""What the front end asks of a syntax tree, whichever build of tree-sitter read the text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Point(Protocol):
    """A place in a text: row and column from 0, the column in bytes of UTF-8."""

    @property
    def row(self) -> int:
        """The line, from 0."""

    @property
    def column(self) -> int:
        """Bytes from the start of the line."""


class Node(Protocol):
    """A node of a tree. Two nodes are equal if they are the same place in the same tree."""

    @property
    def type(self) -> str:
        """Its name in the grammar."""

    @property
    def text(self) -> bytes | None:
        """What it covers, in UTF-8."""

    @property
    def start_byte(self) -> int:
        """Where it starts, in bytes of UTF-8."""

    @property
    def start_point(self) -> Point:
        """Where it starts."""

    @property
    def end_point(self) -> Point:
        """Where the text after it starts."""

    @property
    def is_named(self) -> bool:
        """Whether the grammar names it; signs and keywords have no name."""

    @property
    def is_error(self) -> bool:
        """Whether it is text that the grammar does not allow."""

    @property
    def is_missing(self) -> bool:
        """Whether the parser inserted it to be able to continue."""

    @property
    def has_error(self) -> bool:
        """Whether it, or anything below it, is an error or is missing."""

    @property
    def parent(self) -> Node | None:
        """The node above; None for the root."""

    @property
    def children(self) -> Sequence[Node]:
        """All nodes directly below."""

    @property
    def named_children(self) -> Sequence[Node]:
        """Those of them that have a name."""

    @property
    def next_named_sibling(self) -> Node | None:
        """The next node with a name under the same parent."""

    def child_by_field_name(self, name: str, /) -> Node | None:
        """The first child with a field's name in the grammar."""

    def children_by_field_name(self, name: str, /) -> Sequence[Node]:
        """All of them."""
