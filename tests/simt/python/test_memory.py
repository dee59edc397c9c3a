from __future__ import annotations

import numpy as np
import pytest
from numba import int64

from gpuedu.errors import KernelSourceError
from gpuedu.simt import simulate
from gpuedu.simt.host import cuda
from tests.simt.python.reference import in_every_mode, line_of

WIDTH = 32


def zeros(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.int64)


def test_rows_of_shared_memory():
    def kernel(a, out):
        s = cuda.shared.array((WIDTH, 5), int64)
        t, i = cuda.threadIdx.x, cuda.grid(1)
        row = s[t]
        row[1] = a[i]
        cuda.syncthreads()
        out[i] = s[31 - t][1] * 1000 + row[1:][0]

    a, out = np.arange(96) ** 2, zeros(96)
    in_every_mode(kernel, 3, 32, a, out)
    blocks = a.reshape(3, 32)
    np.testing.assert_array_equal(out.reshape(3, 32), blocks[:, ::-1] * 1000 + blocks)


def test_parts_of_dynamic_shared_memory():
    def kernel(out):
        s = cuda.shared.array(0, int64)
        n, t = cuda.blockDim.x, cuda.threadIdx.x
        x, y = s[:n], s[n:]
        x[t] = t
        y[t] = 100 * t + cuda.blockIdx.x
        cuda.syncthreads()
        out[cuda.grid(1)] = x[n - 1 - t] + y[n - 1 - t]

    out = zeros(80)
    in_every_mode(kernel, 2, 40, out, dynamic_shared_bytes=80 * 8)
    down = np.arange(39, -1, -1) * 101
    np.testing.assert_array_equal(out, np.concatenate([down, down + 1]))


def test_local_arrays_go_to_device_functions_and_into_slices():
    @cuda.jit(device=True)
    def total(values, n):
        s = 0
        for k in range(n):
            s += values[k]
        return s

    def kernel(out):
        own = cuda.local.array(6, int64)
        i = cuda.grid(1)
        for k in range(6):
            own[k] = k * i
        out[i] = total(own, 6) + total(own[2:], 3) + own[1:][i % 5]

    out = zeros(40)
    in_every_mode(kernel, 1, 40, out)
    i = np.arange(40)
    np.testing.assert_array_equal(out, 15 * i + 9 * i + (i % 5 + 1) * i)


def test_local_arrays_written_by_some_threads_only():
    def kernel(a, out):
        i = cuda.grid(1)
        own = cuda.local.array(4, int64)
        n = 0
        for k in range(a.size):
            if a[k] % 8 == i % 8 and n < 4:
                own[n] = k
                n += 1
        for k in range(n):
            out[i] += own[k] * 10**k

    a, out = np.random.default_rng(4).integers(0, 12, 30), zeros(40)
    in_every_mode(kernel, 1, 40, a, out)
    for i in range(40):
        mine = np.flatnonzero(a % 8 == i % 8)[:4]
        assert out[i] == sum(int(x) * 10**k for k, x in enumerate(mine))


def test_atomics_on_rows_and_pairs_of_indices():
    def kernel(out):
        i = cuda.grid(1)
        cuda.atomic.add(out[i % 4], 1, 5)
        cuda.atomic.add(out, (i % 4, 2), i)
        cuda.atomic.max(out, (0, 3), i)

    out = zeros(4, 4)
    in_every_mode(kernel, 2, 32, out)
    assert out[:, 1].tolist() == [80] * 4
    assert out[:, 2].tolist() == [sum(range(k, 64, 4)) for k in range(4)]
    assert out[:, 3].tolist() == [63, 0, 0, 0]


def test_the_old_values_of_atomics_are_all_different():
    def tickets(counter, out):
        i = cuda.grid(1)
        if i % 3 != 1:
            out[i] = cuda.atomic.add(counter, 0, 1)

    counter, out = zeros(1), np.full(96, -1)
    simulate(tickets, 3, 32, counter, out)
    taken = out[np.arange(96) % 3 != 1]
    assert sorted(taken.tolist()) == list(range(64)) and counter[0] == 64
    assert (out[np.arange(96) % 3 == 1] == -1).all()


def test_a_parameter_may_become_a_part_of_itself():
    def kernel(a, out):
        i = cuda.grid(1)
        if i < 10:
            a = a[1:]
        out[i] = a[i % 3] + a.size * 100

    a, out = np.arange(7) * 3, zeros(32)
    in_every_mode(kernel, 1, 32, a, out)
    i = np.arange(32)
    expected = np.where(i < 10, a[i % 3 + 1] + 600, a[i % 3] + 700)
    np.testing.assert_array_equal(out, expected)


