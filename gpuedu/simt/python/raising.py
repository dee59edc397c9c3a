"""``raise`` and ``assert`` in a kernel: the threads that get there end.

As with Numba the host hears of it only where the kernel was made with ``debug=True``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from gpuedu.simt.program import BOOL, If, Inline, Loop, Raise, Special, Statement, Unary
from gpuedu.simt.python.lowerer import Lowerer
from gpuedu.simt.values import Scalar, Static


def throw(k: Lowerer, node: ast.Raise) -> None:
    """``raise``, with a class or with an object made of constants."""
    from gpuedu.simt.python.expressions import evaluate

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
    _end(k, node, kind, arguments)


def assertion(k: Lowerer, node: ast.Assert) -> None:
    """``assert``: it raises for threads for which the test does not hold."""
    from gpuedu.simt.python.expressions import evaluate

    holds = k.builder.keep(k.truth(node.test, evaluate(k, node.test)))
    arguments = () if node.msg is None else (_constant(k, node.msg),)
    unless(k, node, Scalar(holds), AssertionError, *arguments)


def unless(k: Lowerer, node: ast.AST, holds: Scalar, kind: type, *arguments: Any) -> None:
    """Threads for which it does not hold raise."""
    failed = Unary("not", holds.expression, BOOL)
    k.builder.branch(failed, lambda: _end(k, node, kind, arguments), lambda: None, ())


def _constant(k: Lowerer, node: ast.expr) -> Any:
    """An argument of an exception; its source text where it is known only at run time."""
    from gpuedu.simt.python.expressions import evaluate

    try:
        return k.static(evaluate(k, node))
    except LookupError:
        return k.function.text(node)


def _end(k: Lowerer, node: ast.AST, kind: type, arguments: tuple) -> None:
    text = ", ".join(map(str, arguments))
    k.builder.emit(Raise(kind, text, k.function.place(node)))
    k.builder.end_thread()


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
