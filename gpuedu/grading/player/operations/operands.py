"""Tensors of PyTorch in messages: by their storages, so that views stay views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from gpuedu.errors import AnswerError
from gpuedu.training.dispatch import unwatched

DEVICES = ("cpu", "meta")
_DTYPES = {
    str(one).removeprefix("torch."): one
    for one in (
        *(torch.float16, torch.bfloat16, torch.float32, torch.float64),
        *(torch.complex64, torch.complex128, torch.bool, torch.uint8),
        *(torch.int8, torch.int16, torch.int32, torch.int64),
    )
}
_LARGEST_BYTES = 2**32
_NO_FORM = "an operation arrived in an unknown form"


def dtype_named(name: Any) -> torch.dtype:
    """The dtype of this name.

    Raises:
        AnswerError: there is none, or it is not one of plain numbers.
    """
    if type(name) is not str or name not in _DTYPES:
        raise AnswerError(_NO_FORM)
    return _DTYPES[name]


def require_dense(tensor: torch.Tensor) -> None:
    """Raise AnswerError for a tensor that has no elements side by side in one memory."""
    dense = tensor.layout == torch.strided and not tensor.is_quantized
    if not dense or tensor.device.type not in DEVICES or tensor.dtype not in _DTYPES.values():
        raise AnswerError(
            "a class can only be graded with dense tensors of numbers on the CPU",
            remedy="sparse and quantized ones, and those of other devices, are not carried over",
        )


def describe_tensors(tensors: Sequence[torch.Tensor]) -> dict[str, list]:
    """``storages``: device, bytes and content of each; ``tensors``: how each lies in one."""
    numbers: dict[int, int] = {}
    told: dict[str, list] = {"storages": [], "tensors": []}
    for tensor in tensors:
        require_dense(tensor)
        storage = tensor.untyped_storage()
        if storage._cdata not in numbers:
            numbers[storage._cdata] = len(told["storages"])
            told["storages"].append([tensor.device.type, storage.nbytes(), storage_content(tensor)])
        name = str(tensor.dtype).removeprefix("torch.")
        lies = [list(tensor.shape), list(tensor.stride()), tensor.storage_offset()]
        told["tensors"].append([numbers[storage._cdata], name, *lies])
    return told


def storage_content(tensor: torch.Tensor) -> np.ndarray | None:
    """A copy of the bytes of its whole storage; None if it has no values."""
    if tensor.device.type == "meta":
        return None
    with unwatched():
        empty = torch.empty(0, dtype=torch.uint8, device="cpu")
        storage = tensor.untyped_storage()
        return empty.set_(storage, 0, (storage.nbytes(),), (1,)).numpy().copy()


def rebuild_tensors(told: Any) -> list[torch.Tensor]:
    """New tensors from the description of some.

    Raises:
        AnswerError: it has no known form, or one reaches outside its storage.
    """
    with unwatched():
        try:
            storages = [_rebuild_storage(*one) for one in told["storages"]]
            return [_rebuild_tensor(storages, *one) for one in told["tensors"]]
        except (TypeError, KeyError, IndexError, ValueError, RuntimeError) as fault:
            raise AnswerError("a tensor arrived in an unknown form") from fault


def _rebuild_storage(device: Any, size: Any, raw: Any) -> torch.Tensor:
    if device == "meta" and type(size) is int and 0 <= size < _LARGEST_BYTES:
        return torch.empty(size, dtype=torch.uint8, device="meta")
    if device != "cpu" or type(raw) is not np.ndarray or raw.dtype != np.uint8 or raw.ndim != 1:
        raise ValueError(device)
    return torch.from_numpy(raw)


def _rebuild_tensor(
    storages: list[torch.Tensor], at: Any, dtype: Any, shape: Any, strides: Any, offset: Any
) -> torch.Tensor:
    shape, strides, offset = storage_places(shape, strides, offset)
    kind = dtype_named(dtype)
    if type(at) is not int or at < 0:
        raise ValueError(at)
    raw = storages[at]
    whole = raw[: raw.numel() // kind.itemsize * kind.itemsize].view(kind)
    if offset > whole.numel():
        raise ValueError(offset)
    if whole.as_strided(shape, strides, offset).numel():  # it lies inside, or this raises
        _require_inside(whole.numel(), shape, strides, offset)
    empty = torch.empty(0, dtype=kind, device=raw.device)
    return empty.set_(raw.untyped_storage(), offset, shape, strides)


def _require_inside(count: int, shape: list, strides: list, offset: int) -> None:
    """PyTorch looks at the bounds where there is memory, and not on "meta"."""
    last = offset + sum((side - 1) * step for side, step in zip(shape, strides, strict=True))
    if last >= count:
        raise ValueError(last)


def storage_places(shape: Any, strides: Any, offset: Any) -> tuple[list[int], list[int], int]:
    """How a tensor lies in its storage.

    Raises:
        AnswerError: these are not whole numbers from 0 on, in lists of equal length.
    """
    if not (type(shape) is type(strides) is list and len(shape) == len(strides) <= 16):
        raise AnswerError(_NO_FORM)
    if any(type(one) is not int or not 0 <= one < 2**40 for one in (*shape, *strides, offset)):
        raise AnswerError(_NO_FORM)
    return shape, strides, offset
