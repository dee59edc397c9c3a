"""The same widths on a host of 64 bits and in a tab, where this file runs as well."""

import numpy as np
import pytest

from gpuedu.widths import as_array, as_dtype, as_index, count_each, python_dtype

WIDE = np.array([4, 0, 4, 2], np.int64)


def test_indices_are_taken_by_numpy():
    values = np.array([10, 20, 30, 40, 50], np.float32)
    assert values.take(as_index(WIDE)).tolist() == [50, 10, 50, 30]
    assert np.repeat(WIDE, as_index(WIDE)).tolist() == [4] * 8 + [2] * 2


def test_an_index_that_is_one_already_is_not_copied():
    index = np.array([1, 2], np.intp)
    assert as_index(index) is index


def test_floats_are_no_indices():
    with pytest.raises(TypeError, match="same_kind"):
        as_index(np.array([1.0]))


@pytest.mark.parametrize("numbers", [WIDE, WIDE.astype(np.uint8), WIDE.tolist()])
def test_counts_have_64_bits(numbers):
    counts = count_each(numbers, minlength=6)
    assert counts.dtype == np.int64 and counts.tolist() == [1, 0, 1, 0, 2, 0]


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (3, "int64"),
        ([1, 2], "int64"),
        (2**40, "int64"),
        (2**63, "uint64"),
        (0.5, "float64"),
        ([True], "bool"),
        (np.int32(3), "int32"),
        (np.arange(3, dtype=np.int32), "int32"),
        (np.arange(3, dtype=np.uint16), "uint16"),
    ],
)
def test_python_integers_have_64_bits_and_numpys_keep_theirs(value, dtype):
    assert as_array(value).dtype == np.dtype(dtype)


def test_python_types_have_the_dtypes_of_a_gpus_host():
    found = [str(python_dtype(kind)) for kind in (bool, int, float, complex, str)]
    assert found == ["bool", "int64", "float64", "complex128", "None"]
    assert [str(as_dtype(kind)) for kind in (int, "int32", np.uint8)] == ["int64", "int32", "uint8"]
