"""Calls in a Python kernel: conversions, functions of numbers, device functions."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.simt.host.names import dotted_name, dtype_of
from gpuedu.simt.intrinsics.functions import FUNCTIONS
from gpuedu.simt.program import Call, Const, Expression, Extent, Print
from gpuedu.simt.python import arrays, folds, memory, reductions, threads, views
from gpuedu.simt.python.constants import constant
from gpuedu.simt.python.counted import over_range
from gpuedu.simt.python.device_functions import device_call
from gpuedu.simt.python.dispatch import EXPRESSIONS, evaluate
from gpuedu.simt.python.lowerer import BitCount, Conjugate, Lowerer, cast
from gpuedu.simt.python.operators import operate
from gpuedu.simt.python.source import python_function
from gpuedu.simt.typing_rules import Signature, canonical
from gpuedu.simt.typing_rules import call as call_signature
from gpuedu.simt.values import Array, Scalar, Static, Tuple, Value


@EXPRESSIONS.enter(ast.Call)
def call(k: Lowerer, node: ast.Call) -> Value:
    """The value of a call."""
    callee = evaluate(k, node.func)
    if not isinstance(callee, Static):
        raise k.refuse(node, "this cannot be called: it is a number or an array")
    thing = callee.object
    name = dotted_name(thing) or ""
    special = memory.CALLS.get(name)
    if special is not None:
        return special(k, node)
    if name == "builtins.print":
        return _print(k, node)
    arguments = [value for argument in node.args for value in _values(k, argument)]
    if isinstance(thing, BitCount):
        return Scalar(Call("cuda.popc", (thing.value.expression,), np.dtype(np.int32)))
    if isinstance(thing, Conjugate):
        return _conjugate(k, node, thing.value)
    if isinstance(thing, views.Method):
        return views.call_method(k, node, thing, arguments)
    if name in threads.CALLS:
        return threads.CALLS[name](k, node, arguments)
    if name in BUILTINS:
        return BUILTINS[name](k, node, arguments)
    if name.startswith("operator."):
        return _operator(k, node, name.removeprefix("operator."), arguments)
    if name in reductions.FUNCTIONS and len(arguments) == 1 and isinstance(arguments[0], Array):
        return reductions.reduce(k, node, name, arguments[0])
    if name.startswith("numpy.") and arguments and isinstance(arguments[-1], Array):
        return _over_elements(k, node, name, arguments)
    if python_function(thing) is not None:
        return device_call(k, node, thing, arguments)
    if dtype_of(thing) is not None and len(arguments) == 1 and name not in _TYPED_CONVERSIONS:
        return _convert(k, node, thing, arguments[0])
    if name:
        return number_function(k, node, name, arguments)
    raise _not_callable(k, node, thing)


def _values(k: Lowerer, argument: ast.expr) -> tuple[Value, ...]:
    """What an argument stands for: one value, or with a star the items of a tuple."""
    if not isinstance(argument, ast.Starred):
        return (evaluate(k, argument),)
    value = evaluate(k, argument.value)
    if not isinstance(value, Tuple):
        raise k.refuse(argument, "`*` needs a tuple in a kernel")
    return value.items


_TYPED_CONVERSIONS = {"builtins.int", "builtins.float", "builtins.bool", "builtins.complex"}


def _not_callable(k: Lowerer, node: ast.Call, thing: Any) -> Exception:
    shown = k.function.text(node.func)
    if inspect.isfunction(thing):
        return k.refuse(
            node,
            f"`{shown}` is a plain Python function: a kernel can only call device functions",
            f"put `@cuda.jit(device=True)` above `def {shown}`",
        )
    return k.refuse(node, f"`{shown}` cannot be called in a kernel")


_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "lshift": "<<", "rshift": ">>", "and_": "&", "or_": "|", "xor": "^", "eq": "==", "ne": "!=",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip


def _operator(k: Lowerer, node: ast.Call, name: str, arguments: list[Value]) -> Value:
    """``operator.add(a, b)`` and its kin, in place ones too."""
    symbol = _OPERATORS.get(name) or _OPERATORS.get(name.removeprefix("i"))
    if symbol is None or len(arguments) != 2:
        raise k.refuse(node, f"`operator.{name}` cannot be called in a kernel")
    return operate(k, node, symbol, *arguments)


def _over_elements(k: Lowerer, node: ast.Call, name: str, arguments: list[Value]) -> Value:
    """``np.add(a, b, out)`` of arrays: each thread goes over all elements."""
    out = arguments[-1]
    assert isinstance(out, Array)
    ndim = out.slot.type.ndim
    if any(isinstance(a, Array) and a.slot.type.ndim != ndim for a in arguments):
        raise k.refuse(node, f"`{name}` takes arrays of the same dimensions in a kernel")

    def along(axis: int, at: tuple[Expression, ...]) -> None:
        if axis < ndim:
            bounds = Const(np.int64(0)), Extent(out.slot, axis), Const(np.int64(1))
            over_range(k, node, bounds, lambda i: along(axis + 1, (*at, i.expression)), ())
            return
        numbers = [k.load(node, a.slot, at) if isinstance(a, Array) else a for a in arguments[:-1]]
        arrays.put(k, node, out.slot, list(at), number_function(k, node, name, numbers))

    along(0, ())
    return Static(None)


def _conjugate(k: Lowerer, node: ast.Call, value: Scalar) -> Value:
    return (
        number_function(k, node, "numpy.conjugate", [value]) if value.dtype.kind == "c" else value
    )


def _convert(k: Lowerer, node: ast.Call, thing: Any, value: Value) -> Scalar:
    dtype = dtype_of(thing)
    assert dtype is not None
    scalar = k.scalar(node, value)
    if scalar.dtype.kind == "c" and dtype.kind != "c":
        raise k.refuse(node, f"a complex number cannot become {dtype.name}", "use `.real`")
    return Scalar(cast(scalar.expression, dtype))


def number_function(k: Lowerer, node: ast.Call, name: str, arguments: list[Value]) -> Value:
    """A pure function of numbers, typed as Numba types it."""
    short = name.removeprefix("builtins.")
    if node.keywords:
        raise k.refuse(node, f"`{short}` takes no keyword arguments in a kernel")
    scalars = [k.scalar(node, argument) for argument in arguments]
    signature: Signature = k.at(node, call_signature, short, tuple(s.dtype for s in scalars))
    _require_implementation(k, node, short)
    operands = tuple(
        cast(scalar.expression, dtype)
        for scalar, dtype in zip(scalars, signature.operands, strict=True)
    )
    if isinstance(signature.result, tuple):
        operands = tuple(k.builder.keep(operand) for operand in operands)
        return Tuple(
            tuple(
                Scalar(Call(short, operands, dtype, item))
                for item, dtype in enumerate(signature.result)
            )
        )
    return Scalar(Call(short, operands, signature.result))


def _require_implementation(k: Lowerer, node: ast.Call, name: str) -> None:
    """Refuse what Numba would compile and this machine does not compute."""
    name = canonical(name)
    known = (name, name.replace("numpy.", "math."), name.replace("numpy.", "cmath."))
    is_ufunc = isinstance(getattr(np, name.removeprefix("numpy."), None), np.ufunc)
    if any(one in FUNCTIONS for one in known) or (name.startswith("numpy.") and is_ufunc):
        return
    if name in _TYPE_NAMES or dtype_of(getattr(np, name, None)) is not None:
        return
    raise k.refuse(node, f"`{name}` is not covered by gpuedu's machine")


_TYPE_NAMES = {"int", "float", "bool", "complex"}


# Builtins that are not functions of numbers alone


def _len(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
    match arguments:
        case [Array(slot)] if slot.type.ndim:
            return Scalar(Extent(slot, 0))
        case [Tuple(items)]:
            return constant(k, node, len(items))
    raise k.refuse(node, "`len` needs an array or a tuple")


def _fold(name: str) -> Callable[[Lowerer, ast.Call, list[Value]], Value]:
    def lower(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
        if len(arguments) == 1 and isinstance(arguments[0], Tuple):
            arguments = list(arguments[0].items)
        if len(arguments) == 1 and isinstance(arguments[0], Array):
            _require_one_dimension(k, node, arguments[0])
            return folds.fold(
                k, node, arguments[0], None, lambda a, b: number_function(k, node, name, [a, b])
            )
        result = arguments[0]
        if len(arguments) == 1:
            return result
        return number_function(k, node, name, arguments)

    return lower


def _require_one_dimension(k: Lowerer, node: ast.Call, array: Array) -> None:
    if array.slot.type.ndim != 1:
        name = k.function.text(node.func)
        raise k.refuse(
            node, f"`{name}` goes over rows here, not numbers", f"np.{name}(a) takes all elements"
        )


def _sum(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
    if isinstance(arguments[0], Array):
        _require_one_dimension(k, node, arguments[0])
        return reductions.add_up(k, node, arguments[0])
    if not isinstance(arguments[0], Tuple):
        raise k.refuse(node, "`sum` needs an array or a tuple")
    result: Value = Scalar(Const(np.int64(0)), literal=0)
    for item in arguments[0].items:
        result = operate(k, node, "+", result, item)
    return result


def _tuple(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
    if len(arguments) == 1 and isinstance(arguments[0], Tuple):
        return arguments[0]
    raise k.refuse(node, "`tuple` needs a tuple in a kernel")


def _bool(k: Lowerer, node: ast.Call, arguments: list[Value]) -> Value:
    return Scalar(k.truth(node, arguments[0]))


def _print(k: Lowerer, node: ast.Call) -> Value:
    k.builder.emit(Print(tuple(_shown(k, part, evaluate(k, part)) for part in node.args)))
    return Static(None)


def _shown(k: Lowerer, node: ast.expr, value: Value) -> Any:
    """An item of ``print``: a text, a number, or a tuple of items."""
    match value:
        case Static(str() as text):
            return text
        case Static(thing) if (indices := threads.index_triple(thing)) is not None:
            return tuple(index.expression for index in indices)
        case Tuple(items):
            return tuple(_shown(k, node, item) for item in items)
    return k.scalar(node, value).expression


BUILTINS: dict[str, Callable[[Lowerer, ast.Call, list[Value]], Value]] = {
    "builtins.len": _len,
    "builtins.sum": _sum,
    "builtins.tuple": _tuple,
    "builtins.bool": _bool,
    "builtins.min": _fold("min"),
    "builtins.max": _fold("max"),
}
