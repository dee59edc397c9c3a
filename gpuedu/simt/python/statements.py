"""Statements of a Python kernel."""

from __future__ import annotations

import ast

from gpuedu.simt.host.names import dotted_name
from gpuedu.simt.program import Branch, Const
from gpuedu.simt.python import arrays
from gpuedu.simt.python.assignments import assign
from gpuedu.simt.python.dispatch import STATEMENTS, evaluate, run
from gpuedu.simt.python.lowerer import Lowerer, member_value
from gpuedu.simt.python.operators import OPERATORS, operate
from gpuedu.simt.python.variables import read_name
from gpuedu.simt.values import Array, Optional, Scalar, Static, Tuple, Value
from gpuedu.trace import Finding, Level


@STATEMENTS.enter(ast.Assign)
def _assign(k: Lowerer, node: ast.Assign) -> None:
    result = evaluate(k, node.value)
    if len(node.targets) > 1:
        result = k.builder.hold(result)
    for target in node.targets:
        assign(k, target, result)


@STATEMENTS.enter(ast.Expr)
def _expression(k: Lowerer, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        _note_missing_call(k, node, evaluate(k, node.value))


@STATEMENTS.enter(ast.Break)
def _break(k: Lowerer, node: ast.Break) -> None:
    k.builder.leave_loop()


@STATEMENTS.enter(ast.Continue)
def _continue(k: Lowerer, node: ast.Continue) -> None:
    k.builder.next_iteration()


@STATEMENTS.enter(ast.Pass)
def _pass(k: Lowerer, node: ast.Pass) -> None:
    pass


def _note_missing_call(k: Lowerer, node: ast.Expr, value: Value) -> None:
    """``cuda.syncthreads`` as a statement names a function and calls nothing."""
    if not isinstance(node.value, ast.Attribute) or not isinstance(value, Static):
        return
    text = k.function.text(node.value)
    if callable(value.object) and (dotted_name(value.object) or "").startswith("cuda."):
        note = Finding(
            Level.NOTE,
            "missing-call",
            f"`{text}` without parentheses names the function and does not call it",
            f"`{text}()`",
            k.function.place(node),
        )
        k.tables.notes.append(note)


@STATEMENTS.enter(ast.AugAssign)
def _augmented(k: Lowerer, node: ast.AugAssign) -> None:
    operator = OPERATORS.get(type(node.op), "@")
    if isinstance(node.target, ast.Name):
        old = read_name(k, node.target, node.target.id)
        result = operate(k, node, operator, old, evaluate(k, node.value))
        k.builder.assign(node.target.id, result)
        return
    slot, index = arrays.target(k, node.target)
    index = [k.builder.keep(part) for part in index]  # type: ignore[arg-type]
    if len(index) < slot.type.ndim:
        raise k.refuse(node, "a slice cannot be changed in place in a kernel", "loop over it")
    old = k.load(node.target, slot, tuple(index))  # type: ignore[arg-type]
    result = operate(k, node, operator, old, evaluate(k, node.value))
    arrays.put(k, node.target, slot, index, result)


@STATEMENTS.enter(ast.If)
def _if(k: Lowerer, node: ast.If) -> None:
    condition = k.truth(node.test, evaluate(k, node.test))
    if isinstance(condition, Const):
        run(k, node.body if condition.value else node.orelse)
        return
    entry = Branch(k.function.place(node.test), k.function.text(node.test))
    k.builder.branch(
        condition,
        lambda: run(k, node.body),
        lambda: run(k, node.orelse),
        k.function.live.after[id(node)],
        k.tables.add("branches", entry),
    )


@STATEMENTS.enter(ast.Return)
def _return(k: Lowerer, node: ast.Return) -> None:
    value = node.value
    if value is None:
        k.builder.leave_function(Static(None))
        return
    result = member_value(evaluate(k, value))
    if len(k.functions) == 1 and not (isinstance(result, Static) and result.object is None):
        raise k.refuse(node, "a kernel returns nothing", "write the result to an array")
    if isinstance(result, Array) and isinstance(value, ast.Subscript) and _has_slice(value):
        raise k.refuse(
            node,
            "a device function cannot return a new view of an array",
            "return the index, and let the caller make the view",
        )
    is_result = isinstance(result, Scalar | Tuple | Array | Optional)
    k.builder.leave_function(result if is_result else Static(None))


def _has_slice(node: ast.Subscript) -> bool:
    return any(isinstance(part, ast.Slice) for part in ast.walk(node.slice))
