from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt.host import cuda
from gpuedu.simt.host.errors import CudaIndexError, CudaTypeError, CudaValueError
from gpuedu.simt.host.transfers import Direction, transfers


def numbers(*shape, dtype=np.float32):
    return np.random.default_rng(7).integers(-99, 99, shape).astype(dtype)


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (2, 3, 4), (0,), (3, 0)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_copy_there_and_back_is_equal(shape, order):
    host = np.asarray(numbers(*shape), order=order)
    device = cuda.to_device(host)
    back = device.copy_to_host()
    assert back.dtype == host.dtype and back.strides == host.strides
    np.testing.assert_array_equal(back, host)


def test_the_device_keeps_its_own_memory():
    host = numbers(6)
    device = cuda.to_device(host)
    host[:] = 0
    np.testing.assert_array_equal(device.copy_to_host(), numbers(6))


@pytest.mark.parametrize(
    "index",
    [
        slice(1, 4), slice(None, None, 2), slice(None, None, -1), 3, -1, (2, 1), (slice(1, 5), 2),
        (slice(None), slice(0, 3)), (2,), ..., (..., 1), (slice(5, 2), slice(None)),
    ],
)  # fmt: skip
def test_an_index_is_numpys(index):
    host = numbers(6, 4)
    found = cuda.to_device(host)[index]
    expected = host[index]
    if isinstance(expected, np.ndarray) and expected.ndim:
        assert found.shape == expected.shape and found.strides == expected.strides
        np.testing.assert_array_equal(found.device_view.as_numpy(), expected)
    else:
        assert found == expected and type(found) is type(expected)


def test_a_slice_is_a_view_of_the_same_memory():
    device = cuda.to_device(numbers(8))
    part = device[2:6]
    part[:] = 5
    assert list(device.copy_to_host()[1:7]) == [numbers(8)[1], 5, 5, 5, 5, numbers(8)[6]]


def test_an_index_outside_is_refused_with_the_shape():
    with pytest.raises(CudaIndexError, match=r"\(6,\)"):
        cuda.to_device(numbers(6))[6]


@pytest.mark.parametrize("index", [[1, 2], np.array([0, 1]), True, None, 1.0])
def test_no_index_but_integers_and_slices(index):
    with pytest.raises(TypeError):
        cuda.to_device(numbers(6))[index]


def test_elements_are_written_on_the_device():
    host, device = numbers(4, 5), cuda.to_device(numbers(4, 5))
    row = numbers(5)[::-1].copy()
    device[1], host[1] = row, row
    device[2:, 3], host[2:, 3] = 9, 9
    device[0] = cuda.to_device(row)
    host[0] = row
    np.testing.assert_array_equal(device.copy_to_host(), host)


@pytest.mark.parametrize("value, text", [(np.zeros((2, 4)), "2-D"), (np.zeros(3), "size 3")])
def test_a_value_that_does_not_fit_is_refused(value, text):
    with pytest.raises(CudaValueError, match=text):
        cuda.to_device(numbers(4, 4))[0] = value


def test_hidden_copies_are_counted_as_such():
    device = cuda.to_device(numbers(3))
    _ = device[1], np.asarray(device), list(device)
    device[0] = 1.0
    told = [(t.direction, t.size_bytes, t.implicit) for t in transfers()]
    out, there = Direction.DEVICE_TO_HOST, Direction.HOST_TO_DEVICE
    assert told == [
        (there, 12, False),
        (out, 4, True),
        (out, 12, True),
        *[(out, 4, True)] * 3,
        (there, 8, True),
    ]


def test_a_copy_into_an_array_of_another_kind_is_refused():
    device = cuda.to_device(numbers(4, 3))
    with pytest.raises(CudaTypeError, match="float32 vs"):
        device.copy_to_host(np.empty((4, 3)))
    with pytest.raises(CudaValueError, match=r"\(4, 3\) vs. \(3, 4\)"):
        device.copy_to_host(np.empty((3, 4), np.float32))
    with pytest.raises(CudaValueError, match="strides"):
        device.copy_to_host(np.empty((4, 3), np.float32, order="F"))
    with pytest.raises(CudaTypeError, match="int8"):
        device.copy_to_device(np.zeros((4, 3), np.int8))
    with pytest.raises(CudaValueError):
        device.copy_to_device(np.zeros(11, np.float32))


