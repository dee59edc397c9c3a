"""Loops of CUDA C: ``while``, ``do`` and ``for``."""

from __future__ import annotations

import numpy as np

from gpuedu.simt.cuda_c.changes import carried_names, changed_names
from gpuedu.simt.cuda_c.conversions import truth
from gpuedu.simt.cuda_c.counting import count_loop, count_of
from gpuedu.simt.cuda_c.dispatch import STATEMENTS, block, evaluate, statement
from gpuedu.simt.cuda_c.lowerer import Lowerer
from gpuedu.simt.cuda_c.nodes import Node
from gpuedu.simt.cuda_c.syntax import bare, field, short, walk
from gpuedu.simt.program import Branch, Const, Loop
from gpuedu.simt.values import Scalar


@STATEMENTS.enter("while_statement")
def while_loop(k: Lowerer, node: Node) -> None:
    """``while (condition) body``."""
    test, body = field(node, "condition"), field(node, "body")
    _loop(k, node, test, body, None)


@STATEMENTS.enter("do_statement")
def do_loop(k: Lowerer, node: Node) -> None:
    """``do body while (condition)``: the test comes at the end of each iteration."""
    test, body = field(node, "condition"), field(node, "body")

    def at_end() -> None:
        _leave_unless(k, test)

    def lower(loop: Loop) -> None:
        loop.condition = Const(np.bool_(True))
        with k.builder.lowering(loop.body):
            k.frame.loops.append(at_end)
            block(k, body)
            k.frame.loops.pop()
            if k.builder.names is not None:
                at_end()

    k.at(node, k.builder.loop, lower, carried_names(k, node), k.place(node))


def _leave_unless(k: Lowerer, test: Node) -> None:
    """Leave the loop where a test, which may change variables, does not hold."""
    k.builder.mark(k.place(test))
    condition = truth(k, test, evaluate(k, test))
    if isinstance(condition, Const):
        if not condition.value:
            k.builder.leave_loop()
        return
    names = list(k.builder.names or ())
    site = k.tables.add("branches", Branch(k.place(test), short(bare(test))))
    k.builder.branch(condition, lambda: None, k.builder.leave_loop, names, site)


@STATEMENTS.enter("for_statement")
def for_loop(k: Lowerer, node: Node) -> None:
    """``for (begin; condition; update) body``; one that counts becomes a counted loop."""
    with k.scope():
        begin = node.child_by_field_name("initializer")
        counted = count_of(k, node)
        if counted is not None:
            k.builder.mark(k.place(node))
            count_loop(k, node, counted)
            return
        k.builder.mark(k.place(node))
        if begin is not None:
            if begin.type == "declaration":
                statement(k, begin)
            else:
                evaluate(k, begin)
        test, update = node.child_by_field_name("condition"), node.child_by_field_name("update")
        _loop(k, node, test, field(node, "body"), update)


def _loop(k: Lowerer, node: Node, test: Node | None, body: Node, update: Node | None) -> None:
    def advance() -> None:
        if update is not None:
            k.builder.mark(k.place(update))
            evaluate(k, update)

    changes = test is not None and any(changed_names(k, part) for part in walk(test))

    def lower(loop: Loop) -> None:
        loop.condition = Const(np.bool_(True))
        with k.builder.lowering(loop.test):
            if test is not None and not changes:
                k.builder.mark(k.place(test))
                inner = bare(test)
                loop.condition = truth(k, inner, evaluate(k, inner))
                if not isinstance(loop.condition, Const):
                    entry = Branch(k.place(test), short(inner))
                    loop.branch = k.tables.add("branches", entry)
        with k.builder.lowering(loop.body):
            if test is not None and changes:
                _leave_unless(k, test)
            k.frame.loops.append(advance)
            if k.builder.names is not None:
                block(k, body)
            k.frame.loops.pop()
            if k.builder.names is not None:
                advance()

    k.at(node, k.builder.loop, lower, carried_names(k, node), k.place(node))


@STATEMENTS.enter("continue_statement")
def next_turn(k: Lowerer, node: Node) -> None:
    """``continue``: a ``for`` still takes its step, a ``do`` still tests."""
    if not k.frame.loops:
        raise k.refuse(node, "`continue` is outside a loop")
    step = k.frame.loops[-1]
    if isinstance(step, str):  # inside of a switch, which is left first
        assert k.builder.names is not None
        k.builder.names[step] = Scalar(Const(np.bool_(True)))
        k.builder.leave_loop()
        return
    step()
    if k.builder.names is not None:
        k.builder.next_iteration()
