"""Code that launches Triton kernels runs as it is where there is no GPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice
from triton.language.extra.libdevice import rsqrt
from triton.tools.tensor_descriptor import TensorDescriptor

from gpuedu.simt.host.hazards import tell
from gpuedu.triton import simulate
from gpuedu.triton.launching import interpreted
from tests.triton import kernels


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64}, num_warps=2), triton.Config({"BLOCK": 256})], key=["n"]
)
@triton.heuristics({"IS_EVEN": lambda given: given["n"] % 2 == 0})
@triton.jit
def scaled(x, out, n, factor, IS_EVEN: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = libdevice.tanh(tl.load(x + at, mask=at < n)) * factor.to(tl.float32)
    if IS_EVEN:
        values = values * rsqrt(tl.full((BLOCK,), 4.0, tl.float32))
    tl.store(out + at, values, mask=at < n)


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        out = torch.empty_like(x)
        block = triton.next_power_of_2(x.shape[1])
        kernels.softmax[(len(x),)](
            x, out, *2 * (x.stride(0),), x.shape[1], BLOCK=block, num_warps=8
        )
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad):
        (out,) = ctx.saved_tensors
        return out * (grad - (grad * out).sum(1, keepdim=True))


def test_a_function_of_pytorch_that_launches_kernels():
    traces = []
    x = torch.randn(5, 70, requires_grad=True)
    with interpreted(traces.append):
        Softmax.apply(x).square().sum().backward()
    other = x.detach().clone().requires_grad_()
    other.softmax(1).square().sum().backward()
    torch.testing.assert_close(x.grad, other.grad)
    assert [one.launch.block for one in traces] == [(256, 1, 1)]


@pytest.mark.parametrize("n", [100, 101])
def test_autotune_heuristics_and_libdevice(n):
    x, out, traces = torch.randn(n), torch.empty(n), []
    with interpreted(traces.append):
        scaled[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n, 3.0)
    torch.testing.assert_close(out, x.tanh() * (1.5 if n % 2 == 0 else 3.0))
    assert traces[0].launch.grid == (2, 1, 1)
    assert scaled.best_config.kwargs == {"BLOCK": 64}
    assert traces[0].launch.block == (64, 1, 1)


def test_what_is_told_ends_the_launch():
    x, before = torch.ones(100), type(kernels.scan).run
    with interpreted(lambda trace: tell(trace, 2)), pytest.raises(Exception, match="loads x"):
        kernels.scan[(1,)](x, torch.empty(100), BLOCK=128)
    assert type(kernels.scan).run is before


IN_A_LESSON = """
import torch
from tests.triton import kernels
from gpuedu import setup
setup("custom-kernels")
setup("custom-kernels")
x, out = torch.arange(100.0), torch.empty(100)
kernels.add[(1,)](x, x, out, 100, BLOCK=128)
assert out.tolist() == (2 * x).tolist()
kernels.scan[(1,)](x, out, BLOCK=128)
"""


def test_a_lesson_launches_as_on_a_gpu():
    done = subprocess.run(
        [sys.executable, "-c", IN_A_LESSON],
        capture_output=True,
        text=True,
        env={**os.environ, "GPUEDU_TIER": "cpu", "PYTHONPATH": str(Path.cwd())},
    )
    assert done.returncode == 1
    assert "program 0 loads x[100], and `x` has the shape (100,)" in done.stderr


def test_a_function_that_is_not_known_is_told():
    @triton.jit
    def bessel(x, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(x + at, libdevice.j0(tl.load(x + at)))

    trace = simulate(bessel, 1, 128, torch.ones(32), BLOCK=32)
    assert "`__nv_j0f` of libdevice is not known" in trace.hazards[0].message


@triton.jit
def turned(x, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.program_id(0) * M, tl.program_id(1) * N
    out.store([j, i], x.load([i, j]).T)


def test_descriptors_that_the_host_made():
    x, out, traces = torch.randn(40, 24), torch.empty(24, 40), []
    given = TensorDescriptor.from_tensor(x, [16, 8]), TensorDescriptor.from_tensor(out, [8, 16])
    with interpreted(traces.append):
        turned[(3, 3)](*given, M=16, N=8)
    assert torch.equal(out, x.T)
    assert traces[0].hazards == ()
    assert [(one.array, one.shape) for one in traces[0].arrays] == [
        ("x", (40, 24)),
        ("out", (24, 40)),
    ]
    too_long = TensorDescriptor(x, [48, 24], [24, 1], [16, 8])
    (found,) = simulate(turned, (3, 3), 128, too_long, given[1], M=16, N=8).hazards
    assert (found.kind, found.array, found.index) == ("out-of-bounds", "x", (40, 0))


@triton.jit
def scaled_sum(parts, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tensors, factor = parts
    tl.store(out + at, (tl.load(tensors[0] + at) + tl.load(tensors[1] + at)) * factor)


def test_a_tuple_of_tensors_and_numbers():
    x, y, out = torch.randn(3, 64)
    trace = simulate(scaled_sum, 1, 128, ((x, y), 1 / 3), out, BLOCK=64)
    assert torch.equal(out, (x + y) * torch.tensor(1 / 3))
    assert [one.name for one in trace.launch.arguments] == [
        "parts[0][0]",
        "parts[0][1]",
        "parts[1]",
        "out",
        "BLOCK",
    ]
    (found,) = simulate(scaled_sum, 1, 32, ((x, y[:60]), 1.0), out, BLOCK=64).hazards
    assert (found.kind, found.array, found.index) == ("out-of-bounds", "parts[0][1]", (60,))


@triton.jit
def squared(where, sizes, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(where + tl.program_id(0)).to(tl.pointer_type(tl.float32)) + at
    mask = at < tl.load(sizes + tl.program_id(0))
    tl.store(x, tl.load(x, mask=mask) * tl.load(x, mask=mask), mask=mask)


def test_addresses_in_an_array_lead_to_the_tensors_that_have_them():
    xs, traces = [torch.randn(n) for n in (5, 64, 1)], []
    heads, before = [x[:1] for x in xs], [x.clone() for x in xs]
    where = torch.tensor([x.data_ptr() for x in xs])
    with interpreted(traces.append):
        squared[(3,)](where, torch.tensor([5, 64, 1]), BLOCK=64)
        squared[(1,)](where, torch.tensor([6]), BLOCK=64)
    for x, old in zip(xs[1:], before[1:], strict=True):
        assert torch.equal(x, old.square())
    assert traces[0].hazards == ()
    (found,) = traces[1].hazards
    assert found.message == "program 0 loads where[0][5], and `where[0]` has the shape (5,)"
    assert len(heads) == 3  # they have these addresses, too, and are smaller


def test_an_address_of_something_else_is_none_of_an_argument():
    x, sizes = torch.ones(64), torch.tensor([64])
    numbers = [x.data_ptr(), 0, *(n << 44 for n in range(1, 4))]
    for number in numbers:
        trace = simulate(squared, 1, 128, torch.tensor([number]), sizes, BLOCK=64)
        (found,) = trace.hazards
        assert found.kind == "failed"
        assert "points to none of the kernel's arrays" in found.message
    trace = simulate(squared, 1, 128, torch.tensor(numbers), sizes, pointed={"x": x}, BLOCK=64)
    assert trace.hazards == ()
    assert [one.array for one in trace.arrays] == ["where", "sizes", "x"]
