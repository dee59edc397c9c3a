"""Arrays as a kernel sees them: addresses that say which array they belong to.

A pointer is made up: the number of its storage, and the place in it. So an address far outside
still says from which array it was computed, and nothing but the array's own bytes is read or
written. None of them can be mistaken for a real address, because those are all below ``_FIRST``.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.lib.stride_tricks import as_strided

from gpuedu.errors import GpueduError

_FIRST = 1 << 62
_SHIFT = 44
_MIDDLE = 1 << (_SHIFT - 1)
"""Where storages begin: what lies before them still has their number."""


@dataclass
class Storage:
    """Bytes that tensors share, and who touched which element of them.

    Attributes:
        number: from 1.
        key: where its bytes are on their device.
        host: its bytes, on the host.
        views: the tensors of the launch that are in it, by name.
        inside: (bytes,) bool: which of them belong to one of these; None for all.
        unwritten: (bytes,) bool: where elements start that hold nothing yet; None for nowhere.
    """

    number: int
    key: int
    host: np.ndarray
    views: dict[str, torch.Tensor] = field(default_factory=dict)
    inside: np.ndarray | None = None
    unwritten: np.ndarray | None = None

    @property
    def address(self) -> int:
        """Of the first byte."""
        return _FIRST + (self.number << _SHIFT) + _MIDDLE

    @property
    def unit(self) -> int:
        """Bytes of the smallest element of the tensors in it: the unit of recorded accesses."""
        return min(view.element_size() for view in self.views.values())

    @property
    def units(self) -> int:
        """How many of these there are, including a remainder."""
        return -(-len(self.host) // self.unit)

    def of(self, dtype: np.dtype) -> np.ndarray:
        """The bytes as numbers of this kind; a remainder is left out."""
        whole = len(self.host) // dtype.itemsize * dtype.itemsize
        return self.host[:whole].view(dtype)

    def name_at(self, offset: int) -> str:
        """The tensor that a byte belongs to, or is nearest to."""
        return min(self.views, key=lambda name: _distance(self.views[name], offset))

    def index_at(self, name: str, offset: int) -> tuple[int, ...]:
        """The index in a tensor's own dimensions; beyond its end the first one continues."""
        tensor = self.views[name]
        rest = offset // tensor.element_size() - tensor.storage_offset()
        if not tensor.is_contiguous() or not tensor.dim():
            return (rest,)
        found = []
        for stride in tensor.stride():
            at, rest = divmod(rest, stride) if stride else (0, rest)
            found.append(at)
        return tuple(found)


def _distance(tensor: torch.Tensor, offset: int) -> int:
    first = tensor.storage_offset() * tensor.element_size()
    last = first + _span(tensor) * tensor.element_size()
    return max(first - offset, offset - last + 1, 0)


def _span(tensor: torch.Tensor) -> int:
    """Elements from the first to the last one, gaps included."""
    if not tensor.numel():
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))


@dataclass(frozen=True)
class Pointer:
    """What a kernel is given in place of a tensor; a dtype may be Triton's, too."""

    dtype: Any
    address: int

    def data_ptr(self) -> int:
        """Its address, by the name that Triton asks for."""
        return self.address


def parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """An argument's tensors and numbers: those of a tuple, and what a descriptor describes.

    >>> list(parts("x", (3, (4.0,))))
    [('x[0]', 3), ('x[1][0]', 4.0)]
    """
    if isinstance(value, tuple):
        for number, one in enumerate(value):
            yield from parts(f"{name}[{number}]", one)
    else:
        yield name, value.base if _is_around_a_tensor(value) else value


def _is_around_a_tensor(value: Any) -> bool:
    """Whether it is one of Triton's: a descriptor of a tensor, or one under another dtype."""
    return isinstance(getattr(value, "base", None), torch.Tensor)