def test_gaps_in_memory_are_refused_and_repeats_are_not():
    with pytest.raises(CudaValueError, match="non-contiguous"):
        cuda.to_device(numbers(8, 8)[::2, ::2])
    repeated = np.broadcast_to(numbers(5), (3, 5))
    device = cuda.to_device(repeated)
    assert device.alloc_size == 20 and device.strides == (0, 4)
    np.testing.assert_array_equal(device.copy_to_host(), repeated)


def test_negative_strides_stay_on_the_device():
    backwards = cuda.to_device(numbers(6))[::-1]
    with pytest.raises(NotImplementedError):
        backwards.copy_to_host()


def test_reshape_ravel_squeeze_view_transpose_split():
    host = numbers(4, 6)
    device = cuda.to_device(host)
    for found, expected in [
        (device.reshape(3, 8), host.reshape(3, 8)),
        (device.reshape((2, -1)), host.reshape(2, -1)),
        (
            device.reshape(24, order="C").reshape(6, 4, order="F"),
            host.ravel().reshape(6, 4, order="F"),
        ),
        (device.ravel(), host.ravel()),
        (device[1:2].squeeze(), host[1:2].squeeze()),
        (device.view(np.int32), host.view(np.int32)),
        (device.view(np.float64), host.view(np.float64)),
        (device.T, host.T),
    ]:
        np.testing.assert_array_equal(found.copy_to_host(), expected)
    parts = [part.copy_to_host() for part in device.ravel().split(7)]
    assert [len(part) for part in parts] == [7, 7, 7, 3]
    np.testing.assert_array_equal(np.concatenate(parts), host.ravel())


def test_views_that_need_a_copy_are_refused():
    device = cuda.to_device(numbers(4, 6))
    with pytest.raises(NotImplementedError):
        device[:, 1:3].ravel()
    with pytest.raises(NotImplementedError):
        device[:, 1:3].reshape(8)
    with pytest.raises(ValueError):
        device.reshape(5, 5)
    with pytest.raises(ValueError, match="C-contiguous"):
        device[:, 1:3].view(np.float64)
    with pytest.raises(ValueError, match="divisor"):
        cuda.to_device(numbers(3)).view(np.float64)


def test_records_read_and_write_their_fields():
    kind = np.dtype([("a", np.int32), ("b", np.float64), ("c", np.float32, (2, 2))], align=True)
    host = np.zeros(3, kind)
    host["a"], host["b"], host["c"][1] = [1, 2, 3], [0.5, 1.5, 2.5], [[1, 2], [3, 4]]
    record = cuda.to_device(host)[1]
    assert (record["a"], record["b"]) == (2, 1.5)
    np.testing.assert_array_equal(record["c"].copy_to_host(), [[1, 2], [3, 4]])
    record["b"] = -1
    assert record.copy_to_host()["b"] == -1


def test_the_array_interface_leads_back_to_the_same_memory():
    class Foreign:
        def __init__(self, array):
            self.__cuda_array_interface__ = array.__cuda_array_interface__
            self.array = array

    device = cuda.to_device(numbers(5, 4))
    again = cuda.as_cuda_array(Foreign(device[1:, ::2]))
    again[:] = 3
    expected = numbers(5, 4)
    expected[1:, ::2] = 3
    np.testing.assert_array_equal(device.copy_to_host(), expected)
    assert cuda.is_cuda_array(device) and not cuda.is_cuda_array(expected)
    with pytest.raises(CudaValueError, match="0x10"):
        cuda.from_cuda_array_interface(
            {"shape": (3,), "typestr": "<f4", "data": (16, False), "version": 3}
        )
    with pytest.raises(TypeError):
        cuda.as_cuda_array(expected)