def test_shared_arrays_that_a_loop_swaps():
    def kernel(out, rounds):
        t = cuda.threadIdx.x
        a, b = cuda.shared.array(64, int64), cuda.shared.array(64, int64)
        a[t] = t
        cuda.syncthreads()
        for _ in range(rounds):
            b[t] = a[(t + 1) % 64]
            a, b = b, a
            cuda.syncthreads()
        out[t] = a[t]

    out = zeros(64)
    in_every_mode(kernel, 1, 64, out, 5)
    np.testing.assert_array_equal(out, np.roll(np.arange(64), -5))


def test_global_arrays_that_a_loop_swaps_are_counted_each():
    def kernel(a, b):
        i = cuda.grid(1)
        for _ in range(3):
            b[i] = a[i] + 1
            a, b = b, a

    a, b = np.zeros(32, np.float32), np.zeros(64, np.float32)[:32]
    trace = simulate(kernel, 1, 32, a, b)
    uses = {use.array: (use.read_bytes, use.written_bytes) for use in trace.arrays}
    assert uses == {"a": (128, 128), "b": (128, 128)}


def test_a_row_from_a_negative_index_is_told():
    def kernel(a, out):
        i = cuda.grid(1)
        row = a[i - 1]
        out[i] = row[0]

    trace = simulate(kernel, 1, 4, np.zeros((4, 3)), np.zeros(4))
    assert [(f.kind, f.who.thread) for f in trace.hazards] == [("negative-index", (0, 0, 0))]


def test_a_step_of_each_thread_is_taken_or_refused_with_the_line():
    def kernel(a, out):
        i = cuda.grid(1)
        out[i] = a[:: i % 3 + 1][1]

    a, out = np.arange(9), zeros(32)
    try:
        simulate(kernel, 1, 32, a, out)
    except KernelSourceError as error:
        assert error.line == line_of(kernel, "out[i] =")
    else:
        np.testing.assert_array_equal(out, np.arange(32) % 3 + 1)


# Words of errors


@pytest.mark.parametrize(
    "make, message",
    [
        ("cuda.shared.array(n, float32)", "must be known when the kernel is compiled"),
        ("cuda.shared.array(4)", "is missing"),
        ("cuda.local.array(4, 'text')", "is not a number type"),
        (
            "cuda.shared.array(4, 5, float32)",
            r"(?s)the shape is one argument, and 4, 5 are 2.*`\(4, 5\)`",
        ),
        ("cuda.local.array(2, 3, 4, float32)", r"\(2, 3, 4\)"),
        ("cuda.shared.array(8 * 4, 8 * 4 + 1)", r"\(8 \* 4, 8 \* 4 \+ 1\)"),
        ("cuda.local.array((2, -1), float32)", "is not a shape"),
        ("cuda.shared.array(4, float32, alignment=3)", "power of 2"),
        ("cuda.shared.array(4, float32, size=3)", "is not an argument"),
        ("cuda.atomic.add(a, 0)", "needs an array and 2 more"),
        ("cuda.atomic.add(a, (0, 0), 1)", "1 dimensions, the index has 2"),
        ("cuda.atomic.exch(a, 0, 1.0)", "no form for an array of float32"),
    ],
)
def test_wrong_calls_are_refused_with_the_line(make, message, tmp_path):
    path = tmp_path / "kernel_of_test.py"
    path.write_text(
        "from numba import float32\nfrom gpuedu.simt.host import cuda\n\n"
        f"def kernel(a, n):\n    a[0] = 0\n    s = {make}\n"
    )
    scope: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    with pytest.raises(KernelSourceError, match=message) as caught:
        simulate(scope["kernel"], 1, 1, np.zeros(1, np.float32), 3)
    assert caught.value.line == 6


def test_an_alignment_may_be_an_expression_of_constants():
    def kernel(out):
        s = cuda.shared.array(2 + 2, int64, alignment=8 * 2)
        own = cuda.local.array(1 + 1, int64, alignment=1 << 4)
        own[1] = s[3] = cuda.grid(1)
        out[cuda.grid(1)] = own[1] + s[3]

    out = zeros(3)
    in_every_mode(kernel, 3, 1, out)
    np.testing.assert_array_equal(out, [0, 2, 4])