class Memory:
    """All storages of a launch.

    Args:
        arguments: of the kernel, by name.
        unwritten: names of those that hold nothing yet.
        pointed: tensors, by name, whose real addresses the kernel may find in an array.
    """

    def __init__(
        self,
        arguments: Mapping[str, Any],
        unwritten: Sequence[str] = (),
        pointed: Mapping[str, torch.Tensor] | None = None,
    ) -> None:
        self.storages: list[Storage] = []
        self._copies: list[tuple[torch.Tensor, torch.Tensor]] = []
        self.given = {name: self._given(name, value) for name, value in arguments.items()}
        for name, tensor in (pointed or {}).items():
            self._enter(name, tensor)
        for storage in self.storages:
            storage.inside = _inside(storage)
            fresh = [name for name in storage.views if name in unwritten]
            if fresh:
                storage.unwritten = _bytes_of(storage, fresh)

    def _given(self, name: str, value: Any) -> Any:
        """An argument with pointers in place of its tensors."""
        if isinstance(value, torch.Tensor):
            return self._enter(name, value)
        if isinstance(value, tuple):
            own = (self._given(f"{name}[{at}]", one) for at, one in enumerate(value))
            return type(value)(*own) if hasattr(value, "_fields") else tuple(own)
        if not _is_around_a_tensor(value):
            return value
        pointer = self._enter(name, value.base)
        if hasattr(value, "data_ptr"):
            return Pointer(value.dtype, pointer.address)
        own = copy.copy(value)
        own.base = pointer
        return own

    def _enter(self, name: str, tensor: torch.Tensor) -> Pointer:
        if tensor.requires_grad and not tensor.is_leaf:
            tensor = tensor.detach()
        key = tensor.untyped_storage().data_ptr()
        found = [one for one in self.storages if one.key == key]
        storage = found[0] if found else self._new(tensor)
        storage.views[name] = tensor
        offset = tensor.storage_offset() * tensor.element_size()
        return Pointer(tensor.dtype, storage.address + offset)

    def _new(self, tensor: torch.Tensor) -> Storage:
        whole = torch.empty(0, dtype=torch.uint8, device=tensor.device)
        whole.set_(tensor.untyped_storage())
        host = whole if whole.device.type == "cpu" else whole.cpu()
        if host is not whole:
            self._copies.append((whole, host))
        storage = Storage(len(self.storages) + 1, whole.data_ptr(), host.numpy())
        self.storages.append(storage)
        return storage

    def give_back(self) -> None:
        """Copy what was on a device back to it."""
        for device, host in self._copies:
            device.copy_(host)

    def made_up(self, addresses: np.ndarray) -> np.ndarray:
        """The kernel's own addresses in place of real ones; all others stay as they are."""
        found = addresses.copy()
        for storage in self.storages:
            offset = addresses.astype(np.int64) - storage.key
            own = (offset >= 0) & (offset < len(storage.host))
            found[own] = storage.address + offset[own]
        return found

    def storage_of(self, address: int) -> Storage | None:
        """The storage from whose pointer an address was computed."""
        number = (address - _FIRST) >> _SHIFT
        return self.storages[number - 1] if 0 < number <= len(self.storages) else None

    def require_one(self, addresses: np.ndarray) -> Storage:
        """The one storage of all these addresses.

        Raises:
            GpueduError: they belong to several, or to none.
        """
        first = self.storage_of(int(addresses[0]))
        if first is None or (addresses >> np.uint64(_SHIFT) != first.address >> _SHIFT).any():
            raise GpueduError(
                "a pointer that points to none of the kernel's arrays",
                remedy="Compute addresses as a pointer argument plus offsets, "
                "or give `simulate` the tensor with `pointed=`.",
            )
        return first


def _inside(storage: Storage) -> np.ndarray | None:
    size = len(storage.host)
    if any(
        v.is_contiguous() and v.numel() * v.element_size() == size for v in storage.views.values()
    ):
        return None
    return _bytes_of(storage, storage.views)


def _bytes_of(storage: Storage, names: Iterable[str]) -> np.ndarray:
    """(bytes,) bool: which bytes of a storage belong to one of these tensors."""
    found = np.zeros(len(storage.host), bool)
    for name in names:
        view = storage.views[name]
        width = view.element_size()
        strides = (*(stride * width for stride in view.stride()), 1)
        bytes_of = found[view.storage_offset() * width :]
        as_strided(bytes_of, (*view.shape, width), strides)[...] = True  # they may overlap
    return found
