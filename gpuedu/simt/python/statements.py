"""Statements of a Python kernel."""

from __future__ import annotations

import ast

from gpuedu.simt.host.names import dotted_name
from gpuedu.simt.kinds import Clash
from gpuedu.simt.meeting import UnreachableError
from gpuedu.simt.program import Branch, Const
from gpuedu.simt.python import arrays, loops, raising
from gpuedu.simt.python.definite import is_flag
from gpuedu.simt.python.expressions import OPERATORS, evaluate, operate
from gpuedu.simt.python.lowerer import Lowerer, member_value
from gpuedu.simt.python.variables import read_name
from gpuedu.simt.values import Array, Optional, Scalar, Static, Tuple, Value
from gpuedu.trace import Finding, Level


def run(k: Lowerer, statements: list[ast.stmt]) -> None:
    """Lower statements in order."""
    for node in statements:
        if k.builder.names is None:
            return
        try:
            _run(k, node)
        except UnreachableError:
            k.builder.names = None


def _run(k: Lowerer, node: ast.stmt) -> None:
    if not isinstance(node, ast.While | ast.Pass) and not is_flag(node):
        k.builder.mark(k.function.place(node))
    match node:
        case ast.Assign(targets=targets, value=value):
            result = evaluate(k, value)
            if len(targets) > 1:
                result = k.builder.hold(result)
            for target in targets:
                assign(k, target, result)
        case ast.AugAssign():
            _augmented(k, node)
        case ast.Expr(value=value):
            if not isinstance(value, ast.Constant):
                _note_missing_call(k, node, evaluate(k, value))
        case ast.If():
            _if(k, node)
        case ast.While():
            loops.while_loop(k, node)
        case ast.For():
            loops.for_loop(k, node)
        case ast.Break():
            k.builder.leave_loop()
        case ast.Continue():
            k.builder.next_iteration()
        case ast.Return(value=value):
            _return(k, node, value)
        case ast.Pass():
            pass
        case ast.Assert():
            raising.assertion(k, node)
        case ast.Raise():
            raising.throw(k, node)
        case _:
            raise k.refuse(node, f"`{type(node).__name__.lower()}` cannot be used in a kernel")


def assign(k: Lowerer, target: ast.expr, value: Value) -> None:
    """Bind or store a value."""
    match target:
        case ast.Name(id=name):
            if isinstance(value, Clash):
                k.scalar(target, value)
            k.builder.assign(name, member_value(value))
        case ast.Subscript() | ast.Attribute():
            arrays.write(k, target, value)
        case ast.Tuple(elts=targets):
            _unpack(k, target, targets, value)
        case _:
            raise k.refuse(target, "this cannot be assigned to in a kernel")


def _unpack(k: Lowerer, node: ast.expr, targets: list[ast.expr], value: Value) -> None:
    if isinstance(value, Array):
        raise k.refuse(node, "an array cannot be unpacked in a kernel", "index it")
    if not isinstance(value, Tuple) or len(value.items) != len(targets):
        count = len(value.items) if isinstance(value, Tuple) else 1
        raise k.refuse(node, f"{len(targets)} names on the left, {count} values on the right")
    held = [k.builder.hold(item) for item in value.items]
    for target, item in zip(targets, held, strict=True):
        assign(k, target, item)


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


def _return(k: Lowerer, node: ast.Return, value: ast.expr | None) -> None:
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
