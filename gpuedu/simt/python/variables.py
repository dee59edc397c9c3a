"""Reading a variable of a kernel, even where a thread may not have set it."""

from __future__ import annotations

import ast
import warnings

import numpy as np

from gpuedu.simt.host.errors import KernelHazardWarning
from gpuedu.simt.joins import UnreachableError
from gpuedu.simt.kinds import Clash
from gpuedu.simt.program import (
    BOOL,
    ArraySlot,
    Const,
    Expression,
    If,
    Slot,
    Statement,
    Unary,
    Undefined,
)
from gpuedu.simt.python.constants import constant
from gpuedu.simt.python.definite import flag_of
from gpuedu.simt.python.lowerer import Lowerer
from gpuedu.simt.values import Scalar, Value, kind_of, leaves


def read_name(k: Lowerer, node: ast.AST, name: str) -> Value:
    """The value of a name: a variable of the function, or an object from outside."""
    names = k.builder.names
    if names is not None and name in names:
        return _checked(k, node, name, names[name])
    if name in k.builder.unknown:
        k.builder.unknown_was_read = True
        raise UnreachableError
    if name in k.function.python.__code__.co_varnames:
        return _never_set(k, node, name)
    try:
        found = k.function.outside(name)
    except KeyError:
        raise k.refuse(node, f"the name `{name}` is not defined") from None
    return constant(k, node, found)


def _checked(k: Lowerer, node: ast.AST, name: str, value: Value) -> Value:
    """The value, and garbage with a finding for threads that have not set it."""
    assert k.builder.names is not None
    flag = k.builder.names.get(flag_of(node) or "")
    if not isinstance(flag, Scalar) or isinstance(value, Clash):
        return value
    if isinstance(flag.expression, Const) and flag.expression.value:
        return value
    parts = list(leaves(value))
    if not parts:
        return value
    made = k.builder.value_of(kind_of(value), name)
    missing: list[Statement] = []
    joins = []
    for slot, part in zip(leaves(made), parts, strict=True):
        garbage = _undefined(k, node, name, part, missing)
        joins.append((slot, part if garbage is None else garbage, part))
    unset = Unary("not", flag.expression, BOOL)
    k.builder.emit(If(unset, missing, [], None, joins))
    return made


def _undefined(
    k: Lowerer, node: ast.AST, name: str, part: Expression | ArraySlot, block: list[Statement]
) -> Slot | None:
    """A number that was never set; None for an array, for which the launch ends."""
    slot = None if isinstance(part, ArraySlot) else k.builder.slot(name, part.dtype)
    block.append(Undefined(name, slot, k.function.place(node)))
    return slot


def _never_set(k: Lowerer, node: ast.AST, name: str) -> Value:
    """A name that no path to here sets. Numba takes its type from an assignment elsewhere."""
    seen = next((dtype for noted, dtype in k.tables.variables if noted == name), None)
    if seen is None or len(k.functions) > 1:
        raise k.refuse(
            node, f"`{name}` has no value here yet", "assign it on every path before it is used"
        )
    slot = k.builder.slot(name, np.dtype(seen))
    k.builder.emit(Undefined(name, slot, k.function.place(node)))
    k.early_reads.add((name, k.function.place(node).line))
    return Scalar(slot)


def warn_of_early_reads(k: Lowerer) -> None:
    """Warn of the reads that no path can make right, once the kernel is compiled."""
    for name, line in sorted(k.early_reads):
        warnings.warn_explicit(
            f"Detected uninitialized variable {name}: no path to line {line} of "
            f"`{k.function.name}` sets it. Try: assign it on every path before it is used",
            KernelHazardWarning,
            k.function.source.file,
            line,
        )
