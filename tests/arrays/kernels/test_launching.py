from __future__ import annotations

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.account import operations
from gpuedu.arrays.errors import DeviceArrayTypeError, DeviceArrayValueError
from gpuedu.arrays.kernels.launching import extents, launch, moved_bytes, on_device
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.simt.host import cuda

COPY = CudaCKernel(
    'extern "C" __global__ void copy(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x]; }',
    "copy",
)


@pytest.mark.parametrize("value", [(4,), (4, 2), (4, 2, 1), (np.int64(4),)])
def test_extents_are_tuples_of_whole_numbers(value):
    assert extents("grid", value) == tuple(map(int, value))


@pytest.mark.parametrize(
    ("value", "remedy"),
    [(4, "`(4,)`"), (np.int32(4), "`(np.int32(4),)`"), ([4, 2], "`tuple([4, 2])`"), (None, "")],
)
def test_what_is_no_tuple_is_refused_as_cupy_refuses_it(value, remedy):
    with pytest.raises(TypeError, match="Argument 'grid' has incorrect type") as told:
        extents("grid", value)
    assert remedy in told.value.remedy


def test_other_numbers_are_refused():
    for value in ((4.0,), (2, 0.5), (True,), ("4",)):
        with pytest.raises(DeviceArrayTypeError, match="whole numbers"):
            extents("block", value)
    for value in ((), (1, 1, 1, 1)):
        with pytest.raises(DeviceArrayValueError, match="one to three numbers"):
            extents("block", value)


def test_a_launch_enters_the_account_with_its_bytes():
    x, y = cp.arange(64, dtype=cp.float32), cp.zeros(64, cp.float32)
    trace = launch(COPY, (1,), (64,), [x, y])
    last = operations()[-1]
    assert (last.name, last.read_bytes, last.written_bytes) == ("copy", 256, 256)
    assert moved_bytes(trace) == (256, 256) and moved_bytes(None) == (0, 0)


def test_arrays_of_other_libraries_are_taken_where_they_lie():
    x = cuda.to_device(np.arange(4, dtype=np.float32))
    y = cp.zeros(4, cp.float32)
    launch(COPY, (1,), (4,), [on_device(x), y])
    assert y.get().tolist() == [0, 1, 2, 3]
    assert on_device(x).data.ptr == x.device_view.address


@pytest.mark.parametrize("value", [np.zeros(2), [1.0], (1.0,), "x", None])
def test_what_is_not_on_the_device_is_refused(value):
    with pytest.raises(DeviceArrayTypeError, match="Unsupported type"):
        on_device(value)
