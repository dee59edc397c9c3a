"""The value of an object that is known when a kernel is compiled."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gpuedu.simt.host.buffers import DeviceView
from gpuedu.simt.program import ArrayType, Const, ConstantArray
from gpuedu.simt.python.lowerer import Lowerer
from gpuedu.simt.values import Array, Scalar, Static, Tuple, Value
from gpuedu.trace import Space


def constant(k: Lowerer, node: ast.AST, value: Any) -> Value:
    """The value of a Python object that is known when the kernel is compiled."""
    match value:
        case bool():
            return Scalar(Const(np.bool_(value)), literal=int(value))
        case int():
            if -(1 << 63) <= value < 1 << 63:
                return Scalar(Const(np.int64(value)), literal=value)
            if 0 <= value < 1 << 64:
                return Scalar(Const(np.uint64(value)), literal=value)
            raise k.refuse(node, f"{value} does not fit into 64 bits")
        case np.generic() if value.dtype.kind in "biufc":
            return Scalar(Const(value))
        case float():
            return Scalar(Const(np.float64(value)))
        case complex():
            return Scalar(Const(np.complex128(value)))
        case _ if isinstance(
            vars(value).get("device_view") if hasattr(value, "__dict__") else None, DeviceView
        ):
            return _captured(k, node, value.device_view)
        case tuple():
            fields = tuple(getattr(value, "_fields", ()))
            return Tuple(tuple(constant(k, node, item) for item in value), fields)
        case np.ndarray():
            return _constant_array(k, node, value)
        case list():
            raise k.refuse(
                node,
                "a list from outside cannot be used in a kernel",
                "make it a tuple, or pass an array as an argument",
            )
    return Static(value)


def _constant_array(k: Lowerer, node: ast.AST, data: np.ndarray) -> Array:
    """An array frozen into the program."""
    type_ = ArrayType(data.dtype, data.ndim, Space.CONSTANT, readonly=True)
    slot = k.builder.array_slot(getattr(node, "id", "constant"), type_)
    k.tables.add("constants", ConstantArray(slot, np.array(data)))
    return Array(slot)


def _captured(k: Lowerer, node: ast.AST, view: DeviceView) -> Array:
    """A device array from outside the kernel: the memory itself, not a copy."""
    name = getattr(node, "id", "captured")
    slot = k.builder.array_slot(name, ArrayType(view.dtype, len(view.shape), Space.GLOBAL))
    k.tables.add("constants", ConstantArray(slot, view))
    return Array(slot)
