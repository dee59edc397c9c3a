"""``wmma::fragment``: a matrix that a warp holds together, as a type.

From CUDA's table, those of half are known: 16x16x16, 32x8x16 and 8x32x16, with accumulators of half
or float. A thread's part is a structure with one member, ``x``, with as many elements as in
``mma.h``; CUDA leaves open which element of the matrix each of them is.

Source: CUDA C++ Programming Guide 12.9, "Warp Matrix Functions", "Element Types and Matrix Sizes".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import field, parts, short, text_of
from gpuedu.simt.cuda_c.types import FLOAT, HALF, ArrayOf, CType, Number, Struct

HEADER = "mma.h"
LAYOUTS = ("row_major", "col_major")
IN_MEMORY = {"mem_row_major": 0, "mem_col_major": 1}
"""The layout of an accumulator in memory, by name."""

_SIDES = {"matrix_a": (0, 2), "matrix_b": (2, 1), "accumulator": (0, 1)}
_SHAPES = ((16, 16, 16), (32, 8, 16), (8, 32, 16))
_NUMBERS = {"matrix_a": (HALF,), "matrix_b": (HALF,), "accumulator": (HALF, FLOAT)}
_LENGTHS = {"matrix_a": 16, "matrix_b": 16, "accumulator": 8}
_ELSEWHERE = ("__nv_bfloat16", "tf32", "double", "signed char", "unsigned char", "int8_t")


@dataclass(frozen=True)
class Fragment(Struct):
    """A warp's matrix: ``size`` is (M, N, K) of the product that it is made for."""

    use: str = ""
    size: tuple[int, int, int] = (16, 16, 16)
    element: Number = HALF
    by_columns: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of this matrix."""
        first, second = _SIDES[self.use]
        return self.size[first], self.size[second]

    @property
    def length(self) -> int:
        """``num_elements``: the elements of a thread."""
        return _LENGTHS[self.use]


class FragmentError(Exception):
    """A fragment that is not covered or does not exist: the node and why."""


def is_fragment(node: Node) -> bool:
    """Whether a specifier is spelled ``fragment<...>``, in whatever namespace."""
    inner = _template(node)
    return inner is not None and text_of(field(inner, "name")) == "fragment"


def fragment(node: Node, number: Callable[[Node], CType], length: Callable[[Node], int]) -> CType:
    """The type of ``wmma::fragment<use, M, N, K, T, layout>``.

    Args:
        node: The specifier.
        number: Gives the type of an argument.
        length: Gives the number of an argument.

    Raises:
        FragmentError: CUDA has no such fragment, or it is not covered here.
    """
    inner = _template(node)
    assert inner is not None
    given = parts(field(inner, "arguments"))
    if len(given) not in (5, 6):
        raise FragmentError(
            node, f"`{short(node)}`: a fragment has a use, M, N, K, a type and perhaps a layout"
        )
    use = _word(given[0])
    if use not in _SIDES:
        raise FragmentError(
            given[0], f"`{short(given[0])}` is not a use: that is matrix_a, matrix_b or accumulator"
        )
    size = tuple(length(_expression(part)) for part in given[1:4])
    if size not in _SHAPES:
        raise FragmentError(
            node,
            f"a fragment of {'x'.join(map(str, size))}: half has 16x16x16, 32x8x16 and 8x32x16 "
            "(M, N and K, the same three in all fragments of one product)",
        )
    return _made(node, given, use, size, _element(given[4], use, number))  # type: ignore[arg-type]


def _made(
    node: Node, given: list[Node], use: str, size: tuple[int, int, int], element: Number
) -> Fragment:
    layout = _word(given[5]) if len(given) == 6 else ""
    if use != "accumulator" and layout not in LAYOUTS:
        raise FragmentError(
            node, f"a fragment of {use} needs `wmma::row_major` or `wmma::col_major` as the last"
        )
    if use == "accumulator" and layout not in ("", "void"):
        raise FragmentError(
            given[5], "an accumulator has no layout: loading and storing it take one"
        )
    shown = ", ".join([f"wmma::{use}", *map(str, size), str(element)])
    shown += f", wmma::{layout}" if use != "accumulator" else ""
    members = (("x", ArrayOf(element, _LENGTHS[use])),)
    return Fragment(
        f"wmma::fragment<{shown}>", members, 0, use, size, element, layout == "col_major"
    )


def _element(node: Node, use: str, number: Callable[[Node], CType]) -> Number:
    if _word(node) in _ELSEWHERE:
        raise FragmentError(node, f"a fragment of `{short(node)}` is not covered here, half is")
    made = number(node)
    if made not in _NUMBERS[use]:
        wanted = " or ".join(map(str, _NUMBERS[use]))
        raise FragmentError(node, f"a fragment of {use} holds {wanted} here, not `{short(node)}`")
    assert isinstance(made, Number)
    return made


def _template(node: Node) -> Node | None:
    """The part with the arguments, behind the names of namespaces."""
    while node.type == "qualified_identifier":
        node = field(node, "name")
    return node if node.type == "template_type" else None


def _word(node: Node) -> str:
    """A name without its namespaces."""
    return short(node).rpartition("::")[2]


def _expression(node: Node) -> Node:
    """A number's name that the grammar takes for a type."""
    return parts(node)[0] if node.type == "type_descriptor" else node
