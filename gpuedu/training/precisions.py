"""The four ways to compute a step that the lessons compare: fp32, tf32, bf16, fp16.

What a learner's own code does with ``torch.autocast`` and a ``GradScaler``, in one place for the
measurements: fp32 in full; tf32, where products of float32 round their factors to 10 bits of
mantissa; bf16 and fp16 by autocast, fp16 with a scaler.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

PRECISIONS = ("fp32", "tf32", "bf16", "fp16")

_HALVES = {"bf16": torch.bfloat16, "fp16": torch.float16}
_TF32_FROM = (8, 0)


def why_not(precision: str, device: torch.device | str) -> str:
    """Why a precision is not available on a device, or nothing.

    TF32 is for GPUs of compute capability 8.0 and up; bfloat16 counts if the GPU computes it
    itself, not if PyTorch emulates it. A CPU has every dtype, and no TF32.

    >>> why_not("bf16", "cpu"), why_not("tf32", "cpu")
    ('', 'TF32 is for GPUs')
    """
    _require(precision)
    device = torch.device(device)
    if precision == "tf32":
        if device.type != "cuda":
            return "TF32 is for GPUs"
        if torch.cuda.get_device_capability(device) < _TF32_FROM:
            return "this GPU computes no TF32"
    if (
        precision == "bf16"
        and device.type == "cuda"
        and not torch.cuda.is_bf16_supported(including_emulation=False)
    ):
        return "this GPU computes no bfloat16"
    return ""


@contextmanager
def computing_in(precision: str, device: torch.device | str) -> Iterator[None]:
    """Compute the forward pass and the loss inside in this precision; then restore the switches.

    The backward pass runs in the dtypes of the forward pass, so it goes outside autocast; with tf32
    it belongs inside, because the switch matters when a product is computed.

    >>> model = torch.nn.Linear(4, 2)
    >>> with computing_in("bf16", "cpu"):
    ...     model(torch.ones(3, 4)).dtype
    torch.bfloat16
    """
    _require(precision)
    with _float32_products(in_tf32=precision == "tf32"):
        if precision not in _HALVES:
            yield
            return
        with torch.autocast(torch.device(device).type, _HALVES[precision]):
            yield


def scaler_for(precision: str, device: torch.device | str) -> torch.amp.GradScaler:
    """A loss scaler that scales for fp16, and does nothing for any other precision.

    >>> scaler_for("fp16", "cpu").is_enabled(), scaler_for("bf16", "cpu").is_enabled()
    (True, False)
    """
    _require(precision)
    return torch.amp.GradScaler(torch.device(device).type, enabled=precision == "fp16")


@contextmanager
def _float32_products(*, in_tf32: bool) -> Iterator[None]:
    """Set how float32 is multiplied, in matrix products and in convolutions."""
    before = torch.get_float32_matmul_precision(), torch.backends.cudnn.allow_tf32
    torch.set_float32_matmul_precision("high" if in_tf32 else "highest")
    torch.backends.cudnn.allow_tf32 = in_tf32
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before[0])
        torch.backends.cudnn.allow_tf32 = before[1]


def _require(precision: str) -> None:
    if precision not in PRECISIONS:
        raise ValueError(f"precision is {precision!r}, and should be one of {PRECISIONS}")
