"""Names of dtypes from a learner's process: those that NumPy gives itself, and no other text."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.grading.dtypes import dtype_named
from gpuedu.grading.player.device.values import Codec

KNOWN = [
    *(np.dtype(code) for code in "?bhilqBHILQefdgFDGOSUVmM"),
    *(np.dtype(code) for code in ("S7", "U12", "V16", "M8[ns]", "m8[25us]", ">i2", ">c8", ">U3")),
]


@pytest.mark.parametrize("dtype", KNOWN, ids=str)
def test_what_numpy_calls_a_dtype_is_that_dtype(dtype):
    assert dtype_named(dtype.str) == dtype


UNKNOWN = [
    "f8",
    "float64",
    "<f3",
    "i4,i4",
    "(2,)<f8",
    "|S99999999",
    "<U1\n",
    "|V8,",
    "",
    "<M8[(1,)]",
]


@pytest.mark.parametrize("name", [*UNKNOWN, None, 8, ["<f8"], ("<f8", (1,)), b"<f8"])
def test_another_text_is_no_dtype(name):
    with pytest.raises(ValueError, match="no dtype has"):
        dtype_named(name)


class Answered(Codec):
    """Neither side's own things."""

    def decode_own(self, kind, told):
        raise AssertionError(kind)


@pytest.mark.parametrize(
    "told",
    [
        *(["dtype", name] for name in UNKNOWN),
        *(["blank", name, [1]] for name in UNKNOWN),
        ["number type", "f2py"],
        ["ufunc", "testing"],
    ],
)
def test_the_device_takes_no_other_text_for_a_dtype(told):
    with pytest.raises(AnswerError, match="no known form"):
        Answered().decode(told)
