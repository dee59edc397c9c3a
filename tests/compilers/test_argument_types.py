"""Argument types in every way of writing them."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.compilers import ArgumentTypeError
from gpuedu.compilers.argument_types import argument_types, to_numba

MATRIX = np.zeros((4, 6), np.float32)


class DeviceArray:
    """What arrays of devices have in common."""

    def __init__(self, dtype, shape, strides):
        self.dtype, self.shape, self.strides = dtype, shape, strides


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("float32", "float32"),
        ("bool", "bool"),
        ("boolean", "bool"),
        ("int", "int64"),
        ("float", "float64"),
        (" uint8 [ : ] ", "array(uint8, 1d, A)"),
        ("float32[::1]", "array(float32, 1d, C)"),
        ("float64[:,:]", "array(float64, 2d, A)"),
        ("float32[:, ::1]", "array(float32, 2d, C)"),
        ("float32[::1, :]", "array(float32, 2d, F)"),
        ("float16[:, :, ::1]", "array(float16, 3d, C)"),
        ("array(int32, 2d, F)", "array(int32, 2d, F)"),
        (("float32", 2, "C"), "array(float32, 2d, C)"),
        ((np.int16, 1, "A"), "array(int16, 1d, A)"),
        (np.float32, "float32"),
        (np.dtype("uint32"), "uint32"),
        (3, "int64"),
        (2.5, "float64"),
        (True, "bool"),
        (1j, "complex128"),
        (np.float32(1), "float32"),
        (MATRIX, "array(float32, 2d, C)"),
        (MATRIX.T, "array(float32, 2d, F)"),
        (MATRIX[:, ::2], "array(float32, 2d, A)"),
        (MATRIX[:1], "array(float32, 2d, C)"),
        (MATRIX[0], "array(float32, 1d, C)"),
        (np.zeros(5)[::-1], "array(float64, 1d, A)"),
        (DeviceArray("float32", (3, 5), (20, 4)), "array(float32, 2d, C)"),
        (DeviceArray("float32", (3, 5), (4, 12)), "array(float32, 2d, F)"),
        (DeviceArray("float32", (3, 5), None), "array(float32, 2d, C)"),
    ],
)
def test_what_is_written_is_read(given, expected):
    assert [str(kind) for kind in argument_types([given])] == [expected]


@pytest.mark.parametrize(
    "nonsense",
    [
        "float33",
        "float32[",
        "float32[1]",
        "float32[::1, ::1]",
        "float32[:, ::1, :]",
        "",
        None,
        object(),
        np.array(["text"]),
        np.array([None]),
        [1, 2],
        ("float32", 2),
        "str",
    ],
)
def test_nonsense_is_refused(nonsense):
    with pytest.raises(ArgumentTypeError, match="not an argument type") as caught:
        argument_types([nonsense])
    assert "float32[:, ::1]" in caught.value.remedy


def test_one_text_for_all_is_refused():
    with pytest.raises(ArgumentTypeError, match="one type for each argument"):
        argument_types("float32[:]")


def test_numba_has_the_same_types():
    numba = pytest.importorskip("numba")
    point = np.dtype([("x", np.float32), ("y", np.int64)], align=True)
    own = numba.types.Array(numba.types.int8, 3, "F")
    given = ["float32[:, ::1]", "int64", "bool", np.zeros(2, point), own, "float16[:]"]
    found = [str(kind) for kind in to_numba(argument_types(given))]
    assert found[:3] == ["array(float32, 2d, C)", "int64", "bool"]
    assert "x" in found[3] and found[3].endswith("1d, C)")
    assert found[4:] == ["array(int8, 3d, F)", "array(float16, 1d, A)"]
