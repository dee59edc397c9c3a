from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import GpueduError, KernelSourceError
from gpuedu.simt import simulate
from gpuedu.simt.host import cuda
from tests.simt.python.reference import as_python, in_every_mode, line_of

SCALE = 3


def numbers(size: int) -> np.ndarray:
    return np.random.default_rng(size).integers(-4, 9, size)


@cuda.jit(device=True)
def affine(x, factor=2, offset=SCALE):
    return x * factor + offset


@cuda.jit(device=True)
def early(x):
    if x < 0:
        return -1
    for k in range(10):
        if k * k >= x:
            return k
    return 100


@cuda.jit(device=True)
def doubled_past_ten(x):
    while True:
        if x > 10:
            return x
        x = x * 2 + 9


@cuda.jit(device=True)
def either_branch(x):
    if x > 2:
        return x
    return -x


@cuda.jit(device=True)
def both(x, y):
    return x + y, x * y


@cuda.jit(device=True)
def early_pair(x):
    if x > 2:
        return x, 1
    return 0, x


@cuda.jit(device=True)
def first_positive(a, begin):
    for k in range(begin, a.size):
        if a[k] > 0:
            return k
    return -1


@cuda.jit(device=True)
def store(a, i, x):
    if i >= a.size:
        return
    a[i] = x


@cuda.jit(device=True)
def whole(a, i):
    return a, i


@cuda.jit(device=True)
def shadows_names(i, x):
    out = i
    i = x
    x = out
    return i * 100 + x


@cuda.jit(device=True)
def nested(x):
    return affine(early(x), offset=early(x + 1)) + sum(both(x, 2))


