"""``switch``: a chain of tests, or a loop of one iteration if cases fall through."""

from __future__ import annotations

import numpy as np

from gpuedu.simt.cuda_c.changes import carried_names
from gpuedu.simt.cuda_c.conversions import truth
from gpuedu.simt.cuda_c.dispatch import STATEMENTS, evaluate, run
from gpuedu.simt.cuda_c.loops import next_turn
from gpuedu.simt.cuda_c.lowerer import Lowerer, Typed
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.operators import binary
from gpuedu.simt.cuda_c.syntax import bare, field, parts, short
from gpuedu.simt.program import BOOL, Binary, Branch, Const, Expression, Loop, Unary
from gpuedu.simt.values import Scalar


@STATEMENTS.enter("switch_statement")
def switch(k: Lowerer, node: Node) -> None:
    """``switch``: a chain of ``if`` if no case falls through, otherwise a loop of one iteration."""
    test, body = field(node, "condition"), field(node, "body")
    with k.scope():
        value = evaluate(k, bare(test))
        value = Typed(value.type, k.builder.hold(value.value))
        cases = [part for part in parts(body) if part.type == "case_statement"]
        if len(cases) != len(parts(body)):
            first = next(part for part in parts(body) if part.type != "case_statement")
            raise k.refuse(first, "a statement before the first `case` is not covered")
        if all(_ends(case) for case in cases if _statements(case)) and not _breaks_inside(cases):
            _chain(k, node, value, cases)
        else:
            _one_turn(k, node, value, cases)


def _statements(case: Node) -> list[Node]:
    value = case.child_by_field_name("value")
    return [part for part in parts(case) if part != value]


def _flat(nodes: list[Node]) -> list[Node]:
    """Statements, a block around them opened."""
    if len(nodes) == 1 and nodes[0].type == "compound_statement":
        return _flat(parts(nodes[0]))
    if nodes and nodes[0].type == "compound_statement" and len(nodes) == 2:
        return [*parts(nodes[0]), nodes[1]]
    return nodes


def _ends(case: Node) -> bool:
    last = _flat(_statements(case))[-1:]
    return (
        not last
        or last[0].type
        in (
            "break_statement",
            "return_statement",
            "continue_statement",
        )
        or case.next_named_sibling is None
    )


def _breaks_inside(cases: list[Node]) -> bool:
    """True if a ``break`` of the switch stands anywhere but at the end of its case."""

    def inner(node: Node) -> bool:
        if node.type in ("for_statement", "while_statement", "do_statement", "switch_statement"):
            return False
        return node.type == "break_statement" or any(map(inner, parts(node)))

    return any(inner(part) for case in cases for part in _body(case))


def _body(case: Node) -> list[Node]:
    nodes = _flat(_statements(case))
    return nodes[:-1] if nodes and nodes[-1].type == "break_statement" else nodes


def _groups(
    cases: list[Node], *, whole: bool = False
) -> list[tuple[list[Node | None], list[Node]]]:
    """Labels and bodies: empty cases fall into the next one. None stands for ``default``.

    The ``break`` at a body's end is left out, but not if it is wanted ``whole``.
    """
    groups: list[tuple[list[Node | None], list[Node]]] = []
    labels: list[Node | None] = []
    for case in cases:
        labels.append(case.child_by_field_name("value"))
        if _statements(case) or case is cases[-1]:
            groups.append((labels, _statements(case) if whole else _body(case)))
            labels = []
    return groups


def _matches(k: Lowerer, value: Typed, labels: list[Node | None]) -> Expression:
    found: Expression = Const(np.bool_(False))
    for label in labels:
        if label is not None:
            same = truth(k, label, binary(k, label, "==", value, evaluate(k, label)))
            found = same if isinstance(found, Const) else Binary("|", found, same, BOOL)
    return found


def _chain(k: Lowerer, node: Node, value: Typed, cases: list[Node]) -> None:
    groups = _groups(cases)
    default = next((body for labels, body in groups if None in labels), [])
    others = [(labels, body) for labels, body in groups if None not in labels]
    _tests(k, node, value, others, default)


def _tests(
    k: Lowerer,
    node: Node,
    value: Typed,
    groups: list[tuple[list[Node | None], list[Node]]],
    default: list[Node],
) -> None:
    def body(nodes: list[Node]) -> None:
        with k.scope():
            run(k, nodes)

    if not groups:
        body(default)
        return
    (labels, nodes), rest = groups[0], groups[1:]
    condition = _matches(k, value, labels)
    if isinstance(condition, Const):
        body(nodes) if condition.value else _tests(k, node, value, rest, default)
        return
    first = labels[0] or node
    entry = Branch(k.place(first), f"case {short(first)}")
    k.builder.branch(
        condition,
        lambda: body(nodes),
        lambda: _tests(k, node, value, rest, default),
        list(k.builder.names or ()),
        k.tables.add("branches", entry),
    )


def _one_turn(k: Lowerer, node: Node, value: Typed, cases: list[Node]) -> None:
    """Cases that fall through or break early: each runs where the threads have come that far."""
    groups = _groups(cases, whole=True)
    key = k.new_key("$entered")
    assert k.builder.names is not None
    again = k.new_key("$continued")
    carried = [*carried_names(k, node), key, again]
    for flag in (key, again):
        k.builder.names[flag] = Scalar(Const(np.bool_(False)))
    labels = [label for case in cases if (label := case.child_by_field_name("value")) is not None]
    anywhere = _matches(k, value, list(labels))
    anywhere = k.builder.keep(anywhere)

    def lower(loop: Loop) -> None:
        loop.condition = Const(np.bool_(True))
        with k.builder.lowering(loop.body):
            k.frame.loops.append(again)
            for group, nodes in groups:
                if k.builder.names is None:
                    break
                _enter_case(k, node, value, group, nodes, key, anywhere)
            k.frame.loops.pop()
            k.builder.leave_loop()

    k.at(node, k.builder.loop, lower, carried, k.place(node))
    if k.builder.names is None or not _continues(node):
        return
    asked, names = k.builder.names[again], list(k.builder.names)
    assert isinstance(asked, Scalar)
    k.builder.branch(asked.expression, lambda: next_turn(k, node), lambda: None, names)


def _continues(node: Node) -> bool:
    """True if a ``continue`` of the loop around a switch stands in it."""
    inner = ("for_statement", "while_statement", "do_statement")
    return any(
        part.type == "continue_statement" or (part.type not in inner and _continues(part))
        for part in parts(node)
    )


def _enter_case(
    k: Lowerer,
    node: Node,
    value: Typed,
    labels: list[Node | None],
    nodes: list[Node],
    key: str,
    anywhere: Expression,
) -> None:
    names = k.builder.names
    assert names is not None
    entered = names[key]
    assert isinstance(entered, Scalar)
    here = _matches(k, value, labels)
    if None in labels:
        missed = Unary("not", anywhere, BOOL)
        here = missed if isinstance(here, Const) else Binary("|", here, missed, BOOL)
    condition = Binary("|", entered.expression, here, BOOL)

    def body() -> None:
        with k.scope():
            assert k.builder.names is not None
            k.builder.names[key] = Scalar(Const(np.bool_(True)))
            run(k, nodes)

    first = labels[0] or node
    site = k.tables.add("branches", Branch(k.place(first), f"case {short(first)[:40]}"))
    k.builder.branch(k.builder.keep(condition), body, lambda: None, list(names), site)
