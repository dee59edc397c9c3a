"""From device arrays to NumPy and back: how a function of NumPy becomes one of the device's.

Operands are seen as NumPy arrays on the device's memory, without a copy. A result that lies in an
operand's memory is a view of it; any other is moved into new device memory, and is one launch in
the account.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from warnings import catch_warnings

import numpy as np

from gpuedu.arrays.account import note_operation
from gpuedu.arrays.dtypes import require_dtype
from gpuedu.arrays.errors import (
    DeviceArrayTypeError,
    DeviceArrayValueError,
)
from gpuedu.arrays.fusing import note_written, require_argument, require_fusible
from gpuedu.arrays.ndarray import SCALARS, ndarray
from gpuedu.arrays.transfer import copied_to_host
from gpuedu.simt.host.layout import without_repeats

_ERROR_BYTES = 8
_RUNNING = (
    *("accumulate", "cumsum", "cumprod", "nancumsum", "nancumprod"),
    *("cumulative_sum", "cumulative_prod"),
)
"""Functions whose result has axes, whatever the operand has."""


def unsupported(value: Any) -> DeviceArrayTypeError:
    """The error for an operand that is not on the device."""
    remedy = (
        "make it on the device, or copy it with cp.asarray(...)" if _is_host_data(value) else ""
    )
    return DeviceArrayTypeError(f"Unsupported type {type(value)}", remedy=remedy)


def _is_host_data(value: Any) -> bool:
    return isinstance(value, (np.ndarray, list, tuple))


class Operands:
    """The device arrays among the arguments of one call, and the call's NumPy form.

    ``arrays`` are those that were met, each once.
    """

    def __init__(self) -> None:
        self.arrays: list[ndarray] = []

    def lower(self, value: Any) -> Any:
        """``value`` for NumPy: device arrays as NumPy arrays on their memory, also in sequences.

        Raises:
            DeviceArrayTypeError: It contains a host array, or one that no fused kernel has.
        """
        if isinstance(value, ndarray):
            if not any(value is known for known in self.arrays):
                require_argument(value)
                self.arrays.append(value)
            return value.elements()
        if isinstance(value, np.ndarray):
            raise unsupported(value)
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            return type(value)(self.lower(item) for item in value)
        if not isinstance(value, SCALARS) and hasattr(value, "__cuda_array_interface__"):
            return self.lower(from_interface(value))
        return value

    def raise_up(self, value: Any) -> Any:
        """A result of NumPy, on the device: views of operands, or new arrays."""
        if isinstance(value, np.ndarray):
            known = self._owner(value)
            return known.part(value) if known is not None else new(value)
        if isinstance(value, np.generic):
            return new(np.asarray(value))
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*(self.raise_up(item) for item in value))
        if isinstance(value, (list, tuple)):
            return type(value)(self.raise_up(item) for item in value)
        return value

    def _owner(self, value: np.ndarray) -> ndarray | None:
        at = value.__array_interface__["data"][0]
        if not value.size:
            return None
        for array in self.arrays:
            buffer = array.device_view.buffer
            if buffer.address <= at < buffer.address + buffer.size_bytes:
                return array
        return None


def from_interface(value: Any) -> ndarray:
    """A device array on the memory of an object with the CUDA array interface."""
    from gpuedu.simt.host.arrays import from_cuda_array_interface

    return ndarray.on_view(from_cuda_array_interface(value.__cuda_array_interface__).device_view)


def new(value: np.ndarray, order: str = "C") -> ndarray:
    """A new device array with the elements of ``value``, which NumPy computed."""
    require_dtype(value.dtype)
    result = ndarray(value.shape, value.dtype, order=order)
    result.elements()[...] = value
    return result


def touched_bytes(array: ndarray) -> int:
    """Bytes of an array's elements in memory; what is repeated by broadcasting counts once."""
    return without_repeats(array.elements()).nbytes


def results_of(value: Any) -> Iterable[ndarray]:
    """The arrays in a result."""
    if isinstance(value, ndarray):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from results_of(item)


def enter(name: str, operands: Iterable[ndarray], results: Any) -> None:
    """Enter a launch that reads ``operands`` and writes the new arrays among ``results``."""
    fresh = [array for array in results_of(results) if array.base is None]
    if fresh:
        read = sum(touched_bytes(array) for array in operands)
        note_operation(name, read, sum(array.nbytes for array in fresh))


def call(
    name: str,
    function: Callable[..., Any],
    args: tuple,
    kwargs: dict[str, Any],
    *,
    fusible: bool = False,
) -> Any:
    """Call a function of NumPy with device arrays; its results are device arrays.

    ``out=`` is written in place and returned. ``fusible`` says that it is allowed inside
    ``cupy.fuse``.
    """
    if not fusible:
        require_fusible(name)
    operands = Operands()
    out = kwargs.pop("out", None)
    lowered = operands.lower(args)
    named = {key: operands.lower(value) for key, value in kwargs.items()}
    read = list(operands.arrays)
    if out is not None:
        named["out"] = operands.lower(require_out(name, out))
    try:
        with np.errstate(all="ignore"), catch_warnings(action="ignore", category=RuntimeWarning):
            found = function(*lowered, **named)
    except Exception:
        if read:  # that there is an error may depend on values, and its text may name one
            copied_to_host(_ERROR_BYTES, name, hidden=f"an error of {name}")
        raise
    if out is not None:
        written = list(results_of(out))
        for array in written:
            note_written(array)
        note_operation(name, sum(map(touched_bytes, read)), sum(a.nbytes for a in written))
        return out[0] if isinstance(out, tuple) and len(out) == 1 else out
    result = operands.raise_up(found)
    enter(name, read, result)
    return result


def require_out(name: str, out: Any) -> Any:
    """Refuse an ``out`` that is not on the device, or with which NumPy would crash."""
    for item in out if isinstance(out, tuple) else (out,):
        if item is not None and not isinstance(item, ndarray):
            raise DeviceArrayTypeError(f"Unsupported type {type(item)}: `out` is a device array")
        if item is not None and not item.shape and name.rpartition(".")[2] in _RUNNING:
            raise DeviceArrayValueError(
                "Provided out is the wrong size: it has no axes",
                remedy="an `out` with as many elements as the operand, along at least one axis",
            )
    return out
