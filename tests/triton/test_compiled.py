"""What Triton's compiler makes of kernels, without a GPU."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl

from gpuedu import lens
from gpuedu.compilers.errors import KernelCompileError
from gpuedu.triton import compiled_facts, simulate
from tests.triton import kernels

TILES = {"M": 64, "N": 64, "K": 32, "GROUP": 4, "PRECISION": "tf32"}


def facts_of_matmul(dtype, **options):
    a, b = torch.zeros(256, 256, dtype=dtype), torch.zeros(256, 256, dtype=dtype)
    sizes = [256] * 6
    return compiled_facts(
        kernels.matmul, 128, a, b, torch.zeros(256, 256), *sizes, **TILES | options
    )


def test_a_product_uses_tensor_cores_and_shared_memory():
    facts = facts_of_matmul(torch.float16)
    assert facts.compute_capability == (9, 0)
    assert facts.count("wgmma.mma_async") > 0
    assert facts.shared_bytes >= 2 * 2 * 64 * 32
    assert 32 <= facts.registers <= 255
    assert facts.spill_stores_bytes == 0


def test_another_device_has_other_instructions():
    facts = facts_of_matmul(torch.float16, compute_capability=(8, 0))
    assert facts.count("wgmma") == 0
    assert facts.count("mma.sync") > 0


def test_more_stages_take_more_shared_memory():
    few, many = (facts_of_matmul(torch.float16, num_stages=n).shared_bytes for n in (2, 4))
    assert few < many


def test_a_row_that_is_aligned_is_loaded_four_numbers_at_a_time():
    x = torch.zeros(4, 128)
    aligned = compiled_facts(kernels.softmax, 32, x, x, 128, 128, 128, BLOCK=128)
    other = compiled_facts(kernels.softmax, 32, x, x, 125, 125, 125, BLOCK=128)
    assert aligned.count("ld.global.v4") + aligned.count("ld.global.v4.b32") > 0
    assert other.count("ld.global.v4") == 0


def test_facts_stand_beside_the_counts():
    x, out = torch.randn(4, 100), torch.empty(4, 100)
    given = (x, out, 100, 100, 100)
    trace = simulate(kernels.softmax, 4, 128, *given, BLOCK=128)
    facts = compiled_facts(kernels.softmax, 128, *given, BLOCK=128)
    assert f"{facts.registers} registers" in str(lens(trace, compiled=facts))
    assert any(line in facts.by_line for line in (one.place.line for one in trace.lines))


def test_shared_memory_that_the_source_does_not_name_limits_occupancy():
    a, b, c = (torch.zeros(256, 256, dtype=torch.float16) for _ in range(3))
    given = (a, b, c, *[256] * 6)
    trace = simulate(kernels.matmul, 16, 128, *given, **TILES)
    facts = facts_of_matmul(torch.float16, num_stages=4)
    fits = {one.device: one for one in lens(trace, compiled=facts).occupancy}
    assert fits["H100 SXM"].shared_bytes_per_block == facts.shared_bytes
    assert "shared memory" in str(fits["H100 SXM"])


@triton.jit
def not_a_constant(x, n):
    tl.store(x + tl.arange(0, n), 0.0)


@triton.jit
def unknown_name(x, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x + at, missing)  # noqa: F821


@pytest.mark.parametrize(
    ("kernel", "arguments", "told"),
    [
        (not_a_constant, (64,), r"arange's arguments must be of type tl\.constexpr"),
        (unknown_name, (), "missing is not defined"),
    ],
)
def test_what_is_refused_is_told_with_its_line(kernel, arguments, told):
    constants = {} if arguments else {"BLOCK": 64}
    with pytest.raises(KernelCompileError, match=rf"in line \d+: .*{told}"):
        compiled_facts(kernel, 128, torch.zeros(64), *arguments, **constants)
