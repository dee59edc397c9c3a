"""Kernels in Triton without a GPU: right values, no false hazard, an account as the lens reads it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

import gpuedu
from gpuedu import lens
from gpuedu.errors import GpueduError
from gpuedu.exercises.guard import play_guarded
from gpuedu.trace import Operation
from gpuedu.triton import simulate
from gpuedu.widgets import step_through
from tests.triton import faults, kernels

torch.manual_seed(0)


def clean(trace):
    assert trace.complete
    assert trace.hazards == ()
    assert "requests" in str(lens(trace))
    return trace


@pytest.mark.parametrize("n", [1, 100, 128, 1000])
def test_add(n):
    x, y = torch.randn(2, n)
    out = torch.empty(n)
    clean(simulate(kernels.add, -(-n // 128), 128, x, y, out, n, BLOCK=128))
    assert torch.equal(out, x + y)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_softmax_of_rows_in_a_wider_array(dtype):
    x = torch.randn(7, 120).to(dtype)[:, :100]
    out = torch.empty(7, 100, dtype=dtype)
    clean(simulate(kernels.softmax, 7, 128, x, out, x.stride(0), 100, 100, BLOCK=128))
    torch.testing.assert_close(out, x.float().softmax(1).to(dtype))


def test_layer_norm_of_rows_longer_than_a_block():
    x, weight, bias = torch.randn(5, 300), torch.randn(300), torch.randn(300)
    out = torch.empty_like(x)
    trace = simulate(kernels.layer_norm, 5, 64, x, out, weight, bias, 300, 300, 1e-5, BLOCK=128)
    clean(trace)
    wanted = torch.nn.functional.layer_norm(x, (300,), weight, bias)
    torch.testing.assert_close(out, wanted)
    uses = {one.array: one for one in trace.arrays}
    assert uses["x"].read_bytes >= x.nbytes
    assert uses["out"].read_bytes == 0


@pytest.mark.parametrize("shape", [(64, 64, 64), (70, 50, 90), (16, 100, 33)])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_matmul_with_ragged_edges(shape, dtype):
    m, n, k = shape
    a, b, c = torch.randn(m, k).to(dtype), torch.randn(k, n).to(dtype), torch.empty(m, n)
    tiles = {"M": 32, "N": 32, "K": 16, "GROUP": 2, "PRECISION": "ieee"}
    programs = -(-m // 32) * -(-n // 32)
    trace = simulate(kernels.matmul, programs, 128, a, b, c, m, n, k, k, n, n, **tiles)
    clean(trace)
    torch.testing.assert_close(c, a.float() @ b.float(), rtol=1e-5, atol=1e-4)
    flop = sum(one.flop.get(str(dtype)[6:], 0) for one in trace.lines)
    assert flop >= programs * 2 * 32 * 32 * k


def test_float32_is_rounded_to_tf32_as_a_gpu_does_by_itself():
    a, b, c = torch.randn(32, 32), torch.randn(32, 32), torch.empty(32, 32)
    tiles = {"M": 32, "N": 32, "K": 32, "GROUP": 1, "PRECISION": "tf32"}
    trace = simulate(kernels.matmul, 1, 128, a, b, c, 32, 32, 32, 32, 32, 32, **tiles)
    assert [one.kind for one in trace.findings] == ["tf32"]
    off = (c - a @ b).abs().max()
    assert 1e-4 < off < 0.1


@triton.jit
def double_sum(a, out):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    x = tl.load(a + at)
    tl.store(out + at, tl.dot(x, x, tl.zeros((16, 16), tl.float64)))


def test_a_product_of_short_numbers_has_no_float64_sum_as_for_the_compiler():
    trace = simulate(double_sum, 1, 128, torch.ones(16, 16), torch.empty(16, 16))
    (found,) = trace.findings
    assert found.kind == "failed"
    assert "fp32 factors with a float64 sum" in found.message


@pytest.mark.parametrize("n", [64, 100])
def test_attention(n):
    q, k, v = torch.randn(3, n, 16)
    out = torch.empty(n, 16)
    sizes = {"ROWS": 32, "KEYS": 16, "D": 16}
    clean(simulate(kernels.attention, -(-n // 32), 128, q, k, v, out, n, 0.25, **sizes))
    wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    torch.testing.assert_close(out, wanted)


def test_a_window_that_leaves_its_picture():
    x, weights, out = torch.randn(3, 8, 7), torch.randn(4, 2), torch.empty(3, 8, 7)
    clean(simulate(kernels.convolve, 3, 32, x, weights, out, 8, 7, M=4, N=2))
    padded = torch.nn.functional.pad(x, (0, 1, 0, 3))[:, None]
    wanted = torch.nn.functional.conv2d(padded, weights[None, None])[:, 0]
    torch.testing.assert_close(out, wanted)


def test_products_of_a_batch():
    a, b, c = torch.randn(3, 32, 32), torch.randn(3, 32, 32), torch.empty(3, 32, 32)
    clean(simulate(kernels.batched_product, (2, 2, 3), 128, a, b, c, SIZE=32, BLOCK=16))
    torch.testing.assert_close(c, a @ b)


def test_weights_of_four_bits():
    codes = torch.randint(-(2**31), 2**31, (32, 8)).int()
    zeros, scales = torch.randint(16, (32, 8)).int(), torch.rand(32, 8)
    x, out = torch.randn(64, 16), torch.empty(32, 16)
    given = (codes, zeros, scales, x, out, 64)
    clean(simulate(kernels.product_of_four_bits, 2, 128, *given, ROWS=16, K=32, N=16))
    parts = (codes[:, :, None] >> torch.arange(0, 32, 4)) & 15
    weights = (scales[:, :, None] * (parts - zeros[:, :, None])).reshape(32, 64)
    torch.testing.assert_close(out, weights @ x, rtol=1e-4, atol=1e-4)


def test_atomics_of_several_programs_are_no_race():
    x = torch.randint(0, 10, (1000,), dtype=torch.int32)
    counts = torch.zeros(10, dtype=torch.int32)
    trace = clean(simulate(kernels.histogram, 8, 128, x, counts, 1000, BLOCK=128))
    assert torch.equal(counts, torch.bincount(x, minlength=10).int())
    atomic = next(one for one in trace.sites if one.operation == "atomic")
    assert atomic.same_address_lanes.sum() > atomic.requests.sum()


def test_a_lock_orders_what_is_done_behind_it():
    x, out, lock = torch.randn(4, 64), torch.zeros(64), torch.zeros(1, dtype=torch.int32)
    clean(simulate(kernels.sum_behind_a_lock, 4, 128, x, out, lock, BLOCK=64))
    torch.testing.assert_close(out, x.sum(0))


def test_random_numbers_and_scans():
    x, out = torch.ones(1000), torch.empty(1000)
    clean(simulate(kernels.dropout, 8, 128, x, out, 1000, 0.25, 7, BLOCK=128))
    assert out.unique().tolist() == pytest.approx([0, 4 / 3])
    assert 0.7 < (out > 0).float().mean() < 0.8
    x, out = torch.randn(128), torch.empty(128)
    clean(simulate(kernels.scan, 1, 128, x, out, BLOCK=128))
    torch.testing.assert_close(out, x.cumsum(0))


def test_a_grid_of_two_and_of_a_function():
    x, out = torch.randn(40, 70), torch.empty(70, 40)
    sizes = {"M": 16, "N": 32}

    def grid(given):
        return -(-given["rows"] // given["M"]), -(-given["columns"] // given["N"])

    trace = clean(simulate(kernels.transpose, grid, 128, x, out, 40, 70, **sizes))
    assert trace.launch.grid == (3, 3, 1)
    assert torch.equal(out, x.T)


def test_two_views_of_one_storage_are_one_memory():
    whole = torch.arange(256.0)
    clean(simulate(kernels.add, 1, 128, whole[:128], whole[128:], whole[:128], 128, BLOCK=128))
    assert torch.equal(whole[:128], torch.arange(128.0) * 2 + 128)


def test_a_tensor_of_one_number_that_is_expanded():
    x = torch.full((1,), 3.0).expand(100)
    trace = simulate(kernels.add, 1, 128, x, x, torch.empty(100), 100, BLOCK=128)
    (found,) = trace.hazards  # x and y are one memory
    assert (found.kind, found.array, found.index, found.count) == ("out-of-bounds", "x", (1,), 198)


def test_names_of_the_caller_stay_as_they_are():
    before = set(vars(kernels))
    simulate(kernels.add, 1, 128, torch.ones(9), torch.ones(9), torch.empty(9), 9, BLOCK=16)
    assert set(vars(kernels)) == before
    with pytest.raises(RuntimeError, match=r"Cannot call @triton\.jit"):
        kernels.tile_of(0, 1, 1, 1)


def test_a_program_can_be_stepped_through():
    x, out = torch.arange(100.0), torch.empty(100)
    trace = simulate(kernels.add, 1, 64, x, x, out, 100, BLOCK=128)
    assert trace.steps.active.tolist() == [2**32 - 1, 2**32 - 1] * 3
    walk = step_through(trace).walk
    assert [walk.at(at).frame.warp for at in range(len(walk))] == [0, 1] * 3
    first = walk.at(1).frame
    assert first.text.startswith("tl.store(out + at, tl.load(x + at, mask=mask)")
    assert (first.requests[0].site.operation, first.requests[0].site.array) == (Operation.LOAD, "x")
    broken = simulate(faults.load_without_mask, 1, 64, x, out, 100, BLOCK=128)
    assert step_through(broken).walk.frame.hazards[0].kind == "out-of-bounds"


def test_the_course_simulates_it_like_any_kernel():
    x, out = np.ones(100, np.float32), np.zeros(100, np.float32)
    trace = gpuedu.simulate(kernels.add, 1, 128, x, x, out, 100, BLOCK=128)
    assert trace.launch.kernel == "add"
    assert out.tolist() == [2.0] * 100
    with pytest.raises(TypeError, match="unexpected keyword argument 'BLOCK'"):
        gpuedu.simulate(lambda: None, 1, 128, BLOCK=3)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"grid": (0,)}, "a grid is one to three whole numbers"),
        ({"grid": (1, 1, 1, 1)}, "a grid is one to three"),
        ({"threads": 100}, "a program has 32, 64"),
        ({"arguments": (1, 2)}, "`add` cannot be launched with these arguments: missing"),
    ],
)
def test_a_launch_that_no_device_takes_is_told(change, told):
    x = torch.ones(9)
    given = {"grid": 1, "threads": 128, "arguments": (x, x, x.clone(), 9), **change}
    with pytest.raises(GpueduError, match=told):
        simulate(kernels.add, given["grid"], given["threads"], *given["arguments"], BLOCK=16)


def test_a_pointer_to_nothing_is_told():
    trace = simulate(kernels.add, 1, 128, 5, torch.ones(9), torch.ones(9), 9, BLOCK=16)
    assert [one.kind for one in trace.hazards] == ["failed"]


@triton.jit
def never_ends(x, n):
    while tl.load(x) < n:
        pass


def test_what_never_ends_is_ended_and_leaves_the_language_as_it_was():
    before = dict(vars(tl))
    outcome = play_guarded(lambda: simulate(never_ends, 1, 32, torch.zeros(1), 1), 0.5)
    assert outcome.problem.message == "it did not finish within 0.5 s"
    assert vars(tl) == before
    x, out = torch.ones(9), torch.empty(9)
    clean(simulate(kernels.add, 1, 32, x, x, out, 9, BLOCK=16))


@triton.jit
def bytes_of_numbers(numbers, parts, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(numbers + at, 1.0)
    tl.store(parts + 4 * at, 0)


def test_two_views_of_other_widths_are_one_memory():
    """Who touched what is kept by the smaller width, and no index of it is too large."""
    numbers = torch.zeros(128)
    parts = numbers.view(torch.uint8)
    clean(simulate(bytes_of_numbers, 2, 32, numbers, parts, BLOCK=64))
    trace = simulate(bytes_of_numbers, 2, 32, numbers, parts[4:], BLOCK=64)
    assert {one.kind for one in trace.hazards} == {"data-race", "out-of-bounds"}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_what_an_earlier_launch_left_unknown_is_a_plain_nan(dtype):
    """Its store was told there; and an array may hold any bits, such as those of that mark."""
    x, left, out = torch.ones(100, dtype=dtype), torch.zeros(2, 128, dtype=dtype), torch.empty(128)
    trace = simulate(copy_of_block, 1, 32, x, left, 100, BLOCK=128)
    assert [one.kind for one in trace.hazards] == ["uninitialised-read"]
    clean(simulate(sum_by_atomics, 1, 32, left, out.zero_(), BLOCK=128))
    assert out.isnan().tolist() == [False] * 100 + [True] * 28


@triton.jit
def copy_of_block(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n))


@triton.jit
def sum_by_atomics(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    before = tl.atomic_add(x + BLOCK + at, tl.load(x + at))
    tl.atomic_add(out + at, tl.load(x + at).to(tl.float32) + before.to(tl.float32))
