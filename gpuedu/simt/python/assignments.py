"""Assignments to names, elements, fields and tuples of those."""

from __future__ import annotations

import ast

from gpuedu.simt.kinds import Clash
from gpuedu.simt.python import arrays
from gpuedu.simt.python.lowerer import Lowerer, member_value
from gpuedu.simt.values import Array, Tuple, Value


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
