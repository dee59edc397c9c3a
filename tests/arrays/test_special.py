from __future__ import annotations

import io

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.simt.host.transfers import transfers

HIDDEN = ("an element read on the host", "tolist()")


def test_put_and_take_wrap_around():
    array = cp.arange(5)
    assert cp.take(array, [7, -6]).get().tolist() == [2, 4]
    assert array.take(np.int64(6)).shape == ()
    cp.put(array, cp.array([6]), cp.array([50]))
    array.put([-1], 40)
    assert array.get().tolist() == [0, 50, 2, 3, 40]
    found = cp.take_along_axis(array, cp.array([5, 6]), axis=0)
    assert found.get().tolist() == [0, 50]
    with pytest.raises(IndexError):
        cp.put(array, cp.array([6]), 1, mode="raise")
    with pytest.raises(IndexError, match="integer"):
        cp.take_along_axis(array, cp.array([1.0]), axis=0)


def test_eigenvalues_are_complex_as_cupys():
    values, vectors = cp.linalg.eig(cp.diag(cp.array([2.0, 3.0])))
    assert values.dtype == vectors.dtype == cp.linalg.eigvals(cp.eye(2)).dtype == np.complex128
    assert cp.linalg.eigvals(cp.eye(2, dtype=np.float32)).dtype == np.complex64


def test_a_singular_matrix_is_an_error_here():
    with pytest.raises(cp.linalg.LinAlgError):
        cp.linalg.inv(cp.zeros((2, 2)))


def test_files_hold_host_copies(tmp_path):
    array = cp.arange(6.0).reshape(2, 3)
    cp.save(tmp_path / "one.npy", array)
    np.testing.assert_array_equal(cp.load(tmp_path / "one.npy").get(), array.get())
    cp.savez(tmp_path / "two.npz", array, other=array + 1)
    found = cp.load(tmp_path / "two.npz")
    np.testing.assert_array_equal(found["other"].get(), array.get() + 1)
    assert found["arr_0"].shape == (2, 3)
    assert cp.loadtxt(io.StringIO("1 2\n3 4")).sum().item() == 10
    assert cp.frombuffer(b"\x01\x00\x02\x00", dtype=np.int16).get().tolist() == [1, 2]
    assert not any(t.implicit for t in transfers() if t.what not in HIDDEN)


def test_functions_along_axes():
    array = cp.arange(24.0).reshape(2, 3, 4)
    host = array.get()
    for axis in range(3):
        for function in (lambda x, xp=None: x[::-2], lambda x, xp=None: x.sum()):
            ours = cp.apply_along_axis(function, axis, array)
            theirs = np.apply_along_axis(function, axis, host)
            np.testing.assert_array_equal(ours.get(), theirs)
    np.testing.assert_array_equal(
        cp.apply_over_axes(cp.sum, array, [0, 2]).get(), np.apply_over_axes(np.sum, host, [0, 2])
    )


def test_finite_numbers_only():
    assert cp.asarray_chkfinite([1.0]).get().tolist() == [1]
    with pytest.raises(ValueError, match="Infs"):
        cp.asarray_chkfinite([np.inf])


@pytest.mark.parametrize("name", ["size", "shares_memory", "array_repr", "astype"])
def test_host_arrays_are_refused(name):
    with pytest.raises(TypeError, match="Unsupported type"):
        getattr(cp, name)(np.ones(3), np.ones(3))


def test_memory_is_compared_on_the_device():
    array = cp.arange(10)
    assert cp.shares_memory(array, array[3:5]) and not cp.shares_memory(array[::2], array[1::2])
    assert cp.may_share_memory(array[::2], array[1::2])


def test_small_things():
    assert (cp.size(cp.ones((2, 3)), 1), cp.ndim(cp.ones((2, 3))), cp.shape([1, 2])) == (3, 2, (2,))
    assert cp.is_available() and cp.memoize()(lambda x: x + 1)(2) == 3
    assert cp.broadcast(cp.ones((2, 1)), cp.ones(3)).values[0].shape == (2, 3)
    assert repr(cp.r_) == "<cupy.r_>" and cp.r_[cp.ones(2), 3].get().tolist() == [1, 1, 3]
    with pytest.raises(TypeError, match="Unsupported type"):
        _ = cp.c_[np.ones(3)]
    with pytest.raises(NotImplementedError):
        cp.piecewise(cp.ones(2), [cp.ones(2) > 0], [lambda x: x])
    cp.clear_memo()


def test_an_index_far_outside_wraps_around_at_once():
    far, array = 2**60, cp.arange(3.0)
    assert cp.take(array, far) == cp.take(array, cp.asarray([far]))[0] == far % 3
    assert array.take(cp.asarray([-far]))[0] == -far % 3
    cp.put(array, cp.asarray([far]), 7.0)
    array.put(cp.asarray([-far]), 8.0)
    assert (array[far % 3], array[-far % 3]) == (7, 8)
    with pytest.raises(IndexError, match="axis 5 is out of bounds"):
        cp.take(array, 1, axis=5)
