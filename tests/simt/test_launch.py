from __future__ import annotations

import numpy as np
import pytest
from numba import float32, int32

from gpuedu.errors import GpueduError, KernelSourceError
from gpuedu.simt import launch, simulate, variable_types
from gpuedu.simt.host import cuda
from gpuedu.simt.host.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32
from gpuedu.trace import Level
from tests.simt.python.reference import in_every_mode


def count_blocks(order_of, counter):
    if cuda.threadIdx.x == 0:
        order_of[cuda.blockIdx.x] = cuda.atomic.add(counter, 0, 1)


@pytest.mark.parametrize(
    "order, expected",
    [
        ([0, 1, 2, 3], [0, 1, 2, 3]),
        ("reversed", [3, 2, 1, 0]),
        ([2, 0, 3, 1], [1, 3, 0, 2]),
        (range(3, -1, -1), [3, 2, 1, 0]),
    ],
)
def test_blocks_run_in_the_order_that_was_asked_for(order, expected):
    ranks = np.zeros(4, np.int64)
    simulate(count_blocks, 4, 32, ranks, np.zeros(1, np.int64), order=order)
    assert ranks.tolist() == expected


@pytest.mark.parametrize("order", ["random", [0, 1], [0, 1, 2, 2], [1, 2, 3, 4]])
def test_an_order_that_is_no_permutation_is_refused(order):
    with pytest.raises(GpueduError) as caught:
        simulate(count_blocks, 4, 32, np.zeros(4, np.int64), np.zeros(1, np.int64), order=order)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "grid, block",
    [(0, 32), (1, 0), (1, 1025), (1, (33, 32)), (1, (1, 1, 65)), ((1, 70_000), 1), (-1, 32)],
)
def test_launches_that_no_device_accepts(grid, block):
    with pytest.raises(GpueduError):
        simulate(count_blocks, grid, block, np.zeros(4, np.int64), np.zeros(1, np.int64))


def test_static_shared_memory_has_a_limit():
    def too_much(out):
        s = cuda.shared.array((113, 112), float32)
        s[0, 0] = 1
        out[0] = s[0, 0]

    def just_enough(out):
        s = cuda.shared.array((96, 128), float32)
        s[0, 0] = 1
        out[0] = s[0, 0]

    with pytest.raises(GpueduError, match="50,624 bytes"):
        simulate(too_much, 1, 1, np.zeros(1))
    assert simulate(just_enough, 1, 1, np.zeros(1)).launch.shared_bytes == 48 * 1024


def test_static_and_dynamic_shared_memory_have_one_limit():
    def kernel(out):
        fixed = cuda.shared.array(4096, float32)
        rest = cuda.shared.array(0, float32)
        rest[0] = fixed[0] = 1
        out[0] = rest[0] + fixed[0]

    simulate(kernel, 1, 1, np.zeros(1), dynamic_shared_bytes=32 * 1024)
    with pytest.raises(GpueduError, match="16,384 bytes of static and 32,772 of dynamic"):
        simulate(kernel, 1, 1, np.zeros(1), dynamic_shared_bytes=32 * 1024 + 4)


def test_a_launch_says_what_it_was():
    def kernel(out):
        own = cuda.local.array((2, 3), int32)
        own[1, 2] = 1
        out[cuda.grid(1)] = own[1, 2]

    trace = simulate(kernel, (2, 3), (4, 5), np.zeros(100), dynamic_shared_bytes=64)
    assert (trace.launch.kernel, trace.launch.grid, trace.launch.block) == (
        "kernel",
        (2, 3, 1),
        (4, 5, 1),
    )
    assert trace.launch.dynamic_shared_bytes == 64
    assert trace.launch.local_bytes == 24
    assert trace.launch.sources[0].text.startswith("def kernel(out):")
    assert len(trace.lines[0].executions) == trace.launch.warps == 6


def test_an_untraced_run_without_a_finding_gives_an_empty_account():
    ranks = np.zeros(4, np.int64)
    trace = simulate(count_blocks, 4, 32, ranks, np.zeros(1, np.int64), trace=False)
    assert trace.complete and trace.findings == () and trace.lines == ()
    assert trace.launch.kernel == "count_blocks"
    assert sorted(ranks.tolist()) == [0, 1, 2, 3]


def test_a_stopped_launch_keeps_what_it_counted():
    def stuck(out):
        i = cuda.grid(1)
        out[i] = 1
        if i < 16:
            cuda.syncthreads()
        out[i] = 2

    trace = simulate(stuck, 1, 32, np.zeros(32))
    assert not trace.complete
    assert [f.kind for f in trace.hazards] == ["divergent-barrier"]
    assert trace.sites[0].lanes.tolist() == [32]


