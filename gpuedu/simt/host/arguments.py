"""A kernel's arguments: from what the host passed to what the device takes.

Host arrays are copied to the device before the launch and back after it, as ``numba.cuda`` does.
"""

from __future__ import annotations

import enum
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.simt.host import layout
from gpuedu.simt.host.arrays import auto_device, on_device
from gpuedu.simt.host.buffers import Buffer, DeviceView
from gpuedu.simt.host.device_memory import DeviceArrayBase
from gpuedu.simt.host.errors import (
    CudaPerformanceWarning,
    CudaTypeError,
    CudaValueError,
)
from gpuedu.simt.host.launch_types import Argument
from gpuedu.simt.host.names import dtype_of
from gpuedu.simt.host.settings import settings
from gpuedu.simt.host.transfers import hidden_copies
from gpuedu.units import MB


class Hint:
    """How a host array goes to the device and back; the base of In, Out and InOut."""

    copies_in = True
    copies_out = True

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    def _numba_type_(self) -> Any:
        from gpuedu.simt.host.signatures import type_of

        return type_of(self.value)


class In(Hint):
    """A host array that is only copied to the device."""

    copies_out = False


class Out(Hint):
    """A host array that is only copied from the device: its elements are undefined before."""

    copies_in = False


class InOut(Hint):
    """A host array that is copied both ways, like one without a hint."""


class Arguments:
    """The arguments of one launch of ``kernel``; ``copy_back`` ends it."""

    def __init__(self, kernel: str) -> None:
        self.kernel = kernel
        self.implicit: list[tuple[str, int]] = []
        self.write_backs: list[Callable[[], Any]] = []

    def take(self, value: Any, name: str, kind: Any = None) -> Argument:
        """One argument on the device; ``kind`` is its Numba type if a signature gave one."""
        if isinstance(value, (Hint, DeviceArrayBase, np.ndarray, np.void)):
            return self._array(value, name, kind)
        if isinstance(value, tuple):
            return self._tuple(value, name, kind)
        if isinstance(value, enum.Enum):
            value = value.value
        number = self._number(value, kind)
        if number is not None:
            return number
        if hasattr(value, "__cuda_array_interface__"):
            return self._array(value, name, kind)
        raise CudaTypeError(
            f"argument `{name}` of `{self.kernel}` is a {type(value).__name__}: a kernel takes "
            "numbers, arrays, records and tuples of them",
            remedy="np.array(...) for a list; a kernel cannot take text, dicts or None",
        )

    def _tuple(self, value: tuple, name: str, kind: Any) -> tuple:
        kinds = [None] * len(value) if kind is None else list(kind)
        items = [self.take(item, f"{name}[{at}]", kinds[at]) for at, item in enumerate(value)]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)

    def _array(self, value: Any, name: str, kind: Any) -> DeviceView:
        hint = value if isinstance(value, Hint) else InOut(value)
        host = hint.value
        known = on_device(host)
        if known is not None:
            view = known.device_view
        else:
            view = self._copy_in(hint, host, name, explicit=hint is value)
        return view if kind is None else _as_kind(view, kind, name, self.kernel)

    def _copy_in(self, hint: Hint, host: Any, name: str, explicit: bool) -> DeviceView:
        what = f"argument `{name}` of `{self.kernel}`"
        try:
            with hidden_copies(what):
                device, _ = auto_device(host, copy=hint.copies_in)
        except CudaValueError as fault:
            raise CudaValueError(f"{what}: {fault.message}", remedy=fault.remedy) from None
        writeable = not isinstance(host, np.ndarray) or host.flags.writeable
        if hint.copies_in and not explicit and isinstance(host, np.ndarray):
            self.implicit.append((name, device.nbytes))
        if hint.copies_out and writeable:
            self.write_backs.append(lambda: _copy_out(device, host, what))
        return replace(device.device_view, readonly=not writeable)

    def _number(self, value: Any, kind: Any) -> np.generic | None:
        if kind is not None:
            return _cast(value, kind)
        return number(value)

    def tell_implicit_copies(self, stacklevel: int) -> None:
        """Warn once of all host arrays that this launch copies on its own."""
        if not self.implicit or not settings.warn_on_implicit_copy:
            return
        names = ", ".join(f"`{name}`" for name, _ in self.implicit)
        size_bytes = sum(size for _, size in self.implicit)
        warnings.warn(
            f"Host array used in CUDA kernel will incur copy overhead to/from device: {names} of "
            f"`{self.kernel}`, {size_bytes / MB:.3g} MB each way. Try: cuda.to_device before the "
            "launch, copy_to_host after it",
            CudaPerformanceWarning,
            stacklevel=stacklevel,
        )

    def copy_back(self) -> None:
        """Copy what the kernel may have written to the host arrays."""
        for write_back in self.write_backs:
            write_back()


