from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.simt.host.transfers import transfers


def test_arrays_of_both_sides_are_compared():
    array = cp.arange(3.0)
    cp.testing.assert_allclose(array, np.arange(3.0) * (1 + 1e-9))
    cp.testing.assert_array_equal([0, 1, 2], array)
    cp.testing.assert_array_list_equal([array], [np.arange(3)])
    assert len(transfers()) == 3


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("assert_allclose", [0, 1, 2.1]),
        ("assert_array_equal", [0, 1, 3]),
        ("assert_array_almost_equal", [0, 1, 3]),
        ("assert_array_less", [0, 2, 3]),
        ("assert_array_max_ulp", np.array([0, 1, 2.1])),
        ("assert_array_almost_equal_nulp", np.array([0, 1, 2.1])),
    ],
)
def test_differences_are_assertion_errors(name, other):
    with pytest.raises(AssertionError):
        getattr(cp.testing, name)(cp.arange(3.0), other)


def test_lists_of_different_length_differ():
    with pytest.raises(AssertionError, match="1 and 2"):
        cp.testing.assert_array_list_equal([cp.ones(1)], [cp.ones(1), cp.ones(1)])