def test_a_kernel_runs_again_with_other_types():
    def double(a):
        i = cuda.grid(1)
        a[i] = a[i] * 2

    for dtype in (np.int8, np.float32, np.complex64):
        a = np.ones(32, dtype)
        simulate(double, 1, 32, a)
        assert (a == 2).all()


def test_names_from_outside_are_frozen_when_a_kernel_is_compiled():
    factor = 2

    def times(a):
        i = cuda.grid(1)
        a[i] = a[i] * factor

    a = np.ones(32)
    simulate(times, 1, 32, a)
    factor = 5
    simulate(times, 1, 32, a)
    assert (a == 4).all()


def test_variables_have_numbas_types():
    def kernel(a, n):
        x = a[0] / 2
        y = a[0] * float32(2)
        k = 0
        for j in range(n):
            k += j
        z = k
        z = z * 0.5
        a[0] = x + y + z

    types = variable_types(kernel, np.zeros(1, np.float32), np.int32(3))
    assert types["x"] == {"float64"} and types["y"] == {"float32"}
    assert types["j"] <= {"int32", "int64"} and types["z"] == {"int64", "float64"}


def test_a_wrong_number_of_arguments_is_told():
    with pytest.raises(KernelSourceError, match="takes 2 arguments, the launch passed 1"):
        simulate(count_blocks, 1, 1, np.zeros(1))


# Whole kernels in every mode


def test_random_numbers_are_the_same_in_every_mode():
    def draw(states, out):
        i = cuda.grid(1)
        for k in range(i % 3 + 1):
            out[i] += xoroshiro128p_uniform_float32(states, i) * 10**k

    states = create_xoroshiro128p_states(80, seed=3)
    states = states.copy_to_host() if hasattr(states, "copy_to_host") else np.asarray(states)
    out = np.zeros(80)
    in_every_mode(draw, 2, 40, states, out)
    assert len(set(out.tolist())) == 80 and (out > 0).all()


def test_warp_operations_in_a_partial_warp():
    def partial(out, votes):
        t = cuda.threadIdx.x
        i = cuda.grid(1)
        mask = cuda.activemask()
        below = cuda.shfl_up_sync(mask, t, 1)
        out[i] = t - below if t % 32 else 0
        votes[i] = cuda.ballot_sync(mask, t % 2) & 0xFF

    out, votes = np.zeros(80, np.int64), np.zeros(80, np.int64)
    in_every_mode(partial, 2, 40, out, votes)
    assert out.reshape(2, 40)[:, [0, 32]].tolist() == [[0, 0], [0, 0]]
    assert (np.delete(out.reshape(2, 40), [0, 32], axis=1) == 1).all()
    assert (votes == 0b10101010).all()


def test_a_reduction_by_shuffles_where_lanes_have_parted():
    def by_half(a, out):
        i = cuda.grid(1)
        if i % 32 < 16:
            x = a[i]
            for k in (8, 4, 2, 1):
                x += cuda.shfl_xor_sync(0xFFFF, x, k)
            out[i] = x
        else:
            out[i] = cuda.any_sync(0xFFFF0000, a[i] > 90)

    a, out = np.arange(96), np.zeros(96, np.int64)
    in_every_mode(by_half, 3, 32, a, out)
    halves = out.reshape(3, 2, 16)
    assert (halves[:, 0] == a.reshape(3, 2, 16)[:, 0].sum(axis=1, keepdims=True)).all()
    assert halves[:, 1, 0].tolist() == [0, 0, 1]


def test_counting_barriers_give_each_block_its_own_answer():
    def count(a, out):
        i = cuda.grid(1)
        n = cuda.syncthreads_count(int32(a[i] > 0))
        everyone = cuda.syncthreads_and(int32(a[i] > 0))
        anyone = cuda.syncthreads_or(int32(a[i] > 0))
        out[i] = n * 100 + (everyone != 0) * 10 + (anyone != 0)

    a = np.concatenate([np.zeros(40), np.ones(40), np.arange(40) % 4])
    out = np.zeros(120, np.int64)
    in_every_mode(count, 3, 40, a, out)
    assert out.reshape(3, 40).tolist() == [[0] * 40, [4011] * 40, [3001] * 40]


