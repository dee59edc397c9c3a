"""Loops that threads leave one by one: with few warps carried on, all is as with all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from numba import float32, int32

from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.simt.host import cuda
from gpuedu.simt.machine import thinning
from gpuedu.simt.machine.views import Allocation, Flat, View
from gpuedu.simt.machine.warps import Warps
from gpuedu.trace import Space, Trace
from tests.sampled import sampled
from tests.simt.kernels_generated import GeneratedKernel, load
from tests.simt.kernels_generated.nests import nest
from tests.simt.test_differential import GENERATED, conflicting_kernels, generated_kernels

GRID, BLOCK = 5, 96
THREADS = GRID * BLOCK


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("thinned")


def assert_same(one: Any, other: Any, where: str = "trace") -> None:
    """Equal to the bit, whatever it is made of."""
    assert type(one) is type(other), where
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype, where
        np.testing.assert_array_equal(one, other, err_msg=where)
    elif is_dataclass(one):
        for entry in fields(one):
            name = entry.name
            assert_same(getattr(one, name), getattr(other, name), f"{where}.{name}")
    elif isinstance(one, tuple | list):
        assert len(one) == len(other), where
        for number, pair in enumerate(zip(one, other, strict=True)):
            assert_same(*pair, f"{where}[{number}]")
    else:
        assert one == other, where


def hold_against_all_warps(
    kernel: Any, grid: Any, block: Any, make: Callable[[], Any], **options: Any
) -> tuple[Trace, int]:
    """Run a kernel thinned at every chance, and not at all; the trace, and how often it was."""
    thinned = 0
    thin = thinning.Thinning.thin

    def counted(self: thinning.Thinning, *arguments: Any) -> Any:
        nonlocal thinned
        thinned += 1
        return thin(self, *arguments)

    found = []
    for least in (1, 1 << 40):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(thinning, "LEAST_WARPS", least)
            patch.setattr(thinning, "LEAST_IDLE", 1e-9)
            patch.setattr(thinning, "PATIENCE_TURNS", 0.0)
            patch.setattr(thinning.Thinning, "thin", counted)
            for trace in (True, False):
                given = make()
                made = simulate(kernel, grid, block, *given, trace=trace, **options)
                found.append([made, *given])
    assert_same(found[0], found[2])
    assert_same(found[1], found[3])
    return found[0][0], thinned


def lengths() -> np.ndarray:
    """How many turns each thread takes: some warps none, some few, some many."""
    made = np.random.default_rng(4).integers(0, 12, THREADS)
    made[::7] += 25
    made[64:160] = 0
    made[BLOCK * 3 : BLOCK * 3 + 32] = 60
    return made.astype(np.int32)


def arrays() -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(5)
    return lengths(), rng.integers(0, 50, 64), np.zeros(THREADS, np.int64)


def counting(turns, a, out):
    i = cuda.grid(1)
    k = 0
    while k < turns[i]:
        out[i] += a[(i + k) % a.size] * cuda.threadIdx.x + cuda.blockIdx.x
        k += 1
    out[i] = out[i] * 100 + k


def ranges(turns, a, out):
    i = cuda.grid(1)
    total = 0
    for k in range(i % 5, turns[i], 2):
        total += a[k % a.size] * cuda.laneid
    out[i] = total


def breaks(turns, a, out):
    i = cuda.grid(1)
    met = -1
    last = 0
    for k in range(80):
        if k >= turns[i]:
            met = k * i
            break
        if a[(i + k) % a.size] == 7:
            last = k
            if i % 3 == 0:
                break
    out[i] = met * 1000 + last


def continues(turns, a, out):
    i = cuda.grid(1)
    k, total = 0, 0
    while True:
        k += 1
        if k > turns[i]:
            break
        if a[(i + k) % a.size] % 2:
            total += 1
            continue
        total += a[k % a.size]
    out[i] = total


def returns(turns, a, out):
    i = cuda.grid(1)
    for k in range(turns[i]):
        j = 0
        while j < (i + k) % 4:
            j += 1
            out[i] += j
        if out[i] > 60:
            return
    out[i] = -out[i]


def nested(turns, a, out):
    i = cuda.grid(1)
    same, total = 0, 0
    for k in range(turns[i]):
        j = 0
        while j < a[(k + i) % a.size] % 6:
            for n in range(same):
                total += n + k
            j += 1
        same += 1
        total += j
    for n in range(same):
        total += n
    out[i] = total


def leaves_all_at_once(turns, a, out):
    i = cuda.grid(1)
    k, flag = 0, 0
    while k < 9:
        flag = 1
        k += 1
        if i % 2 and k == 4:
            break
    for n in range(flag):
        out[i] = k + n


@cuda.jit(device=True)
def collatz(v):
    steps = 0
    while v > 1:
        if steps > 40:
            return -1
        v = v // 2 if v % 2 == 0 else 3 * v + 1
        steps += 1
    return steps


def calls(turns, a, out):
    i = cuda.grid(1)
    total = 0
    for k in range(turns[i]):
        total += collatz(a[(i + k) % a.size])
    out[i] = total


def adds_atomically(turns, a, out):
    i = cuda.grid(1)
    for k in range(turns[i]):
        out[i] += cuda.atomic.add(a, (i + k) % a.size, 1)


def part_of_a_view(turns, a, out):
    i = cuda.grid(1)
    mine = out[i : i + 1]
    for k in range(turns[i]):
        mine[0] += a[k % a.size]


@pytest.mark.parametrize(
    "kernel",
    [
        counting,
        ranges,
        breaks,
        continues,
        returns,
        nested,
        leaves_all_at_once,
        calls,
        adds_atomically,
        part_of_a_view,
    ],
)
@pytest.mark.parametrize("size", [BLOCK, 75])
def test_counts_and_values_are_those_of_all_warps(kernel, size):
    trace, thinned = hold_against_all_warps(kernel, GRID, size, arrays, watch=(0, 3))
    assert trace.complete and not trace.hazards
    assert thinned or kernel is leaves_all_at_once


def races_in_a_late_turn(turns, a, out):
    i = cuda.grid(1)
    for k in range(turns[i]):
        if k > 30:
            out[(i + k) % 8] = k


def reads_what_others_write(turns, a, out):
    i = cuda.grid(1)
    k = 0
    while k < turns[i]:
        out[i] = out[i // 2] + 1
        k += 1


def walks_out(turns, a, out):
    i = cuda.grid(1)
    k = 0
    while k < turns[i]:
        out[i] += a[k + i // 32]
        k += 1


def changes_and_reads(turns, a, out):
    i = cuda.grid(1)
    for k in range(turns[i]):
        if i % 2:
            cuda.atomic.add(out, k, 1)
        else:
            a[0] = out[k]


def never_ends(turns, a, out):
    i = cuda.grid(1)
    k = 0
    while k < turns[i] or i == 300:
        k += 1
    out[i] = k


@pytest.mark.parametrize(
    "kernel, kind",
    [
        (races_in_a_late_turn, "data-race"),
        (reads_what_others_write, "data-race"),
        (walks_out, "out-of-bounds"),
        (changes_and_reads, "data-race"),
        (never_ends, "runaway-loop"),
    ],
)
def test_hazards_are_those_of_all_warps(kernel, kind):
    trace, thinned = hold_against_all_warps(kernel, GRID, BLOCK, arrays, max_turns=2000)
    assert thinned and kind in {hazard.kind for hazard in trace.hazards}


def meets_in_a_warp(turns, a, out):
    i = cuda.grid(1)
    k = 0
    while cuda.any_sync(0xFFFFFFFF, k < turns[i]):
        k += 1
    out[i] = k


def waits_for_the_block(turns, a, out):
    s = cuda.shared.array(1, int32)
    i = cuda.grid(1)
    for k in range(turns[cuda.blockIdx.x]):
        if cuda.threadIdx.x == 0:
            s[0] = k
        cuda.syncthreads()
        out[i] += s[0]
        cuda.syncthreads()


def keeps_own_values(turns, a, out):
    own = cuda.local.array(4, float32)
    i = cuda.grid(1)
    for k in range(4):
        own[k] = 0
    for k in range(turns[i]):
        own[k % 4] += a[k % a.size]
    out[i] = own[0] + own[3]


@pytest.mark.parametrize("kernel", [meets_in_a_warp, waits_for_the_block, keeps_own_values])
def test_loops_in_which_threads_need_each_other_keep_all_warps(kernel):
    _, thinned = hold_against_all_warps(kernel, GRID, BLOCK, arrays)
    assert not thinned


def test_watched_blocks_are_told_to_the_same_limit(monkeypatch):
    monkeypatch.setattr("gpuedu.simt.machine.watch.MAX_ENTRIES", 50)
    for watched in ((), (2,), (4, 0), tuple(range(GRID))):
        hold_against_all_warps(nested, GRID, BLOCK, arrays, watch=watched)


def test_cuda_c_is_thinned_as_well():
    code = """extern "C" __global__ void k(const int* turns, long long* out) {
        int i = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
        for (; k < 100; ++k) {
            if (k % 5 == i % 5) continue;
            if (k >= turns[i]) break;
            out[i] += k;
        }
        out[i] = out[i] * 100 + k;
    }"""
    trace, thinned = hold_against_all_warps(
        CudaCKernel(code, "k"), GRID, BLOCK, lambda: (lengths(), np.zeros(THREADS, np.int64))
    )
    assert thinned and not trace.hazards


@pytest.mark.parametrize("seed", sampled(range(40), every=4))
def test_random_nests_of_jumps(seed: int, folder: Path):
    kernel = load("from gpuedu.simt.host import cuda\n\n\n" + nest(seed), folder)
    a = np.random.default_rng(seed).integers(0, 50, 11)
    hold_against_all_warps(kernel, 3, 96, lambda: (a.copy(), np.zeros(288, np.int64)))


@GENERATED
@given(generated_kernels())
def test_random_kernels(folder: Path, g: GeneratedKernel):
    hold_against_all_warps(load(g.source, folder), g.grid, g.block, g.arguments)


@GENERATED
@given(conflicting_kernels())
def test_random_kernels_with_conflicts(folder: Path, g: GeneratedKernel):
    hold_against_all_warps(load(g.source, folder), g.grid, g.block, g.arguments)


def test_values_of_some_warps():
    warps = Warps(np.array([1, 4, 5]), (3, 64))
    whole = np.arange(3 * 64).reshape(3, 64)
    rows = [whole[0, 32:], whole[2, :32], whole[2, 32:]]
    np.testing.assert_array_equal(warps.of(whole), rows)
    np.testing.assert_array_equal(warps.of(whole[:1]), [rows[0], whole[0, :32], rows[0]])
    np.testing.assert_array_equal(warps.of(whole[:, :1]), [[0], [128], [128]])
    assert warps.of(None) is None and warps.of(np.int64(3)) == 3


def test_a_view_of_some_warps():
    flat = Flat(np.zeros(9), Allocation(0, Space.GLOBAL, 72, 8), 0, 8)
    offset = np.arange(3)[:, np.newaxis]
    shape = (np.int64(9),)
    view = View("a", flat, offset, shape, (1,), np.dtype("f8"), Space.GLOBAL)
    made = Warps(np.array([1, 4, 5]), (3, 64)).of(view)
    assert made.flat is flat and made.shape == shape
    assert made.offset.tolist() == [[0], [2], [2]]
