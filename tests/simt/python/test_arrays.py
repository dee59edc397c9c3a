from __future__ import annotations

import numpy as np
import pytest
from numba import float32, int64

from gpuedu.errors import GpueduError, KernelSourceError
from gpuedu.simt import simulate
from gpuedu.simt.host import cuda
from tests.simt.python.reference import as_python, in_every_mode, line_of


def counted(*shape: int, dtype: type = np.int64) -> np.ndarray:
    """Different numbers in no order."""
    rng = np.random.default_rng(sum(shape))
    return rng.permutation(np.prod(shape, dtype=int)).reshape(shape).astype(dtype) + 1


def nothing(*shape: int, dtype: type = np.int64) -> np.ndarray:
    return np.zeros(shape, dtype)


# Rows


def row_of_guarded_threads(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        row = a[i]
        out[i] = row[1]


def chained_subscripts(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        out[i] = a[i][2]


def row_written(a, out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        row = out[i]
        for j in range(row.size):
            row[j] = a[i, j] * 2


def loop_over_a_row(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        for x in a[i]:
            out[i] += x


def loop_over_rows(a, out):
    i = cuda.grid(1)
    if i < a.shape[1]:
        for row in a:
            out[i] += row[i]


def tail_of_a_row(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        tail = a[i, 1:]
        out[i] = tail[0] * 100 + tail.shape[0]


def column(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        out[i] = a[:, 2][i] + a[..., 0][i]


def transposed(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        t = a.T
        out[i] = t[2, i] * 10 + t.shape[0] + a.transpose()[0, i]


def row_from_the_end(a, out):
    i = cuda.grid(1)
    if i < a.shape[1]:
        out[i] = a[-1][i]


def plane_of_a_cube(a, out):
    i = cuda.grid(1)
    if i < a.shape[0]:
        plane = a.reshape((a.shape[0], a.shape[1] // 2, 2))[i]
        out[i] = plane[1, 1] * 10 + plane[0][1]


@pytest.mark.parametrize(
    "kernel",
    [
        row_of_guarded_threads,
        chained_subscripts,
        loop_over_a_row,
        tail_of_a_row,
        column,
        transposed,
        plane_of_a_cube,
    ],
)
@pytest.mark.parametrize("rows", [3, 32, 70])
def test_rows_and_columns_are_views(kernel, rows):
    as_python(kernel, 3, 32, counted(rows, 4), nothing(rows))


@pytest.mark.parametrize("kernel", [loop_over_rows, row_from_the_end])
def test_whole_rows_are_read_by_columns(kernel):
    as_python(kernel, 1, 32, counted(3, 5), nothing(5))


def test_a_row_can_be_written_through():
    as_python(row_written, 2, 32, counted(40, 3), nothing(40, 3))


def test_a_row_outside_of_the_array_is_out_of_bounds():
    def beyond(a, out):
        i = cuda.grid(1)
        row = a[i]
        out[i] = row[0]

    trace = simulate(beyond, 1, 8, counted(4, 3), nothing(8))
    assert [f.kind for f in trace.hazards] == ["out-of-bounds"]
    assert trace.hazards[0].who.thread == (4, 0, 0)


def test_a_row_of_a_part_of_an_array_is_out_of_bounds_too():
    def beyond(a, out):
        i = cuda.grid(1)
        out[i] = a[i][0]

    whole = counted(8, 3)
    trace = simulate(beyond, 1, 5, whole[:4], nothing(5))
    assert [f.kind for f in trace.hazards] == ["out-of-bounds"]


# Slices whose bounds differ by thread


def slice_by_thread(a, out):
    i = cuda.grid(1)
    if i < a.size:
        part = a[i:]
        out[i] = part[0] + part.size * 1000


def slice_between(a, out):
    i = cuda.grid(1)
    if i < a.size:
        part = a[i // 2 : i]
        for x in part:
            out[i] += x


def slice_backwards(a, out):
    i = cuda.grid(1)
    if i < a.size:
        part = a[i::-1]
        out[i] = part[i] * 1000 + part[0] + part.size


def sum_of_slice(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = a[: i + 1].sum()


@pytest.mark.parametrize("kernel", [slice_by_thread, slice_between, slice_backwards, sum_of_slice])
@pytest.mark.parametrize("size", [1, 32, 45])
def test_slices_with_bounds_of_each_thread(kernel, size):
    as_python(kernel, 2, 32, counted(size), nothing(size))


def fill_by_thread(out):
    i = cuda.grid(1)
    out[i, i % 4 :] = 5


def fill_rows(out):
    i = cuda.grid(1)
    if i < out.shape[0]:
        out[i] = i
        out[i, ::2] = -i


def test_a_slice_can_be_filled():
    as_python(fill_rows, 1, 32, nothing(20, 5))


def test_a_slice_with_bounds_of_each_thread_can_be_filled():
    as_python(fill_by_thread, 1, 32, nothing(32, 4))


def test_reshaping_an_array_with_gaps_is_refused():
    def reshape(a, out):
        b = a.reshape((2, 3))
        out[0] = b[0, 1]

    a, out = counted(12), nothing(1)
    try:
        simulate(reshape, 1, 1, a[::2], out)
    except GpueduError:
        return
    assert out[0] == a[::2].reshape(2, 3)[0, 1]


# Host arrays of every layout


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a[::-1],
        lambda a: a[:, ::-1],
        lambda a: a[1:, 1:],
        lambda a: a[::2, ::3],
        lambda a: np.asfortranarray(a),
        lambda a: np.broadcast_to(a[0], a.shape).copy()[:, :3],
    ],
)
def test_arrays_of_any_strides_come_in(change):
    def copy(a, out):
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            out[i, j] = a[i, j] * 2

    a = change(counted(9, 7))
    out = np.zeros(a.shape, a.dtype)
    trace = in_every_mode(copy, (2, 2), (8, 8), a, out)
    np.testing.assert_array_equal(out, a * 2)
    assert trace.arrays[0].shape == a.shape


def test_a_transposed_result_is_written_in_place():
    def double(a, out):
        i, j = cuda.grid(2)
        if i < a.shape[0] and j < a.shape[1]:
            out[i, j] = a[i, j] * 2

    a, out = counted(5, 6), nothing(6, 5)
    in_every_mode(double, 1, (8, 8), a, out.T)
    np.testing.assert_array_equal(out.T, a * 2)


def test_empty_arrays_have_no_element():
    def first(a, out):
        i = cuda.grid(1)
        if i < a.size:
            out[i] = a[i]
        else:
            out[i] = a.shape[0] - 1

    out = nothing(32)
    in_every_mode(first, 1, 32, nothing(0), out)
    assert (out == -1).all()


# Records

PAIR = np.dtype([("x", np.float32), ("y", np.int64)], align=True)
NESTED = np.dtype([("v", np.int64, (3,)), ("k", np.int64)])


def records(size: int, dtype: np.dtype = PAIR) -> np.ndarray:
    made = np.zeros(size, dtype)
    for number, name in enumerate(dtype.names):
        made[name] = np.arange(made[name].size).reshape(made[name].shape) * (number + 2)
    return made


def test_fields_of_records_are_read_and_written():
    def in_kernel(a):
        i = cuda.grid(1)
        if i < a.size:
            r = a[i]
            x = r.x
            r.x = r.y
            r.y = int(x) + 1
            a[i].x += 1

    a = records(40)
    x, y = a["x"].copy(), a["y"].copy()
    in_every_mode(in_kernel, 2, 32, a)
    np.testing.assert_array_equal(a["x"], y + 1)
    np.testing.assert_array_equal(a["y"], x + 1)


def test_an_array_in_a_record():
    def in_kernel(a, out):
        i = cuda.grid(1)
        if i < a.size:
            for j in range(3):
                out[i] += a[i].v[j] * (j + 1)
            a[i].v[1] = i

    a, out = records(40, NESTED), nothing(40)
    expected = a["v"] @ [1, 2, 3]
    in_every_mode(in_kernel, 2, 32, a, out)
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(a["v"][:, 1], np.arange(40))


def test_records_in_shared_memory():
    def through_shared(a, out):
        t = cuda.threadIdx.x
        tile = cuda.shared.array(64, PAIR)
        tile[t].x = a[t].x
        tile[t].y = a[t].y
        cuda.syncthreads()
        out[t] = tile[63 - t].y + int(tile[63 - t].x)

    a, out = records(64), nothing(64)
    in_every_mode(through_shared, 1, 64, a, out)
    np.testing.assert_array_equal(out, (a["y"] + a["x"].astype(int))[::-1])


def test_records_in_local_memory():
    def through_local(out):
        i = cuda.grid(1)
        own = cuda.local.array(2, PAIR)
        own[0].y = i
        own[1].y = i * 2
        out[i] = own[0].y + own[1].y

    out = nothing(40)
    in_every_mode(through_local, 1, 40, out)
    np.testing.assert_array_equal(out, np.arange(40) * 3)


def test_fields_of_one_record_do_not_race():
    def two_fields(a):
        t = cuda.threadIdx.x
        if t % 2 == 0:
            a[t // 2].x = t
        else:
            a[t // 2].y = t

    a = records(16)
    in_every_mode(two_fields, 1, 32, a)
    np.testing.assert_array_equal(a["y"], np.arange(16) * 2 + 1)


def test_complex_parts():
    def parts(a, out):
        i = cuda.grid(1)
        out[i] = a[i].real * 10 + a[i].imag
        a.real[i] = i
        a[i] = a[i] * 1j

    a = (np.arange(32) + 3j).astype(np.complex64)
    out = nothing(32, dtype=np.float32)
    in_every_mode(parts, 1, 32, a, out)
    np.testing.assert_array_equal(out, np.arange(32) * 10 + 3)
    np.testing.assert_array_equal(a, np.arange(32) * 1j - 3)


# Aliases


def test_two_views_of_one_host_array_share_memory():
    def shift(a, b):
        i = cuda.grid(1)
        if i < a.size:
            x = a[i]
            b[i] = x

    whole = counted(32)
    trace = simulate(shift, 1, 32, whole[:-1], whole[1:])
    assert {f.kind for f in trace.hazards} == {"data-race"}


def test_arrays_that_a_loop_swaps_are_looked_at_for_races():
    def ping_pong(source, target):
        t = cuda.threadIdx.x
        for _ in range(2):
            target[t] = source[(t + 1) % 64]
            source, target = target, source

    trace = simulate(ping_pong, 1, 64, counted(64), nothing(64))
    assert {f.kind for f in trace.hazards} == {"data-race"}


def test_arrays_that_a_loop_swaps_with_a_barrier_between():
    def ping_pong(source, target):
        t = cuda.threadIdx.x
        for _ in range(3):
            target[t] = source[(t + 1) % 64]
            cuda.syncthreads()
            source, target = target, source

    source, target = counted(64), nothing(64)
    expected = np.roll(source, -3)
    in_every_mode(ping_pong, 1, 64, source, target)
    np.testing.assert_array_equal(target, expected)


def test_an_array_chosen_by_a_number_of_the_launch():
    def choose(a, b, which, out):
        i = cuda.grid(1)
        c = a if which else b
        out[i] = c[i]

    for which in (0, 1):
        a, b, out = counted(32), counted(33)[:32], nothing(32)
        in_every_mode(choose, 1, 32, a, b, which, out)
        np.testing.assert_array_equal(out, a if which else b)


def test_an_array_that_threads_choose_is_taken_or_refused_with_the_line():
    def choose(a, b, out):
        i = cuda.grid(1)
        c = a if i < 5 else b
        out[i] = c[i]

    a, b, out = counted(32), counted(33)[:32], nothing(32)
    try:
        simulate(choose, 1, 32, a, b, out)
    except KernelSourceError as error:
        assert error.line == line_of(choose, "c = a if")
    else:
        np.testing.assert_array_equal(out, np.where(np.arange(32) < 5, a, b))


# Several arrays of shared memory


def test_shared_arrays_on_one_line_are_different():
    def two(out):
        t = cuda.threadIdx.x
        a, b = cuda.shared.array(32, int64), cuda.shared.array(32, float32)
        a[t] = t
        b[t] = t / 2
        cuda.syncthreads()
        out[cuda.grid(1)] = a[31 - t] + b[31 - t]

    out = nothing(96, dtype=np.float64)
    trace = in_every_mode(two, 3, 32, out)
    np.testing.assert_array_equal(out, np.tile(np.arange(31, -1, -1) * 1.5, 3))
    assert trace.launch.shared_bytes == 32 * 8 + 32 * 4


def test_dynamic_shared_memory_is_one_piece_of_two_types():
    def both(out):
        t = cuda.threadIdx.x
        wide = cuda.shared.array(0, np.float64)
        narrow = cuda.shared.array(0, np.int32)
        if t < 16:
            wide[t] = 1.0
        else:
            narrow[32 + t - 16] = t
        cuda.syncthreads()
        out[t] = narrow[2 * t + 1] if t < 16 else narrow[32 + t - 16]

    out = nothing(32, dtype=np.int32)
    trace = in_every_mode(both, 1, 32, out, dynamic_shared_bytes=192)
    assert (out[:16] == 0x3FF00000).all() and (out[16:] == np.arange(16, 32)).all()
    assert trace.launch.dynamic_shared_bytes == 192


def test_dynamic_shared_memory_ends_where_the_launch_said():
    def beyond(out):
        t = cuda.threadIdx.x
        s = cuda.shared.array(0, np.float32)
        s[t] = 1
        out[t] = s[t]

    trace = simulate(beyond, 1, 32, nothing(32, dtype=np.float32), dynamic_shared_bytes=20)
    assert {f.kind for f in trace.hazards} == {"out-of-bounds"}
    assert trace.hazards[0].index == (5,) and trace.hazards[0].count == 27


def test_alignment_moves_an_array_to_the_next_multiple():
    def aligned(out):
        t = cuda.threadIdx.x
        a = cuda.shared.array(3, np.int8)
        b = cuda.shared.array(4, np.float32, alignment=16)
        c = cuda.shared.array(1, np.float64)
        if t == 0:
            a[0] = 1
            b[0] = 2
            c[0] = 3
            out[0] = a[0] + b[0] + c[0]

    out = nothing(1, dtype=np.float64)
    trace = in_every_mode(aligned, 1, 32, out)
    assert out[0] == 6
    assert trace.launch.shared_bytes == 40  # 3 bytes, on to 16, + 16 = 32, + 8


# Words of errors


def test_too_many_indices_are_refused_with_the_line():
    def kernel(a):
        a[0, 1, 2] = 1

    with pytest.raises(KernelSourceError, match="2 dimensions, the index has 3") as caught:
        simulate(kernel, 1, 1, nothing(2, 2))
    assert caught.value.line == line_of(kernel, "a[0, 1, 2]")
    assert caught.value.remedy


def test_a_float_is_no_index():
    def kernel(a, n):
        a[n / 2] = 1

    with pytest.raises(KernelSourceError, match="index must be an integer") as caught:
        simulate(kernel, 1, 1, nothing(2), 2)
    assert caught.value.line == line_of(kernel, "a[n / 2]")


def test_constant_arrays_cannot_be_written():
    table = np.arange(4)

    def kernel(a):
        table[0] = a[0]

    with pytest.raises(KernelSourceError, match="constant"):
        simulate(kernel, 1, 1, nothing(2))