def test_barriers_in_loops_of_each_block_and_after_returns():
    def rounds(out):
        t, b = cuda.threadIdx.x, cuda.blockIdx.x
        s = cuda.shared.array(64, int32)
        if b == 2:
            return
        s[t] = t
        cuda.syncthreads()
        for _ in range(b):
            x = s[(t + 1) % 64]
            cuda.syncthreads()
            s[t] = x
            cuda.syncthreads()
        out[cuda.grid(1)] = s[t]

    out = np.full(256, -1, np.int64)
    in_every_mode(rounds, 4, 64, out)
    expected = [np.roll(np.arange(64), -b) if b != 2 else np.full(64, -1) for b in range(4)]
    np.testing.assert_array_equal(out.reshape(4, 64), expected)


def test_tiled_matmul_of_ragged_sizes():
    def matmul(a, b, c):
        sa, sb = cuda.shared.array((8, 8), float32), cuda.shared.array((8, 8), float32)
        x, y = cuda.grid(2)
        tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
        total = float32(0.0)
        for k in range(0, a.shape[1], 8):
            sa[ty, tx] = a[y, k + tx] if y < a.shape[0] and k + tx < a.shape[1] else 0
            sb[ty, tx] = b[k + ty, x] if x < b.shape[1] and k + ty < b.shape[0] else 0
            cuda.syncthreads()
            for j in range(8):
                total += sa[ty, j] * sb[j, tx]
            cuda.syncthreads()
        if y < c.shape[0] and x < c.shape[1]:
            c[y, x] = total

    rng = np.random.default_rng(5)
    a = rng.integers(-3, 4, (19, 13)).astype(np.float32)
    b = rng.integers(-3, 4, (13, 22)).astype(np.float32)
    c = np.zeros((19, 22), np.float32)
    in_every_mode(matmul, (3, 3), (8, 8), a, b, c)
    np.testing.assert_array_equal(c, a @ b)


def test_three_dimensions():
    def fill(out):
        x, y, z = cuda.grid(3)
        if x < out.shape[2] and y < out.shape[1] and z < out.shape[0]:
            out[z, y, x] = x + 10 * y + 100 * z + 1000 * cuda.gridsize(3)[1]

    out = np.zeros((3, 5, 7), np.int64)
    in_every_mode(fill, (2, 2, 3), (4, 3, 1), out)
    z, y, x = np.indices(out.shape)
    np.testing.assert_array_equal(out, x + 10 * y + 100 * z + 6000)


def test_local_arrays_by_uniform_and_own_indices():
    def sort(a, out):
        i = cuda.grid(1)
        own = cuda.local.array(5, int32)
        for k in range(5):
            own[k] = a[i, k]
        for k in range(1, 5):
            x = own[k]
            j = k
            while j > 0 and own[j - 1] > x:
                own[j] = own[j - 1]
                j -= 1
            own[j] = x
        for k in range(5):
            out[i, k] = own[k]

    a = np.random.default_rng(2).integers(0, 50, (80, 5)).astype(np.int32)
    out = np.zeros_like(a)
    in_every_mode(sort, 2, 40, a, out)
    np.testing.assert_array_equal(out, np.sort(a, axis=1))


def test_hazards_do_not_depend_on_the_chunk(monkeypatch):
    def faulty(a, out):
        i = cuda.grid(1)
        out[i // 2] = a[i + 1]

    seen = []
    for threads in (64, 1 << 16):
        monkeypatch.setattr(launch, "CHUNK_THREADS", threads)
        trace = simulate(faulty, 5, 32, np.arange(160), np.zeros(160))
        told = [(f.kind, f.place, f.other_place, f.count, f.index) for f in trace.findings]
        seen.append(sorted(told, key=lambda entry: entry[0]))  # they come in the order of finding
        assert all(f.level is Level.HAZARD for f in trace.findings)
    assert seen[0] == seen[1]
    assert {kind for kind, *_ in seen[0]} == {"out-of-bounds", "data-race"}


def test_an_endless_count_past_the_end_is_stopped_soon():
    def kernel(out):
        for i in range(4_000_000_000):
            out[i] = 1

    trace = simulate(kernel, 1, 32, np.zeros(8))
    assert [found.kind for found in trace.hazards] == ["out-of-bounds"] and not trace.complete


def test_a_long_loop_after_a_fault_is_no_runaway():
    def kernel(out):
        i = cuda.threadIdx.x
        out[i] = 1
        k = 0
        while k < 9_000:
            k += 1
        out[0] = k

    out = np.zeros(8)
    trace = simulate(kernel, 1, 32, out)
    assert [found.kind for found in trace.hazards] == ["out-of-bounds"]
    assert not trace.complete and out[0] == 1
