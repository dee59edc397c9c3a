"""Calls of device functions: inlined at each call, with the casts that a signature asks for."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.simt.host.launch_types import KernelFunction
from gpuedu.simt.host.names import dtype_of
from gpuedu.simt.python import raising
from gpuedu.simt.python.constants import constant
from gpuedu.simt.python.dispatch import evaluate, run
from gpuedu.simt.python.lowerer import Lowerer, cast
from gpuedu.simt.python.source import parse, python_function
from gpuedu.simt.typing_rules import TypingError
from gpuedu.simt.typing_rules.promotion import Conversion, conversion
from gpuedu.simt.values import Array, Scalar, Tuple, Value

MAX_DEPTH = 32

Cost = tuple[int, int, int]
"""Unsafe conversions, safe ones, promotions: the smallest is chosen, compared in this order."""


def device_call(k: Lowerer, node: ast.Call, thing: Any, arguments: list[Value]) -> Value:
    """The result of a device function, or of a function that Numba compiles for the CPU too.

    Raises:
        KernelSourceError: It calls itself, has no signature for these types, or is for CPUs only.
    """
    function = python_function(thing)
    assert function is not None
    if not isinstance(thing, KernelFunction) and getattr(thing, "_can_compile", True) is False:
        raise k.refuse(
            node,
            f"Untyped global name '{k.function.text(node.func)}': it has a signature, so Numba "
            "compiled it for the CPU once and for all (using cpu function on device)",
            "leave the signature out, or put `@cuda.jit(device=True)` above it",
        )
    keywords = {word.arg: evaluate(k, word.value) for word in node.keywords if word.arg}
    given = _bind(k, node, function, arguments, keywords)
    signatures = thing.signatures if isinstance(thing, KernelFunction) else []
    if not signatures:
        return _inline(k, node, function, given)
    chosen = _choose(k, node, signatures, list(given.values()))
    given = {
        name: _as_type(k, node, value, kind)
        for (name, value), kind in zip(given.items(), chosen, strict=True)
    }
    result = _inline(k, node, function, given)
    wanted = thing.result_types.get(chosen)
    return result if wanted is None else _as_type(k, node, result, wanted)


def _bind(
    k: Lowerer,
    node: ast.Call,
    function: Callable,
    arguments: list[Value],
    keywords: dict[str, Value],
) -> dict[str, Value]:
    """The values of a function's parameters, defaults filled in."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*arguments, **keywords)
    except TypeError as error:
        raise k.refuse(node, f"`{function.__name__}`: {error}") from None
    given: dict[str, Value] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            given[name] = Tuple(tuple(bound.arguments.get(name, ())))
        elif name in bound.arguments:
            given[name] = bound.arguments[name]
        else:
            given[name] = constant(k, node, parameter.default)
    return given


def _inline(k: Lowerer, node: ast.Call, function: Callable, given: dict[str, Value]) -> Value:
    parsed = parse(function)
    if any(parsed.python is outer.python for outer in k.functions) or len(k.functions) > MAX_DEPTH:
        raise k.refuse(
            node, f"`{parsed.name}` calls itself: recursion is refused in a kernel", "use a loop"
        )
    names = {name: k.builder.hold(value, name) for name, value in given.items()}
    if parsed.source not in k.tables.sources:
        k.tables.add("sources", parsed.source)
    begin = len(k.builder.block)
    k.functions.append(parsed)
    try:
        result = k.builder.inline(
            names, lambda: run(k, parsed.tree.body), parsed.name, has_none=True
        )
    except TypingError as error:
        raise k.refuse(node, error.message, error.remedy) from None
    finally:
        k.functions.pop()
    raising.pass_on(k, k.builder.block[begin:])
    return result


# Signatures


def _choose(k: Lowerer, node: ast.Call, signatures: list[tuple], given: list[Value]) -> tuple:
    """The signature that costs least; of equal ones the first."""
    costs = [(cost, kinds) for kinds in signatures if (cost := _cost(given, kinds)) is not None]
    if not costs:
        known = "; ".join(", ".join(map(str, kinds)) for kinds in signatures)
        raise k.refuse(
            node,
            f"`{k.function.text(node.func)}` is compiled for ({known}) only, and these arguments "
            "cannot be converted to that",
            "give other arguments, or leave the signature out",
        )
    return min(costs, key=lambda pair: pair[0])[1]


def _cost(given: list[Value], kinds: tuple) -> Cost | None:
    if len(given) != len(kinds):
        return None
    found = [_conversion(value, kind) for value, kind in zip(given, kinds, strict=True)]
    if None in found:
        return None
    return (
        found.count(Conversion.UNSAFE),
        found.count(Conversion.SAFE),
        found.count(Conversion.PROMOTE),
    )


def _conversion(value: Value, kind: Any) -> Conversion | None:
    """What it costs to make a value an argument of a Numba type; None where it cannot be."""
    is_array = hasattr(kind, "ndim")
    match value:
        case Scalar() if (dtype := _number_type(kind)) is not None:
            return conversion(value.dtype, dtype)
        case Array(slot) if is_array:
            # A type that NumPy alone knows, such as a date, is taken as it comes.
            same = slot.type.dtype == (dtype_of(kind.dtype) or slot.type.dtype)
            return Conversion.EXACT if same and slot.type.ndim == kind.ndim else None
        case Tuple(items):
            kinds = tuple(getattr(kind, "types", ()))
            costs = [_conversion(*pair) for pair in zip(items, kinds, strict=False)]
            if len(items) != len(kinds) or None in costs:
                return None
            return max(costs, default=Conversion.EXACT)
    return None if is_array or _number_type(kind) is not None else Conversion.EXACT


def _number_type(kind: Any) -> np.dtype | None:
    if hasattr(kind, "ndim") or hasattr(kind, "types"):
        return None
    dtype = dtype_of(kind)
    return dtype if dtype is not None and dtype.kind in "biufc" else None


def _as_type(k: Lowerer, node: ast.Call, value: Value, kind: Any) -> Value:
    """The value as a Numba type: numbers are cast, also those of a tuple."""
    if isinstance(value, Tuple):
        kinds = tuple(getattr(kind, "types", ()))
        if len(kinds) != len(value.items):
            return value
        items = [_as_type(k, node, *pair) for pair in zip(value.items, kinds, strict=True)]
        return Tuple(tuple(items), value.names)
    dtype = _number_type(kind)
    if dtype is None or not isinstance(value, Scalar):
        return value
    if conversion(value.dtype, dtype) is None:
        raise k.refuse(node, f"{value.dtype.name} cannot become {dtype.name}", "use `.real`")
    return Scalar(cast(value.expression, dtype))
