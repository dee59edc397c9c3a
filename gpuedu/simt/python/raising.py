"""``raise`` and ``assert`` in a kernel: the threads that get there end.

As with Numba, the host learns of it only if the kernel was made with ``debug=True``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from gpuedu.simt.program import BOOL, If, Inline, Loop, Raise, Special, Statement
from gpuedu.simt.python.dispatch import STATEMENTS, evaluate
from gpuedu.simt.python.lowerer import Lowerer
from gpuedu.simt.values import Scalar, Static


@STATEMENTS.enter(ast.Raise)
def throw(k: Lowerer, node: ast.Raise) -> None:
    """``raise``, with a class or with an object made of constants."""
    if node.exc is None:
        raise k.refuse(node, "there is no exception to raise again", "raise ValueError(...)")
    call = node.exc if isinstance(node.exc, ast.Call) else None
    value = evaluate(k, node.exc if call is None else call.func)
    kind = value.object if isinstance(value, Static) else None
    if isinstance(kind, BaseException):
        kind, arguments = type(kind), kind.args
    else:
        arguments = tuple(_constant(k, part) for part in call.args) if call else ()
    if not isinstance(kind, type) or not issubclass(kind, Exception):
        raise k.refuse(node, "only exceptions can be raised", "raise ValueError(...)")
    k.end(node, kind, arguments)


@STATEMENTS.enter(ast.Assert)
def assertion(k: Lowerer, node: ast.Assert) -> None:
    """``assert``: it raises for threads for which the test does not hold."""
    holds = k.builder.keep(k.truth(node.test, evaluate(k, node.test)))
    arguments = () if node.msg is None else (_constant(k, node.msg),)
    k.end_unless(node, Scalar(holds), AssertionError, *arguments)


def _constant(k: Lowerer, node: ast.expr) -> Any:
    """An argument of an exception; its source text where it is known only at run time."""
    try:
        return k.static(evaluate(k, node))
    except LookupError:
        return k.function.text(node)


def pass_on(k: Lowerer, statements: Iterable[Statement]) -> None:
    """After a call whose function may raise: threads that raised there end here too."""
    if any(map(_may_raise, statements)):
        k.builder.branch(Special("raised", BOOL), k.builder.end_thread, lambda: None, ())


def _may_raise(statement: Statement) -> bool:
    match statement:
        case Raise():
            return True
        case If(then=then, orelse=orelse):
            return any(map(_may_raise, [*then, *orelse]))
        case Loop(body=body) | Inline(body=body):
            return any(map(_may_raise, body))
    return False
