"""The library's product, and that it is never rounded to TF32 unseen."""

from __future__ import annotations

import pytest
import torch

from gpuedu.ladder import LadderError
from gpuedu.ladder.library import bind_library, full_float32


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_it_overwrites_c(dtype):
    generator = torch.Generator().manual_seed(3)
    a, b = (torch.randn(s, generator=generator).to(dtype) for s in ((5, 7), (7, 3)))
    c = torch.full((5, 3), float("nan"), dtype=dtype)
    bind_library(a, b, c)()
    torch.testing.assert_close(c, a @ b)


def test_shortened_float32_is_refused():
    a = torch.ones(2, 2)
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("high")
        with pytest.raises(LadderError, match="precision 'high'"):
            bind_library(a, a, a)
        half = a.bfloat16()
        bind_library(half, half, torch.empty_like(half))()
    finally:
        torch.set_float32_matmul_precision(before)


def test_inside_of_full_float32_nothing_is_shortened():
    a = torch.full((2, 2), 3.0)
    c = torch.empty_like(a)
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("high")
        with full_float32():
            bind_library(a, a, c)()
        assert torch.get_float32_matmul_precision() == "high"
    finally:
        torch.set_float32_matmul_precision(before)
    assert (c == 18).all()
