from __future__ import annotations

import numba.cuda.random
import numpy as np
import pytest

from gpuedu.simt.host import cuda
from gpuedu.simt.host.random import init_xoroshiro128p_states_cpu, xoroshiro128p_dtype


@pytest.mark.parametrize("n, seed, start", [(1, 0, 0), (2, 1, 1), (37, 2**40 + 5, 10), (128, 7, 1)])
def test_states_are_numbas(n, seed, start):
    ours = cuda.random.create_xoroshiro128p_states(n, seed, start).copy_to_host()
    theirs = np.empty(n, numba.cuda.random.xoroshiro128p_dtype)
    numba.cuda.random.init_xoroshiro128p_states_cpu(theirs, seed, start)
    np.testing.assert_array_equal(ours, theirs)
    assert ours.dtype == theirs.dtype


def test_seeds_are_taken_as_64_bits():
    one, other = np.empty((2, 5), xoroshiro128p_dtype)
    init_xoroshiro128p_states_cpu(one, -1, 0)
    init_xoroshiro128p_states_cpu(other, 2**64 - 1, 0)
    assert (one == other).all()


def test_none_is_a_number_of_states():
    assert cuda.random.create_xoroshiro128p_states(0, 1).size == 0
