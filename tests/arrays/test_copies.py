"""Bytes copied by address, as programs do that fill a kernel's constants."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.account import count_operations
from gpuedu.arrays.errors import CudaRuntimeError, DeviceArrayTypeError


def test_bytes_go_to_the_device_and_back():
    host, back = np.arange(6, dtype=np.float32), np.zeros(6, np.float32)
    array = cp.zeros(8, cp.float32)
    (array.data + 8).copy_from_host(host.ctypes.data, host.nbytes)
    np.testing.assert_array_equal(array.get(), [0, 0, 0, 1, 2, 3, 4, 5])
    (array.data + 8).copy_to_host_async(ctypes.c_void_p(back.ctypes.data), 24, cp.cuda.Stream())
    np.testing.assert_array_equal(back, host)


def test_copies_inside_of_the_device_may_overlap():
    array, other = cp.arange(6, dtype=cp.int32), cp.full(6, -1, cp.int32)
    with count_operations() as count:
        other.data.copy_from_device(array.data, 12)
        (array.data + 4).copy_from(array.data, 20)
        array.data.memset_async(255, 4)
    assert (count.launches, count.moved_bytes) == (3, 68)
    np.testing.assert_array_equal(other.get(), [0, 1, 2, -1, -1, -1])
    np.testing.assert_array_equal(array.get(), [-1, 0, 1, 2, 3, 4])


def test_constants_are_filled_by_address():
    module = cp.RawModule(
        code=r"""
extern "C" {
__constant__ float c[3];
__global__ void poly(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = c[0] + x[i] * (c[1] + x[i] * c[2]);
}
}
"""
    )
    c, x, y = np.array([1, 2, 3], np.float32), cp.arange(5, dtype=cp.float32), cp.empty(5, "f4")
    module.get_global("c").copy_from(c.ctypes.data, c.nbytes)
    module.get_function("poly")((1,), (32,), (x, y, 5))
    np.testing.assert_array_equal(y.get(), 1 + np.arange(5) * (2 + 3.0 * np.arange(5)))


def test_more_than_there_is_and_what_is_no_address_are_refused():
    array, host = cp.zeros(2), np.zeros(2)
    for size in (17, -1):
        with pytest.raises(CudaRuntimeError, match="16 are left"):
            array.data.memset(0, size)
    with pytest.raises(DeviceArrayTypeError, match=r"ndarray is not a host address.*ctypes\.data"):
        array.data.copy_from_host(host, 16)
    with pytest.raises(DeviceArrayTypeError, match=r"array\.data"):
        array.data.copy_from_device(array, 16)
