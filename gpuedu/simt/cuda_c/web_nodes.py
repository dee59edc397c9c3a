"""Nodes of a tree that JavaScript walked: numbers in one flat array, and a view of them.

``web_parser.mjs`` says what the numbers are. Its places are UTF-16 units, as JavaScript counts;
those of the nodes here are bytes of UTF-8, as in the native build.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain
from typing import NamedTuple

FIELDS = 7
_TYPE, _FIELD, _START, _END, _PARENT, _AFTER, _FLAGS = range(FIELDS)
_NAMED, _MISSING, _ERROR, _HAS_ERROR = 1, 2, 4, 8
_ERROR_TYPE = 65535


class Names(NamedTuple):
    """A grammar's names by number; field 0 is none."""

    types: Sequence[str]
    fields: Sequence[str | None]


class TextPlace(NamedTuple):
    """A place in a text, from 0; see ``nodes.Point``."""

    row: int
    column: int


class WebTree:
    """A whole tree. Each node is made once, when it is first asked for.

    Args:
        text: What was read.
        numbers: ``FIELDS`` a node.
        names: The grammar's.
    """

    def __init__(self, text: str, numbers: Sequence[int], names: Names) -> None:
        self.encoded = text.encode()
        self.numbers, self.names = numbers, names
        self._offsets = None if text.isascii() else _byte_offsets(text)
        self._made: dict[int, WebNode] = {}

    @property
    def root(self) -> WebNode:
        """The node of the whole text."""
        return self.node(0)

    def node(self, number: int) -> WebNode:
        """A node by its number, always the same object."""
        made = self._made.get(number)
        if made is None:
            made = self._made[number] = WebNode(self, number)
        return made

    def byte(self, unit: int) -> int:
        """The byte of UTF-8 at which a UTF-16 unit starts."""
        return unit if self._offsets is None else self._offsets[unit]

    def place(self, byte: int) -> TextPlace:
        """The row and column of a byte."""
        row = bisect_right(self._line_starts, byte) - 1
        return TextPlace(row, byte - self._line_starts[row])

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = (at + 1 for at, byte in enumerate(self.encoded) if byte == 10)
        return [0, *starts]


def _byte_offsets(text: str) -> list[int]:
    """The byte of UTF-8 of each UTF-16 unit, and of the end.

    >>> _byte_offsets("aé𝄞b")
    [0, 1, 3, 3, 7, 8]
    """
    sizes = ((len(one.encode()),) if one <= "\uffff" else (0, 4) for one in text)
    return list(accumulate(chain.from_iterable(sizes), initial=0))


class WebNode:
    """A node; see ``nodes.Node``."""

    __slots__ = ("_at", "_number", "_tree")

    def __init__(self, tree: WebTree, number: int) -> None:
        self._tree, self._number, self._at = tree, number, number * FIELDS

    def _get(self, which: int) -> int:
        return self._tree.numbers[self._at + which]

    @property
    def type(self) -> str:
        """Its name in the grammar."""
        kind = self._get(_TYPE)
        return "ERROR" if kind == _ERROR_TYPE else self._tree.names.types[kind]

    @property
    def text(self) -> bytes:
        """What it covers, in UTF-8."""
        return self._tree.encoded[self.start_byte : self._tree.byte(self._get(_END))]

    @property
    def start_byte(self) -> int:
        """Where it starts."""
        return self._tree.byte(self._get(_START))

    @property
    def start_point(self) -> TextPlace:
        """Where it starts, as row and column."""
        return self._tree.place(self.start_byte)

    @property
    def end_point(self) -> TextPlace:
        """Where the text after it starts."""
        return self._tree.place(self._tree.byte(self._get(_END)))

    @property
    def is_named(self) -> bool:
        """Whether the grammar names it."""
        return bool(self._get(_FLAGS) & _NAMED)

    @property
    def is_error(self) -> bool:
        """Whether it is text that the grammar does not allow."""
        return bool(self._get(_FLAGS) & _ERROR)

    @property
    def is_missing(self) -> bool:
        """Whether the parser inserted it."""
        return bool(self._get(_FLAGS) & _MISSING)

    @property
    def has_error(self) -> bool:
        """Whether it, or anything below it, is an error or is missing."""
        return bool(self._get(_FLAGS) & _HAS_ERROR)

    @property
    def parent(self) -> WebNode | None:
        """The node above; None for the root."""
        number = self._get(_PARENT)
        return None if number < 0 else self._tree.node(number)

    def _below(self) -> Iterator[int]:
        """The numbers of the nodes right below."""
        number, after, numbers = self._number + 1, self._get(_AFTER), self._tree.numbers
        while number < after:
            yield number
            number = numbers[number * FIELDS + _AFTER]

    @property
    def children(self) -> list[WebNode]:
        """All nodes directly below."""
        return [self._tree.node(number) for number in self._below()]

    @property
    def named_children(self) -> list[WebNode]:
        """Those of them that have a name."""
        return [child for child in self.children if child.is_named]

    @property
    def next_named_sibling(self) -> WebNode | None:
        """The next node with a name under the same parent."""
        beside = () if self.parent is None else self.parent.named_children
        return next((node for node in beside if node._number > self._number), None)

    @property
    def field_name(self) -> str | None:
        """The name by which its parent calls it."""
        number = self._get(_FIELD)
        return self._tree.names.fields[number] if number else None

    def child_by_field_name(self, name: str, /) -> WebNode | None:
        """The first child of that field."""
        return next(iter(self.children_by_field_name(name)), None)

    def children_by_field_name(self, name: str, /) -> list[WebNode]:
        """All of them."""
        return [child for child in self.children if child.field_name == name]

    def __repr__(self) -> str:
        return f"<WebNode {self.type}, {self.start_point} to {self.end_point}>"