def number(value: Any) -> np.generic | None:
    """A number with the type that Numba gives it; None for anything else.

    >>> number(3), number(2**63), number(1.5), number(np.int8(3))
    (np.int64(3), np.uint64(9223372036854775808), np.float64(1.5), np.int8(3))
    """
    if isinstance(value, np.generic):
        return value if value.dtype.kind in "biufcmM" else None
    if isinstance(value, bool):
        return np.bool_(value)
    if isinstance(value, int):
        if -(2**63) <= value < 2**63:
            return np.int64(value)
        if 0 <= value < 2**64:
            return np.uint64(value)
        raise CudaValueError(f"Int value is too large: {value}", remedy="64 bits at most")
    if isinstance(value, float):
        return np.float64(value)
    return np.complex128(value) if isinstance(value, complex) else None


def _cast(value: Any, kind: Any) -> np.generic | None:
    """A number as the signature's type; None where that is no number's."""
    dtype = dtype_of(kind)
    if dtype is None or dtype.kind not in "biufc":
        return number(value)
    if number(value) is None:
        return None
    if dtype.kind in "iu":
        if not isinstance(value, (int, np.integer, np.bool_)):
            raise CudaTypeError(
                f"the signature asks for {dtype.name}, got {value!r}", remedy="int(...)"
            )
        bits = int(value) & ((1 << 8 * dtype.itemsize) - 1)
        return np.uint64(bits).astype(dtype)
    if dtype.kind in "bf" and isinstance(value, (complex, np.complexfloating)):
        raise CudaTypeError(f"the signature asks for {dtype.name}, got {value!r}")
    return dtype.type(value)


def _copy_out(device: DeviceArrayBase, host: Any, what: str) -> None:
    with hidden_copies(what):
        if isinstance(host, np.void):
            found = device.copy_to_host()
            for name in host.dtype.names or ():
                host[name] = found[name]
        else:
            device.copy_to_host(np.asarray(host))


def _as_kind(view: DeviceView, kind: Any, name: str, kernel: str) -> DeviceView:
    """The view as the signature's type.

    Numba reads the bytes of any array as that type, without a word. Here that holds for integers
    of one size, signed or not; other mismatches are refused.
    """
    wanted, ndim = dtype_of(getattr(kind, "dtype", kind)), getattr(kind, "ndim", 0)
    wanted = view.dtype if wanted is None else wanted
    integers = wanted.kind in "iu" and view.dtype.kind in "iu"
    same = wanted == view.dtype or (integers and wanted.itemsize == view.dtype.itemsize)
    order = getattr(kind, "layout", "A")
    fits = order == "A" or layout.is_contiguous(
        view.shape, view.strides, view.dtype.itemsize, order
    )
    if same and ndim == len(view.shape) and fits:
        return replace(view, dtype=wanted)
    found = f"{view.dtype}, {len(view.shape)}-D" + ("" if fits else f", not {order}-contiguous")
    raise CudaTypeError(
        f"argument `{name}` of `{kernel}` is an array of {found}; its signature says {kind}",
        remedy=f"an array of {wanted}, {ndim}-D, or no signature",
    )


def prototype(kind: Any) -> Argument | None:
    """An argument of a Numba type, empty or zero; None for a type that has no such form."""
    name = type(kind).__name__
    if name in ("Array", "Record"):
        dtype = dtype_of(kind if name == "Record" else kind.dtype)
        if dtype is None:
            return None
        shape = (0,) * getattr(kind, "ndim", 0)
        readonly = not getattr(kind, "mutable", True)
        return DeviceView(Buffer(0), 0, shape, shape, dtype, readonly)
    if hasattr(kind, "types"):
        items = tuple(prototype(item) for item in kind.types)
        return None if None in items else items
    dtype = dtype_of(kind)
    return None if dtype is None else dtype.type(0)
