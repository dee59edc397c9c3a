from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.account import Operation, count_operations
from gpuedu.arrays.memory import watch_memory


def gelu(x):
    return 0.5 * x * (1 + cp.tanh(0.797 * (x + 0.0447 * x * x * x)))


@pytest.fixture
def x(pool):
    return cp.asarray(np.linspace(-3, 3, 1024, dtype=np.float32))


def test_a_fused_function_is_one_launch_without_temporaries(x):
    with count_operations() as plain, watch_memory() as before:
        expected = gelu(x)
    del expected
    with count_operations() as fused, watch_memory() as after:
        got = cp.fuse(gelu)(x)
    assert (plain.launches, plain.read_bytes, plain.written_bytes) == (9, 13 * 4096, 9 * 4096)
    assert fused.operations == [Operation("gelu", 4096, 4096)]
    assert (after.extra_bytes, before.extra_bytes) == (4096, 3 * 4096)
    np.testing.assert_array_equal(got.get(), gelu(x).get())


def test_each_array_is_read_once_and_each_result_written(x):
    @cp.fuse(kernel_name="both")
    def both(x, y, factor):
        return x + y * factor, (x - y).astype(np.float16)

    with count_operations() as count:
        total, difference = both(x, x, 2)
    assert count.operations == [Operation("both", 4096, 4096 + 2048)]
    np.testing.assert_array_equal(total.get(), 3 * x.get())
    assert difference.dtype == np.float16 and not difference.get().any()


def test_an_array_may_be_written_in_place(x):
    host = x.get()

    @cp.fuse
    def scale(x, y):
        y *= 2
        y[...] = y + x

    y = x.copy()
    with count_operations() as count:
        assert scale(x, y) is None
    assert count.operations == [Operation("scale", 8192, 4096)]
    np.testing.assert_array_equal(y.get(), 3 * host)


def test_reductions_and_choices_can_be_part(x):
    @cp.fuse
    def positive_sum(x):
        return cp.sum(cp.where(x > 0, x, 0))

    found = positive_sum(x)
    assert found.shape == ()
    np.testing.assert_allclose(float(found), x.get().clip(0).sum(), rtol=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x if x.sum() > 0 else -x,
        lambda x: x * float(x[0]),
        lambda x: x[1:] - x[:-1],
        lambda x: cp.sort(x),
        lambda x: x @ x,
        lambda x: x + cp.zeros(3),
        lambda x: x + cp.arange(1024),
        lambda x: cp.asarray(x.get()),
        lambda x: x.T + 1,
        lambda x: x.mean(),
    ],
)
def test_what_no_fused_kernel_can_do_is_refused(x, function):
    with pytest.raises(TypeError, match=r"fuse"):
        cp.fuse(kernel_name="k")(function)(x)
    assert float(x[0]) == -3  # afterwards all is as it was


def test_an_array_that_is_no_argument_is_refused(x):
    outer, row = cp.ones(1024, np.float32), cp.zeros((2, 1024), np.float32)[1]

    @cp.fuse
    def reads(x):
        return x + outer

    @cp.fuse
    def writes(x):
        row.__iadd__(x)
        return x

    for function in (reads, writes):
        with pytest.raises(TypeError, match=r"that is no argument is used in cupy\.fuse"):
            function(x)
    assert float(row.sum()) == 0
    added = cp.fuse(kernel_name="added")(lambda x, outer: x + outer)(x, outer)
    assert float(added[0]) == -2


def test_a_lambda_has_no_name_that_a_kernel_can_have(x):
    with pytest.raises(TypeError, match=r"fuse.*<lambda> is not a name"):
        cp.fuse(lambda x: 2 * x)(x)
    assert float(cp.fuse(kernel_name="twice")(lambda x: 2 * x)(x)[0]) == -6


def test_a_fused_function_may_call_another(x):
    inner = cp.fuse(kernel_name="inner")(lambda x: x + 1)

    @cp.fuse
    def outer(x):
        """Doubles."""
        return inner(x) * 2

    with count_operations() as count:
        outer(x)
    assert count.launches == 1
    assert outer.__doc__ == "Doubles." and repr(outer) == "<Fusion name=outer>"


def test_arguments_of_fuse_are_checked(x):
    with pytest.raises(TypeError, match="color"):
        cp.fuse(color=3)
    with pytest.raises(TypeError, match="by position"):
        cp.fuse(gelu)(x=x)
