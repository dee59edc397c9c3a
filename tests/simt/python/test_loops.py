from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import KernelSourceError
from gpuedu.simt import simulate
from gpuedu.simt.host import cuda
from tests.simt.python.reference import as_python, in_every_mode, line_of

SIZES = [32, 70]


def numbers(size: int) -> np.ndarray:
    return np.random.default_rng(size).integers(-4, 9, size)


def run(kernel, size):
    as_python(kernel, 3, 32, numbers(size), np.zeros(size, np.int64))


# Ranges


def range_of_one(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(a[i]):
            out[i] += k * k + 1


def range_of_two(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(a[i], 6):
            out[i] = out[i] * 3 + k


def range_down(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(7, a[i], -2):
            out[i] = out[i] * 5 + k


def range_step_by_thread(a, out):
    i = cuda.grid(1)
    if i < a.size:
        step = a[i] if a[i] != 0 else 1
        for k in range(3 * step, -2 * step, -step):
            out[i] = out[i] * 3 + k


def range_same_for_all(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(a.size - 1, 3, -5):
            out[i] += a[k] * k


def range_unsigned(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(np.uint32(3), np.uint32(6)):
            out[i] += a[k]


def index_after_the_loop(a, out):
    i = cuda.grid(1)
    if i < a.size:
        k = -7
        for k in range(a[i]):
            if k == 4:
                break
        out[i] = k


def index_assigned_inside(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(a[i]):
            out[i] = out[i] * 10 + k
            k = k + 100
            out[i] += k


def grid_stride(a, out):
    for i in range(cuda.grid(1), a.size, cuda.gridsize(1)):
        out[i] = a[i] + 1


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "kernel",
    [
        range_of_one,
        range_of_two,
        range_down,
        range_step_by_thread,
        range_same_for_all,
        range_unsigned,
        index_after_the_loop,
        index_assigned_inside,
        grid_stride,
    ],
)
def test_ranges(kernel, size):
    run(kernel, size)


@pytest.mark.parametrize("by_thread", [False, True])
def test_a_range_with_step_zero_ends(by_thread):
    def uniform(out, step):
        i = cuda.grid(1)
        for _ in range(0, 3, step):
            out[i] += 1

    def different(out, step):
        i = cuda.grid(1)
        for _ in range(0, 3 + i, step):
            out[i] += 1

    out = np.zeros(32, np.int64)
    trace = simulate(different if by_thread else uniform, 1, 32, out, 0, max_turns=1000)
    assert trace.complete
    assert not out.any()


# Leaving and going on


def break_by_thread(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(8):
            if k > a[i]:
                break
            out[i] = out[i] * 2 + k


def continue_by_thread(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(8):
            if (k + a[i]) % 3 == 0:
                continue
            if k == a[i]:
                break
            out[i] = out[i] * 2 + k


def return_from_a_loop(a, out):
    i = cuda.grid(1)
    if i >= a.size:
        return
    for k in range(8):
        for j in range(k):
            if k * j > a[i] * 2:
                return
            out[i] += k + j
        out[i] += 1
    out[i] = -1


def break_of_the_inner_loop_only(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(4):
            for j in range(6):
                if j > a[i] + k:
                    break
                if j == 2:
                    continue
                out[i] += j
            else:
                out[i] += 1000
            out[i] += 100


def else_of_a_loop(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(5):
            if k == a[i]:
                out[i] = k
                break
        else:
            out[i] = -1


def else_of_a_while(a, out):
    i = cuda.grid(1)
    if i < a.size:
        k = 0
        while k < 6:
            k += 1
            if k == a[i]:
                break
            if k == a[i] + 3:
                continue
            out[i] += k
        else:
            out[i] = -out[i]


def break_in_an_else(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(5):
            for j in range(3):
                if j + k == a[i]:
                    break
            else:
                if k == 3:
                    break
                out[i] += 10
                continue
            out[i] += 1
        else:
            out[i] += 1000


def while_by_thread(a, out):
    i = cuda.grid(1)
    if i < a.size:
        n = a[i] + 20
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            out[i] += 1


def while_true(a, out):
    i = cuda.grid(1)
    if i < a.size:
        n = a[i]
        while True:
            n += 3
            if n % 2:
                continue
            if n > 12:
                break
            out[i] += n


def while_true_return(a, out):
    i = cuda.grid(1)
    if i < a.size:
        n = a[i]
        while True:
            n += 3
            out[i] = n
            if n > 12:
                return


def while_of_loads(a, out):
    i = cuda.grid(1)
    if i < a.size:
        k = i
        while k < a.size and a[k] > 0:
            k += 1
        out[i] = k


def while_in_while(a, out):
    i = cuda.grid(1)
    if i < a.size:
        n = a[i]
        while n < 9:
            m = 0
            while m < n:
                m += 2
                if m == 6:
                    break
                out[i] += m
            n += 1 + m


def return_in_both_branches(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(3):
            if a[i] > 2:
                out[i] = k + 1
                return
            if k == 1:
                out[i] = 50
                return
            out[i] += 7
        out[i] = 99


def everybody_leaves(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(10):
            out[i] += k
            if a[0] < 100:
                break
        for _ in range(10):
            if a[0] < 100:
                continue
            out[i] += 1000


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "kernel",
    [
        break_by_thread,
        continue_by_thread,
        return_from_a_loop,
        break_of_the_inner_loop_only,
        else_of_a_loop,
        else_of_a_while,
        break_in_an_else,
        while_by_thread,
        while_true,
        while_true_return,
        while_of_loads,
        while_in_while,
        return_in_both_branches,
        everybody_leaves,
    ],
)
def test_threads_leave_loops_on_their_own(kernel, size):
    run(kernel, size)


# Values that loops carry


def swap(a, out):
    i = cuda.grid(1)
    if i < a.size:
        x, y = a[i], i
        for k in range(a[i]):
            x, y = y, x + k
        out[i] = x * 1000 + y


def alias_of_a_carried_value(a, out):
    i = cuda.grid(1)
    if i < a.size:
        x = 0
        before = -1
        for k in range(5):
            before = x
            x = x * 2 + a[i]
            if x > 20:
                break
            if k == 2:
                continue
            x += 1
        out[i] = before * 1000 + x


def three_that_turn(a, out):
    i = cuda.grid(1)
    if i < a.size:
        x, y, z = 1, 2, 3
        for k in range(6):
            x, y, z = y, z, x
            if k > a[i]:
                break
        out[i] = 100 * x + 10 * y + z


def first_assigned_in_a_loop(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(6):
            if k == a[i]:
                x = k * 10
        if 0 <= a[i] < 6:
            out[i] = x + 1


def first_assigned_before_a_break(a, out):
    i = cuda.grid(1)
    if i < a.size:
        found = False
        for k in range(6):
            if k == a[i]:
                x = a[k] * 10
                y = x + k
                found = True
                break
        out[i] = x + y if found else -1


def inner_loop_reuses_names(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k in range(3):
            s = 0
            for j in range(a[i]):
                s += j * k
            t = s
            for j in range(2):
                t += s + j
            out[i] += t


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "kernel",
    [
        swap,
        alias_of_a_carried_value,
        three_that_turn,
        first_assigned_in_a_loop,
        first_assigned_before_a_break,
        inner_loop_reuses_names,
    ],
)
def test_what_a_loop_carries(kernel, size):
    run(kernel, size)


def test_a_value_that_widens_in_the_loop():
    def widen(a, out):
        i = cuda.grid(1)
        s = 0
        for _ in range(4):
            s = s + a[i] * 0.5
        out[i] = s

    a, out = np.arange(32), np.zeros(32)
    as_python(widen, 1, 32, a, out)
    assert out[5] == 10


def test_a_value_that_has_another_type_at_a_break():
    def other_type(a, out):
        i = cuda.grid(1)
        x = 1
        for k in range(4):
            if k == a[i]:
                x = 0.5
                break
            x = k
        out[i] = x

    as_python(other_type, 1, 32, numbers(32), np.zeros(32))


# Other things to loop over


def over_an_array(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for x in a:
            if x > 7:
                break
            out[i] += x * i


def over_enumerate_and_zip(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k, x in enumerate(a[:i], 3):
            out[i] += k * x
        for x, y in zip(a, a[i:]):  # noqa: B905
            out[i] += x * y


def over_a_tuple(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for x in (3, i, a[i]):
            if x == 3:
                continue
            out[i] = out[i] * 10 + x


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kernel", [over_an_array, over_enumerate_and_zip, over_a_tuple])
def test_loops_over_sequences(kernel, size):
    run(kernel, size)


# Long loops


def test_one_thread_may_walk_through_a_long_array():
    def serial_sum(a, out):
        if cuda.grid(1) == 0:
            k = 0
            s = 0
            while k < a.size:
                s += a[k]
                k += 1
            out[0] = s

    a, out = np.arange(6_000), np.zeros(1, np.int64)
    trace = simulate(serial_sum, 1, 32, a, out)
    assert trace.findings == ()
    assert out[0] == a.sum()


def test_a_partial_warp_may_stride_through_a_long_array():
    def stride(a, out):
        i = cuda.grid(1)
        s = 0
        while i < a.size:
            s += a[i]
            i += cuda.gridsize(1)
        out[cuda.grid(1)] = s

    a, out = np.arange(5 * 5_500), np.zeros(5, np.int64)
    trace = simulate(stride, 1, 5, a, out, trace=False)
    assert trace.findings == ()
    np.testing.assert_array_equal(out, a.reshape(-1, 5).sum(axis=0))


def test_a_loop_past_the_budget_is_a_runaway():
    def long(out):
        i = cuda.grid(1)
        for _ in range(100):
            out[i] += 1

    within = simulate(long, 1, 32, np.zeros(32), max_turns=101)
    assert within.complete and within.findings == ()
    beyond = simulate(long, 1, 32, np.zeros(32), max_turns=50)
    assert not beyond.complete
    assert [f.kind for f in beyond.findings] == ["runaway-loop"]
    assert "50 turns" in beyond.findings[0].message


@pytest.mark.parametrize("order", [None, "reversed"])
def test_the_budget_does_not_depend_on_how_many_blocks_run_together(order):
    def long(out):
        i = cuda.grid(1)
        for _ in range(100):
            out[i] += 1

    trace = simulate(long, 20, 32, np.zeros(640), max_turns=150, order=order)
    assert trace.complete and trace.findings == ()


def test_loops_of_many_blocks_end_on_their_own():
    def by_block(out):
        i = cuda.grid(1)
        for _ in range(cuda.blockIdx.x):
            out[i] += cuda.blockIdx.x

    out = np.zeros(32 * 7, np.int64)
    in_every_mode(by_block, 7, 32, out)
    np.testing.assert_array_equal(out, np.repeat(np.arange(7) ** 2, 32))


# Ranges beside something else


def enumerate_a_range(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k, o in enumerate(range(7)):
            out[i] = out[i] * 3 + k - o * a[i]


def enumerate_from_a_start(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k, o in enumerate(range(a[i], 12, 3), a[i]):
            out[i] = out[i] * 5 + k * 100 + o


def enumerate_a_range_down(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k, o in enumerate(range(9, a[i], -2)):
            if o == 3:
                break
            out[i] = out[i] * 7 + k * 10 + o


def zip_of_ranges_and_an_array(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k, (o, x) in enumerate(zip(range(5, -3, -4), a), 2):  # noqa: B905
            out[i] = out[i] * 11 + k + o * x


def enumerate_of_enumerate(a, out):
    i = cuda.grid(1)
    if i < a.size:
        for k, (m, o) in enumerate(enumerate(range(a[i]), 4)):
            out[i] += k * m + o


BESIDE = [
    enumerate_a_range,
    enumerate_from_a_start,
    enumerate_a_range_down,
    zip_of_ranges_and_an_array,
    enumerate_of_enumerate,
]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("kernel", BESIDE, ids=lambda k: k.__name__)
def test_ranges_beside_something_else(kernel, size):
    run(kernel, size)


def test_a_read_in_the_loop_is_told_with_its_line():
    def kernel(a, out):
        for k, o in enumerate(range(1, 8)):
            out[k] = a[o]

    (hazard,) = simulate(kernel, 1, 1, np.zeros(7), np.zeros(8)).hazards
    assert hazard.kind == "out-of-bounds" and hazard.index == (7,)
    assert hazard.place.line == line_of(kernel, "a[o]")


def test_an_empty_range_of_unsigned_numbers_has_no_turns():
    def kernel(out, begin, end):
        for k, _ in enumerate(range(begin, end)):
            out[0] = k + 1

    out = np.zeros(1)
    simulate(kernel, 1, 1, out, np.uint64(9), np.uint64(4))
    assert out[0] == 0


def test_the_start_of_enumerate_has_no_name():
    def kernel(out):
        for k, o in enumerate(range(3), start=1):
            out[k] = o

    with pytest.raises(KernelSourceError, match="without a name") as caught:
        simulate(kernel, 1, 1, np.zeros(4))
    assert caught.value.line == line_of(kernel, "enumerate")
