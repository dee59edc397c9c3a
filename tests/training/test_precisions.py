"""Precisions: what is computed in which dtype, and that every switch is put back."""

from __future__ import annotations

import pytest
import torch

from gpuedu.training.precisions import PRECISIONS, computing_in, scaler_for, why_not


@pytest.mark.parametrize(
    ("precision", "dtype"),
    [
        ("fp32", torch.float32),
        ("tf32", torch.float32),
        ("bf16", torch.bfloat16),
        ("fp16", torch.float16),
    ],
)
def test_a_product_is_taken_in_its_dtype(precision, dtype):
    with computing_in(precision, "cpu"):
        assert (torch.ones(2, 3) @ torch.ones(3, 2)).dtype == dtype


def test_tf32_is_switched_on_inside_only_and_off_again_after_an_error():
    torch.set_float32_matmul_precision("medium")
    try:
        with pytest.raises(KeyError), computing_in("tf32", "cpu"):
            assert torch.get_float32_matmul_precision() == "high"
            assert torch.backends.cudnn.allow_tf32
            raise KeyError
        assert torch.get_float32_matmul_precision() == "medium"
        with computing_in("fp32", "cpu"):
            assert torch.get_float32_matmul_precision() == "highest"
            assert not torch.backends.cudnn.allow_tf32
    finally:
        torch.set_float32_matmul_precision("highest")


@pytest.mark.parametrize("precision", PRECISIONS)
def test_only_fp16_is_scaled(precision):
    scaler = scaler_for(precision, "cpu")
    scaled = scaler.scale(torch.ones(1))
    assert (scaled.item() > 1) == (precision == "fp16")


def test_an_old_gpu_is_told_what_it_lacks(monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (7, 5))
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: False)
    assert why_not("tf32", "cuda") == "this GPU computes no TF32"
    assert why_not("bf16", "cuda") == "this GPU computes no bfloat16"
    assert why_not("fp16", "cuda") == ""


@pytest.mark.parametrize("call", [why_not, scaler_for])
def test_an_unknown_precision_is_named(call):
    with pytest.raises(ValueError, match="'fp8', and should be one of"):
        call("fp8", "cpu")
