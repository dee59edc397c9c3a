from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays import cupyx


def test_scatters():
    array = cp.zeros((2, 2))
    cupyx.scatter_add(array, (cp.array([0, 0]), cp.array([1, 1])), cp.array([1.0, 2.0]))
    cupyx.scatter_max(array, 1, 5)
    cupyx.scatter_min(array, (1, 0), -1)
    assert array.get().tolist() == [[0, 3], [-1, 5]]


def test_rsqrt():
    found = cupyx.rsqrt(cp.asarray(np.float32([1, 4, 0])))
    assert found.dtype == np.float32 and found.get().tolist() == [1, 0.5, np.inf]


def test_pinned_memory_is_host_memory():
    for host in (cupyx.zeros_pinned((2, 3), np.int8), cupyx.empty_pinned(4)):
        assert isinstance(host, np.ndarray)
    assert cupyx.zeros_like_pinned(cp.ones((2, 3), np.float32)).dtype == np.float32
    assert cupyx.empty_like_pinned(cp.ones(4)).shape == (4,)


def test_other_names_are_refused():
    with pytest.raises(NotImplementedError, match=r"cupyx\.scipy is not in"):
        _ = cupyx.scipy
    with pytest.raises(NotImplementedError, match=r"cupyx\.jit is not in.*cuda\.jit"):
        from gpuedu.arrays.cupyx import jit  # noqa: F401
    with pytest.raises(AttributeError):
        _ = cupyx.nothing
