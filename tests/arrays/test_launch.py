"""Kernels of the machine on device arrays: no copies, one memory."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.simt.host import cuda
from gpuedu.simt.host.transfers import reset_transfers, transfers


@cuda.jit
def axpy(a, x, y):
    i = cuda.grid(1)
    if i < y.shape[0]:
        y[i] += a * x[i]


@pytest.fixture
def arrays():
    rng = np.random.default_rng(5)
    x, y = rng.random((2, 100), dtype=np.float32)
    return cp.asarray(x), cp.asarray(y), x, y


def test_a_kernel_takes_arrays_without_a_copy(arrays):
    x, y, host_x, host_y = arrays
    reset_transfers()
    axpy[4, 32](np.float32(2), x, y)
    assert not transfers()
    np.testing.assert_allclose(y.get(), host_y + 2 * host_x, rtol=1e-6)


def test_a_kernel_takes_views(arrays):
    x, y, host_x, host_y = arrays
    axpy[2, 32](np.float32(1), x[::-2], y[50:])
    host_y[50:] += host_x[::-2]
    np.testing.assert_allclose(y.get(), host_y, rtol=1e-6)


def test_memory_is_shared_both_ways(arrays):
    x, *_ = arrays
    device = cuda.as_cuda_array(x)
    assert device.shape == (100,) and device.device_view.address == x.data.ptr
    back = cp.asarray(device)
    back[0] = 77
    assert float(x[0]) == 77
    made = cuda.to_device(np.arange(6.0).reshape(2, 3))
    ours = cp.asarray(made)
    ours += 1
    np.testing.assert_array_equal(made.copy_to_host(), np.arange(1, 7).reshape(2, 3))
    assert isinstance(made[0:1], type(made)) and float(cp.sum(made)) == 21


def test_a_device_array_of_the_machine_is_an_operand(arrays):
    x, *_ = arrays
    other = cuda.to_device(np.ones(100, np.float32))
    np.testing.assert_array_equal((x + other).get(), x.get() + 1)
    assert isinstance(cp.asnumpy(other), np.ndarray)


def test_memory_lives_as_long_as_anything_refers_to_it():
    device = cuda.as_cuda_array(cp.full(1000, 3.0))
    _ = cp.zeros(1000), cp.zeros(1000)
    np.testing.assert_array_equal(device.copy_to_host(), np.full(1000, 3.0))


def test_addresses_are_aligned_as_on_a_device():
    assert all(cp.empty(n, np.int8).data.ptr % 256 == 0 for n in (1, 3, 1000))
