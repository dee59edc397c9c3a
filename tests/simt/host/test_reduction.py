from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt.host import cuda


@cuda.reduce
def total(a, b):
    return a + b


@cuda.Reduce
def largest(a, b):
    return max(a, b)


def test_a_lambda_will_do():
    assert cuda.reduce(lambda a, b: a + b)(np.arange(5)) == 10


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 255, 256, 257, 1000, 128 * 256, 128 * 256 + 1])
@pytest.mark.parametrize("dtype", [np.int64, np.float32])
def test_every_element_is_taken_once(n, dtype):
    values = np.random.default_rng(n).integers(-999, 999, n).astype(dtype)
    assert total(values) == values.sum()
    assert largest(cuda.to_device(values), init=-1000) == values.max()
    assert type(total(values)) is dtype


def test_size_init_and_result():
    values = cuda.to_device(np.arange(10.0))
    assert total(values, size=4) == 6 and total(values, init=100) == 145
    there = cuda.device_array(2)
    assert total(values, res=there) is None and there[0] == 45
    assert total(values[:0], init=7) == 7


def test_one_dimension_only():
    with pytest.raises(TypeError, match=r"\(2, 2\)"):
        total(np.zeros((2, 2)))