def defaults_and_keywords(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = affine(a[i]) + 10 * affine(a[i], 5) + 100 * affine(offset=i, x=a[i])


def early_returns(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = early(a[i]) * 10 + early(a[i] * 30)


def endless_loop_with_return(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = doubled_past_ten(a[i])


def both_branches_return(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = either_branch(a[i]) + either_branch(either_branch(i))


def pairs(a, out):
    i = cuda.grid(1)
    if i < a.size:
        s, p = both(a[i], i)
        t = early_pair(s)
        out[i] = s + 10 * p + 100 * t[0] + 1000 * t[1]


def call_in_a_loop(a, out):
    i = cuda.grid(1)
    if i < a.size:
        k = first_positive(a, i)
        while k >= 0 and out[i] < 20:
            out[i] += a[k]
            k = first_positive(a, k + 1)


def call_in_a_condition(a, out):
    i = cuda.grid(1)
    if i < a.size and early(a[i]) > 1:
        out[i] = early(a[i]) if either_branch(a[i]) > 3 else -early(i)


def call_that_stores(a, out):
    i = cuda.grid(1)
    store(out, i, a[i % a.size])


def call_that_gives_its_array_back(a, out):
    i = cuda.grid(1)
    if i < a.size:
        b, j = whole(a, i // 2)
        out[i] = b[j] + b.size


def names_of_their_own(a, out):
    i = cuda.grid(1)
    if i < a.size:
        x = a[i]
        y = shadows_names(i, x)
        out[i] = y + 7 * x + i


def calls_in_calls(a, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = nested(a[i])


@pytest.mark.parametrize("size", [32, 70])
@pytest.mark.parametrize(
    "kernel",
    [
        defaults_and_keywords,
        early_returns,
        endless_loop_with_return,
        both_branches_return,
        pairs,
        call_in_a_loop,
        call_in_a_condition,
        call_that_stores,
        call_that_gives_its_array_back,
        names_of_their_own,
        calls_in_calls,
    ],
)
def test_device_functions(kernel, size):
    as_python(kernel, 3, 32, numbers(size), np.zeros(size, np.int64))


def test_a_barrier_in_a_device_function():
    @cuda.jit(device=True)
    def meet(s, t, x):
        s[t] = x
        cuda.syncthreads()
        return s[63 - t]

    def kernel(a, out):
        t = cuda.threadIdx.x
        s = cuda.shared.array(64, np.int64)
        y = meet(s, t, a[t])
        cuda.syncthreads()
        out[t] = meet(s, t, y + 1)

    a, out = numbers(64), np.zeros(64, np.int64)
    trace = in_every_mode(kernel, 1, 64, a, out)
    np.testing.assert_array_equal(out, a + 1)
    assert [site.arrivals.tolist() for site in trace.barriers] == [[1], [1], [1]]
    assert [source.function for source in trace.launch.sources] == ["kernel", "meet"]


def test_closures_keep_their_own_constants():
    def make(factor, function):
        def kernel(a, out):
            i = cuda.grid(1)
            out[i] = function(a[i], factor)

        return kernel

    for factor in (2, 5):
        a, out = numbers(32), np.zeros(32, np.int64)
        in_every_mode(make(factor, affine), 1, 32, a, out)
        np.testing.assert_array_equal(out, a * factor + SCALE)


@cuda.jit(device=True)  # noqa: RET503
def beyond(x, low):
    if x > low:
        return x


@cuda.jit(device=True)
def halved_or_none(x):
    if x < 0:
        return None
    if x % 2:
        return None
    return x // 2


@cuda.jit(device=True)
def stores_and_may_return(out, i, x):
    if x > 4:
        return None
    out[i] += x
    return x


def result_is_not_used(a, out):
    i = cuda.grid(1)
    if i < a.size:
        stores_and_may_return(out, i, a[i])


def result_is_held_against_none(a, out):
    i = cuda.grid(1)
    if i < a.size:
        x = beyond(a[i], 2)
        if x is None:
            out[i] = -1
        y = halved_or_none(a[i])
        if y is not None and x != None:  # noqa: E711
            out[i] += 10 * x + y


def result_in_a_loop(a, out):
    i = cuda.grid(1)
    if i < a.size:
        best = None
        for k in range(i + 1):
            found = halved_or_none(a[k])
            if found is not None:
                best = found
        if best is not None:
            out[i] = best + 1


@pytest.mark.parametrize("size", [32, 75])
@pytest.mark.parametrize(
    "kernel",
    [result_is_not_used, result_is_held_against_none, result_in_a_loop],
    ids=lambda k: k.__name__,
)
def test_a_device_function_may_give_a_number_or_none(kernel, size):
    as_python(kernel, 3, 32, numbers(size), np.zeros(size, np.int64))


def test_a_thread_that_computes_with_none_ends():
    def kernel(a, out):
        i = cuda.grid(1)
        out[i] = 1
        out[i] = beyond(a[i], 3) + 10

    out = np.zeros(6)
    (found,) = simulate(kernel, 1, 6, np.arange(6, dtype=np.int64), out).findings
    assert found.kind == "raise" and "expected int64, got None" in found.message
    assert found.place.line == line_of(kernel, "beyond") and found.count == 4
    np.testing.assert_array_equal(out, [1, 1, 1, 1, 14, 15])


@pytest.mark.parametrize(
    "use, what",
    [("out[beyond(a[0], 1)] = 1", "the index"), ("if beyond(a[0], 1): pass", "the cond")],
)
def test_what_may_be_none_is_no_index_and_no_condition(use, what, tmp_path):
    path = tmp_path / "kernel_of_test.py"
    path.write_text(f"from {__name__} import beyond\n\ndef kernel(a, out):\n    {use}\n")
    scope: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    with pytest.raises(KernelSourceError, match=f"{what}.* may be None") as caught:
        simulate(scope["kernel"], 1, 1, np.ones(2, np.int64), np.ones(2))
    assert caught.value.line == 4


def test_a_tuple_on_some_paths_only_is_refused_with_the_line():
    @cuda.jit(device=True)  # noqa: RET503
    def sometimes(x):
        if x > 0:
            return x, x

    def kernel(out):
        out[0] = sometimes(out[1])[0]

    with pytest.raises(GpueduError, match="some paths") as caught:
        simulate(kernel, 1, 1, np.zeros(2))
    assert isinstance(caught.value, KernelSourceError)
    assert caught.value.line == line_of(kernel, "sometimes(out[1])")


def test_a_new_view_as_result_is_refused_as_by_numba():
    @cuda.jit(device=True)
    def tail(a, i):
        return a[i:]

    def kernel(a, out):
        out[0] = tail(a, 1)[0]

    with pytest.raises(KernelSourceError) as caught:
        simulate(kernel, 1, 1, np.ones(4), np.ones(1))
    assert caught.value.line in (line_of(kernel, "tail(a, 1)"), line_of(tail.py_func, "return"))


def test_recursion_is_refused():
    with pytest.raises(KernelSourceError, match="calls itself"):
        simulate(calls_itself_in_turn, 1, 1, np.zeros(2))


@cuda.jit(device=True)
def one_calls(x):
    return other_calls(x)


@cuda.jit(device=True)
def other_calls(x):
    return one_calls(x - 1)


def calls_itself_in_turn(out):
    out[0] = one_calls(out[1])


def test_a_plain_function_is_not_a_device_function():
    def plain(x):
        return x

    def kernel(out):
        out[0] = plain(out[1])

    with pytest.raises(KernelSourceError, match="plain Python function") as caught:
        simulate(kernel, 1, 1, np.zeros(2))
    assert "device=True" in caught.value.remedy


def test_a_wrong_call_names_the_function():
    def kernel(out):
        out[0] = affine(1, 2, 3, 4)

    with pytest.raises(KernelSourceError, match="affine") as caught:
        simulate(kernel, 1, 1, np.zeros(2))
    assert caught.value.line == line_of(kernel, "affine(1, 2, 3, 4)")


def test_print_tells_each_active_thread(capsys):
    def kernel(a):
        i = cuda.grid(1)
        if a[i] > 5:
            print("thread", i, a[i])

    simulate(kernel, 1, 4, np.array([3, 7, 9, 1]))
    assert capsys.readouterr().out == "thread 1 7\nthread 2 9\n"


def test_print_of_one_value_for_all(capsys):
    def kernel(n):
        print("n =", n, n * 0.5)

    simulate(kernel, 2, 2, np.int32(3))
    assert capsys.readouterr().out == "n = 3 1.5\n" * 4
