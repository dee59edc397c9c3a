"""A kernel goes to another process as a text, and does there what it does here."""

from __future__ import annotations

import inspect

import pytest
import torch
import triton
import triton.language as tl

from gpuedu.errors import GpueduError
from gpuedu.triton import language, simulate
from gpuedu.triton.texts import kernel_of, text_of
from tests.triton import kernels

LOG2E: tl.constexpr = tl.constexpr(1.5)
SHIFT = -3


@triton.jit
def shifted(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * LOG2E + SHIFT, mask=at < n)


def launch(kernel):
    m, n, k = 50, 40, 33
    torch.manual_seed(0)
    a, b, c = torch.randn(m, k), torch.randn(k, n), torch.empty(m, n)
    tiles = {"M": 16, "N": 16, "K": 16, "GROUP": 2, "PRECISION": "ieee"}
    return c, simulate(kernel, 12, 64, a, b, c, m, n, k, k, n, n, **tiles)


def test_a_kernel_with_a_function_that_it_calls():
    text = text_of(kernels.matmul)
    assert text.index("def tile_of") < text.index("def matmul")
    ours, trace = launch(kernels.matmul)
    theirs, other = launch(kernel_of(text, "matmul"))
    assert torch.equal(ours, theirs)
    assert [one.sectors.tolist() for one in trace.sites] == [
        one.sectors.tolist() for one in other.sites
    ]


def test_numbers_that_a_kernel_uses():
    x, out = torch.randn(100), torch.empty(100)
    kernel = kernel_of(text_of(shifted), "shifted")
    trace = simulate(kernel, 1, 128, x, out, 100, BLOCK=128)
    torch.testing.assert_close(out, x * 1.5 - 3)
    assert trace.hazards == ()
    assert trace.launch.sources[0].text.startswith("@triton.jit")


def test_lines_are_those_of_the_text():
    text = (
        "@triton.jit\ndef f(x, BLOCK: tl.constexpr):\n\n    tl.store(x + tl.arange(0, BLOCK), 1.0)"
    )
    trace = simulate(kernel_of(text, "f"), 1, 32, torch.zeros(9), BLOCK=16)
    assert [(one.kind, one.place.line) for one in trace.findings] == [("out-of-bounds", 4)]


def test_what_is_no_kernel_is_not_run():
    with pytest.raises(language.LanguageError):
        kernel_of("print('here')\n@triton.jit\ndef f(x):\n    return x", "f")
    with pytest.raises(GpueduError, match="no kernel `g`"):
        kernel_of("@triton.jit\ndef f(x):\n    return x", "g")


def test_every_kernel_survives_the_way():
    for name, one in vars(kernels).items():
        if hasattr(one, "run"):
            found = kernel_of(text_of(one), name)
            assert (
                inspect.signature(found.fn).parameters.keys() == dict.fromkeys(one.arg_names).keys()
            )
