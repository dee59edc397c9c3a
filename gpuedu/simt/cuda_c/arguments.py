"""Arguments of a CUDA C kernel: checked against its parameters, and converted for the machine.

On a GPU nothing checks them: the launch copies as many bytes as each parameter has, whatever was
passed, and a wrong type becomes garbage or a crash. Here each is checked against its declaration.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import GpueduError
from gpuedu.simt.cuda_c.types import (
    CType,
    Number,
    Pointer,
    Struct,
    Void,
    alignment_of,
    dimensions,
    dtype_of,
)
from gpuedu.simt.host.buffers import DeviceView


class KernelArgumentError(GpueduError, TypeError):
    """An argument that does not fit its parameter: which, what was expected, what was passed."""


Parameters = Sequence[tuple[str, CType]]


def fitted(name: str, parameters: Parameters, arguments: Sequence[Any]) -> list[Any]:
    """The arguments in the form of the kernel's parameters.

    Args:
        name: The kernel's name, for messages.
        parameters: Names and types of its parameters.
        arguments: NumPy scalars and device views.

    Returns:
        A view of one dimension for each pointer, a number of the declared type for each number,
        and one number for each member of a structure.

    Raises:
        KernelArgumentError: Too many or too few, or one that does not fit.
    """
    if len(arguments) != len(parameters):
        listed = ", ".join(f"{type_} {label}" for label, type_ in parameters)
        raise KernelArgumentError(
            f"`{name}` takes {len(parameters)} argument{'' if len(parameters) == 1 else 's'}, "
            f"the launch passed {len(arguments)}",
            remedy=f"pass ({listed})",
        )
    fits: list[Any] = []
    for at, ((label, type_), value) in enumerate(zip(parameters, arguments, strict=True), 1):
        where = f"argument {at} of `{name}`, `{type_} {label}`"
        fits += _fit(where, type_, value)
    return fits


def _fit(where: str, type_: CType, value: Any) -> list[Any]:
    match type_:
        case Pointer():
            return [_memory(where, type_, value)]
        case Number(dtype):
            return [_number(where, dtype, value)]
        case Struct():
            return _members(where, type_, value)
    raise KernelArgumentError(f"{where}: such a parameter is not covered")


def _memory(where: str, type_: Pointer, value: Any) -> DeviceView:
    if not isinstance(value, DeviceView):
        shown = getattr(value, "dtype", type(value).__name__)
        raise KernelArgumentError(
            f"{where} is a pointer, and got a number ({shown})", remedy="pass a device array"
        )
    inner, _ = dimensions(type_.target)
    if not isinstance(inner, Number | Struct | Void) or _has_pointer(inner):
        raise KernelArgumentError(
            f"{where} leads to other pointers, which is not covered",
            remedy="pass each array as a separate argument, or one array of them all",
        )
    wanted = np.dtype(np.uint8) if isinstance(inner, Void) else dtype_of(inner)
    if not isinstance(inner, Void) and not _same_memory(wanted, value.dtype):
        raise KernelArgumentError(
            f"{where} points to {_shown(wanted)}, and got an array of {_shown(value.dtype)}: a GPU "
            "would read its bytes as numbers of the other type",
            remedy=_other_array(wanted),
        )
    low, high = _extent(value)
    _require_alignment(where, inner, value.offset + low)
    size = max((high - low) // wanted.itemsize, 0)
    return DeviceView(
        value.buffer, value.offset + low, (size,), (wanted.itemsize,), wanted, value.readonly
    )


def _has_pointer(type_: CType) -> bool:
    inner, _ = dimensions(type_)
    if isinstance(inner, Struct):
        return any(_has_pointer(member) for _, member in inner.fields)
    return isinstance(inner, Pointer)


def _other_array(wanted: np.dtype) -> str:
    if wanted.fields is None:
        return f"pass `array.astype({_numpy_name(wanted)})`, or change the parameter's type"
    return "pass the records' bytes: `cp.asarray(records.view(np.uint8))`"


def _require_alignment(where: str, inner: CType, begin: int) -> None:
    """Refuse an address that the parameter's elements cannot have; allocations have any."""
    alignment = 1 if isinstance(inner, Void) else alignment_of(inner)
    if begin % alignment:
        raise KernelArgumentError(
            f"{where} needs an address that is a multiple of {alignment} bytes, but this array "
            f"begins {begin % alignment} bytes past one: a GPU ends the launch with a "
            "misaligned address",
            remedy="a slice that begins elsewhere, a copy of it, or a pointer to single numbers",
        )


