from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt.host import cuda
from gpuedu.simt.host.transfers import transfers


@pytest.mark.parametrize("shape", [5, np.int32(5), (5,), [5], (2, 3)])
@pytest.mark.parametrize(
    "make", [cuda.device_array, cuda.pinned_array, cuda.mapped_array, cuda.managed_array]
)
def test_shapes_and_defaults(make, shape):
    found = make(shape)
    expected = np.empty(shape)
    assert (found.shape, found.dtype, found.strides) == (
        expected.shape,
        expected.dtype,
        expected.strides,
    )
    assert make(shape, np.int16, order="F").strides == np.empty(shape, np.int16, order="F").strides


@pytest.mark.parametrize("shape", [2.0, (2, 3.5), "ab", np.array([1.5]), (-1,)])
def test_shapes_that_are_none(shape):
    with pytest.raises((TypeError, ValueError)):
        cuda.device_array(shape)


@pytest.mark.parametrize(
    "like", [cuda.device_array_like, cuda.pinned_array_like, cuda.mapped_array_like]
)
@pytest.mark.parametrize(
    "source, strides",
    [
        (np.empty((4, 6), np.float32), (24, 4)),
        (np.empty((4, 6), np.float32, order="F"), (4, 16)),
        (np.empty((8, 6), np.float32)[::2, ::3], (8, 4)),
        (np.empty((4, 6, 5), np.float32).transpose(2, 0, 1)[::2], (4, 72, 12)),
    ],
)
def test_an_array_like_another_is_compact_in_its_order(like, source, strides):
    found = like(source)
    assert (found.shape, found.dtype, found.strides) == (source.shape, source.dtype, strides)


def test_copies_go_into_an_array_that_is_there():
    there = cuda.device_array(4, np.int32)
    assert cuda.to_device(np.arange(4, dtype=np.int32), to=there) is there
    assert list(there.copy_to_host()) == [0, 1, 2, 3]


def test_copy_false_leaves_elements_alone():
    cuda.to_device(np.ones(4), copy=False)
    assert transfers() == ()


def test_mapped_memory_is_shared():
    reach = cuda.mapped_array(4, np.int32)
    reach[:] = [1, 2, 3, 4]
    assert list(reach.device_view.as_numpy()) == [1, 2, 3, 4]
    assert reach[1:].device_view is None
    host = np.arange(6, dtype=np.float32).reshape(2, 3)
    with cuda.mapped(host) as device:
        device[1, 2] = 9
    assert host[1, 2] == 9
    with cuda.pinned(host):
        pass
    assert transfers()[-1].size_bytes == 8  # the written 9, a float64


def test_text_cannot_go_to_the_device():
    with pytest.raises(TypeError, match="numbers only"):
        cuda.to_device(np.array(["a"]))
    with pytest.raises(TypeError):
        cuda.to_device(np.array([None]))
