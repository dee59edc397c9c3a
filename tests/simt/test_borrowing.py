"""Arrays of a real GPU go to the machine as copies and come back changed."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu import cp, simulate
from gpuedu.backend import cuda


class LikeCuPy:
    """What the machine may use of CuPy's array: no host access but by ``get`` and ``set``."""

    def __init__(self, values: np.ndarray) -> None:
        self._values = values
        self.__cuda_array_interface__ = {"version": 3}

    def get(self) -> np.ndarray:
        return self._values.copy()

    def set(self, values: np.ndarray) -> None:
        self._values[...] = values


class LikeNumba(LikeCuPy):
    """The same for numba.cuda's."""

    get = set = property()  # type: ignore[assignment]

    def copy_to_host(self) -> np.ndarray:
        return self._values.copy()

    def copy_to_device(self, values: np.ndarray) -> None:
        self._values[...] = values


def double(a, b):
    i = cuda.grid(1)
    if i < a.size:
        b[i] = 2 * a[i]


@pytest.mark.parametrize("kind", [LikeCuPy, LikeNumba])
def test_results_come_back(kind):
    a, b = np.arange(40.0), np.zeros(40)
    trace = simulate(double, 2, 32, kind(a), kind(b))
    assert trace.hazards == () and b.tolist() == (2 * a).tolist()


def test_arrays_of_the_stand_in_are_not_copied():
    a, b = cp.arange(40.0), cp.zeros(40)
    from gpuedu.backend import reset_transfers, transfers

    reset_transfers()
    simulate(double, 2, 32, a, b)
    assert transfers() == ()
    assert float(b[3]) == 6
