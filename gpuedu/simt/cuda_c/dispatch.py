"""Values, places and statements by their kinds: a module asks here for what another one lowers.

An expression may hold any other, a statement any expression, and an extent one too: so the modules
that lower them enter their handlers in tables, and ``outline`` imports them all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpuedu.simt.cuda_c.access import read
from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.places import PlaceOf, Temporary
from gpuedu.simt.cuda_c.syntax import bare, operator_of, parts, short
from gpuedu.simt.cuda_c.types import CType
from gpuedu.simt.handlers import Handlers
from gpuedu.simt.program import Statement

VALUES = Handlers()
"""``handler(lowerer, node)`` gives the value of an expression that names no place."""
PLACES = Handlers()
"""``handler(lowerer, node)`` gives the place that an expression names; None if it names none."""
STATEMENTS = Handlers()
"""``handler(lowerer, node)`` lowers a statement."""

BUILDERS = Handlers()
"""``BUILDERS["structure"](lowerer, node, type, arguments, is_list=...)`` makes an object."""

OPERATORS = Handlers()
"""``OPERATORS["compound"](lowerer, node, sign, left, right)``: the place of ``a += b``, or None."""

PLACE_KINDS = frozenset(
    {"identifier", "subscript_expression", "field_expression", "pointer_expression", "this"}
)
_SILENT = frozenset({"compound_statement", "while_statement", "for_statement", "do_statement"})


def evaluate(k: Lowerer, node: Node) -> Typed:
    """The value of an expression; an array decays to a pointer."""
    node = bare(node)
    is_address = node.type == "pointer_expression" and operator_of(node) == "&"
    if node.type in PLACE_KINDS and not is_address:
        return read(k, node, place_of(k, node))
    return _evaluate_value(k, node)


def _evaluate_value(k: Lowerer, node: Node) -> Typed:
    handler = VALUES.get(node.type)
    if handler is None:
        raise k.refuse(node, _not_covered(node))
    return handler(k, node)


def _not_covered(node: Node) -> str:
    return f"`{short(node)[:60]}` is not covered ({node.type.replace('_', ' ')})"


def place_of(k: Lowerer, node: Node) -> PlaceOf:
    """The place that an expression names; a plain value if it names none."""
    node = bare(node)
    handler = PLACES.get(node.type)
    found = None if handler is None else handler(k, node)
    return Temporary(_evaluate_value(k, node)) if found is None else found


def evaluate_all(k: Lowerer, given: Sequence[Node]) -> list[Typed]:
    """The values of expressions in order, each computed before the next."""
    found = []
    for part in given:
        typed = evaluate(k, part)
        found.append(Typed(typed.type, k.builder.hold(typed.value)))
    return found


def unevaluated(
    k: Lowerer, node: Node, look: Callable[[Lowerer, Node], Typed | PlaceOf] = evaluate
) -> CType:
    """The type of an expression that no thread runs.

    An array decays to a pointer, but not if it is treated as a place, by ``place_of``.
    """
    mark, names = k.tables.mark(), k.builder.names
    nowhere: list[Statement] = []
    with k.builder.lowering(nowhere):
        k.builder.names = None if names is None else dict(names)
        found = look(k, node).type
    k.tables.rewind(mark)
    k.builder.names = names
    return found


def run(k: Lowerer, nodes: list[Node]) -> None:
    """Statements in order, until no thread can go on."""
    for node in nodes:
        if k.builder.names is None:
            return
        statement(k, node)


def block(k: Lowerer, node: Node) -> None:
    """A statement with its own scope."""
    with k.scope():
        run(k, parts(node) if node.type == "compound_statement" else [node])


def statement(k: Lowerer, node: Node) -> None:
    """One statement."""
    if node.type not in _SILENT:
        k.builder.mark(k.place(node))
    handler = STATEMENTS.get(node.type)
    if handler is None:
        raise k.refuse(node, _not_covered(node))
    handler(k, node)