def _extent(value: DeviceView) -> tuple[int, int]:
    """The bytes from the first to past the last element, counted from the pointer that is passed.

    What lies before the pointer (of an array with a negative stride) cannot be reached.
    """
    if 0 in value.shape:
        return 0, 0
    reach = sum(
        (n - 1) * step for n, step in zip(value.shape, value.strides, strict=True) if step > 0
    )
    return 0, reach + value.dtype.itemsize


def _same_memory(wanted: np.dtype, given: np.dtype) -> bool:
    """Whether an array may stand for a pointer's elements without changing what its bytes mean."""
    if wanted.fields is not None and given.kind in "iu" and given.itemsize == 1:
        return True  # records as bytes: CuPy has no arrays of records
    if wanted.itemsize == 1 and wanted.kind in "iu":
        return given.kind in "iub" and given.itemsize == 1
    mine, theirs = _numbers(wanted), _numbers(given)
    if len(mine) != 1 or len(theirs) != 1:
        return wanted.itemsize == given.itemsize and _layout(wanted) == _layout(given)
    (one,), (other,) = mine, theirs
    if one == other:
        return True
    return one.kind in "iu" and other.kind in "iu" and one.itemsize == other.itemsize


def _numbers(dtype: np.dtype) -> set[np.dtype]:
    """The number types that an element is made of."""
    if dtype.subdtype is not None:
        return _numbers(dtype.subdtype[0])
    if dtype.fields is not None:
        return {inner for entry in dtype.fields.values() for inner in _numbers(entry[0])}
    if dtype.kind == "c":
        return {np.dtype(f"f{dtype.itemsize // 2}")}
    return {dtype}


def _layout(dtype: np.dtype, start: int = 0) -> list[tuple[int, np.dtype]]:
    """Where each number of an element lies."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        count = int(np.prod(shape))
        return [part for at in range(count) for part in _layout(base, start + at * base.itemsize)]
    if dtype.fields is None:
        return [(start, dtype)]
    return sorted(
        (
            part
            for inner, offset, *_ in dtype.fields.values()
            for part in _layout(inner, start + offset)
        ),
        key=lambda part: part[0],
    )


def _number(where: str, dtype: np.dtype, value: Any) -> np.generic:
    if not isinstance(value, np.generic):
        raise KernelArgumentError(
            f"{where} is a number, and got an array", remedy="pass `int(...)` or one element"
        )
    given = value.dtype
    if given == dtype:
        return value
    integers = given.kind in "iub" and dtype.kind in "iub"
    if integers and given.itemsize >= dtype.itemsize and _fits(value, dtype):
        return dtype.type(value)
    bytes_told = f"{given.itemsize} bytes" if given.itemsize != dtype.itemsize else "other bits"
    raise KernelArgumentError(
        f"{where} is {_shown(dtype)}, and got {value!r} of type {given}: a GPU would take "
        f"{bytes_told} for it",
        remedy=f"pass `{_numpy_name(dtype)}({value.item()!r})`",
    )


def _fits(value: np.generic, dtype: np.dtype) -> bool:
    if dtype.kind == "b":
        return int(value) in (0, 1)
    limits = np.iinfo(dtype)
    return limits.min <= int(value) <= limits.max


def _members(where: str, type_: Struct, value: Any) -> list[Any]:
    if _has_pointer(type_):
        raise KernelArgumentError(
            f"{where} is a structure with a pointer in it, which is not covered as an argument",
            remedy="pass the array as a separate argument, and fill the structure in the kernel",
        )
    wanted = dtype_of(type_)
    if not type_.fields and isinstance(value, np.generic) and value.dtype.itemsize == 1:
        return []  # one byte that nobody reads
    if not isinstance(value, np.void) or _layout(value.dtype) != _layout(wanted):
        raise KernelArgumentError(
            f"{where} is a structure of {wanted.itemsize} bytes, and got {type(value).__name__}",
            remedy="pass one element of a structured NumPy array with the same members",
        )
    return [
        part
        for (_, inner), name in zip(type_.fields, value.dtype.names or (), strict=True)
        for part in _fit(where, inner, value[name])
    ]


def _shown(dtype: np.dtype) -> str:
    return dtype.name if dtype.fields is None else f"{dtype.itemsize}-byte records"


def _numpy_name(dtype: np.dtype) -> str:
    return f"np.{dtype.name}" if dtype.fields is None else "the record's dtype"
