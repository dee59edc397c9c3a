"""Arguments of a launch: kinds for the compiler, and views to run on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import GpueduError
from gpuedu.simt.host.buffers import Buffer, DeviceView
from gpuedu.simt.machine.views import Allocation, Flat, View
from gpuedu.simt.program import ArraySlot, Slot
from gpuedu.simt.values import Kind
from gpuedu.trace import Argument, Space

FIRST_ADDRESS = 1 << 20


def prepare(arguments: Sequence[Any]) -> list[Any]:
    """NumPy scalars, device views and tuples of those, from a caller's arguments.

    Host arrays are not copied: a kernel changes them in place. Arrays that share memory share a
    buffer.

    Raises:
        GpueduError: An argument that no kernel accepts.
    """
    roots: dict[int, Buffer] = {}
    return [_prepare(argument, roots) for argument in arguments]


def _prepare(argument: Any, roots: dict[int, Buffer]) -> Any:
    view = getattr(argument, "device_view", argument)
    match view:
        case DeviceView() | np.generic():
            return view
        case bool():
            return np.bool_(view)
        case int():
            return np.int64(view) if -(1 << 63) <= view < 1 << 63 else np.uint64(view)
        case float():
            return np.float64(view)
        case complex():
            return np.complex128(view)
        case np.ndarray():
            return _host_view(view, roots)
        case tuple():
            items = [_prepare(item, roots) for item in view]
            return type(view)(*items) if hasattr(view, "_fields") else tuple(items)
    raise GpueduError(
        f"a kernel cannot take a {type(argument).__name__}",
        remedy="pass numbers and arrays: np.array(values)",
    )


def _host_view(array: np.ndarray, roots: dict[int, Buffer]) -> DeviceView:
    if array.dtype.hasobject:
        raise GpueduError(
            f"a kernel cannot take an array of {array.dtype}", remedy="use a number type"
        )
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    buffer = roots.get(id(root))
    if buffer is None:
        buffer = roots[id(root)] = Buffer(root.nbytes, _bytes(root))
    start = array.__array_interface__["data"][0] - root.__array_interface__["data"][0]
    return DeviceView(
        buffer, start, array.shape, array.strides, array.dtype, not array.flags.writeable
    )


def _bytes(root: np.ndarray) -> np.ndarray:
    """The memory of an array as bytes, in place."""
    flat = root if root.flags.c_contiguous else root.T
    if not flat.flags.c_contiguous:
        raise GpueduError("an array with gaps in its memory", remedy="np.ascontiguousarray(a)")
    return np.ndarray((root.nbytes,), np.uint8, flat)


def kind_of_argument(argument: Any) -> Kind:
    """What the compiler must know of an argument."""
    match argument:
        case DeviceView():
            return ("array", argument.dtype, len(argument.shape), Space.GLOBAL, argument.readonly)
        case tuple():
            kinds = tuple(kind_of_argument(item) for item in argument)
            return ("tuple", kinds, tuple(getattr(argument, "_fields", ())))
    return ("scalar", argument.dtype)


def flatten(arguments: Sequence[Any]) -> list[Any]:
    """The numbers and views in order, with tuples flattened."""
    flat: list[Any] = []
    for argument in arguments:
        flat += flatten(argument) if isinstance(argument, tuple) else [argument]
    return flat


def bind(parameters: Sequence[Slot | ArraySlot], arguments: Sequence[Any]) -> list[Any]:
    """What generated code is given for each parameter: numbers, and views on global memory."""
    flat = flatten(arguments)
    units = _units(flat)
    allocations: dict[int, Allocation] = {}
    address = FIRST_ADDRESS
    bound = []
    for slot, value in zip(parameters, flat, strict=True):
        if not isinstance(value, DeviceView):
            bound.append(value)
            continue
        key = id(value.buffer)
        if key not in allocations:
            size = value.buffer.data.size
            allocations[key] = Allocation(len(allocations), Space.GLOBAL, size, units[key], address)
            address += (size // 512 + 2) * 512
        name = slot.name.rpartition("_")[0] or slot.name
        bound.append(global_view(name, value, allocations[key]))
    return bound


def _units(values: list[Any]) -> dict[int, int]:
    """The bytes in which hazards of each buffer are tracked."""
    units: dict[int, int] = {}
    for value in values:
        if isinstance(value, DeviceView):
            sizes = [*_sizes(value.dtype)] + [abs(s) for s in value.strides if s]
            units[id(value.buffer)] = math.gcd(units.get(id(value.buffer), 0), *sizes, value.offset)
    return units


def _sizes(dtype: np.dtype) -> list[int]:
    """The sizes of a dtype's numbers, and the offsets of a record's fields."""
    if dtype.kind == "c":
        return [dtype.itemsize // 2]
    if dtype.fields is None:
        return [(dtype.subdtype[0] if dtype.subdtype else dtype).itemsize]
    sizes = [dtype.itemsize]
    for inner, offset, *_ in dtype.fields.values():
        sizes += [offset, *_sizes(inner)]
    return sizes


def global_view(name: str, value: DeviceView, allocation: Allocation) -> View:
    """A device array as generated code uses it."""
    data, itemsize = value.buffer.data, value.dtype.itemsize
    used = [s for s, n in zip(value.strides, value.shape, strict=True) if n > 1 and s]
    step = math.gcd(itemsize, *used) if used else itemsize
    step = itemsize if step % itemsize == 0 else step
    start = value.offset % step if step else 0
    count = max((data.nbytes - start - itemsize) // step + 1, 0) if step else 0
    elements = np.ndarray(
        (count,),
        value.dtype,
        data.data if data.size else np.empty(0, np.uint8),
        start if count else 0,
        (step,),
    )
    flat = Flat(elements, allocation, start, step)
    strides = tuple(s // step if step else 0 for s in value.strides)
    shape = tuple(np.int64(n) for n in value.shape)
    return View(
        name,
        flat,
        np.int64((value.offset - start) // step if step else 0),
        shape,
        strides,
        value.dtype,
        Space.GLOBAL,
    )


def describe(names: Sequence[str], arguments: Sequence[Any]) -> tuple[Argument, ...]:
    """The arguments as a trace records them."""
    described = []
    for name, value in zip(names, arguments, strict=False):
        if isinstance(value, DeviceView):
            described.append(
                Argument(name, "array", str(value.dtype.name), tuple(map(int, value.shape)))
            )
        elif not isinstance(value, tuple) and value.dtype.kind in "biuf":
            described.append(Argument(name, "scalar", value.dtype.name, (), float(value)))
    return tuple(described)


def unit_of(dtype: np.dtype) -> int:
    """The bytes in which hazards of an array of this type are tracked."""
    return math.gcd(0, *_sizes(dtype))
