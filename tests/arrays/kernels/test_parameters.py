"""Parameter lists and their types, held against CuPy's own where it is installed."""

from __future__ import annotations

import importlib
import itertools
import warnings

import numpy as np
import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.errors import DeviceArrayTypeError, DeviceArrayValueError
from gpuedu.arrays.kernels.parameters import (
    UndecidedTypeError,
    as_number,
    c_name,
    decide_types,
    read_parameters,
    require_kernel_name,
    typedefs,
)

LISTS = (
    "", "T x", "T x, T y", "raw T x, U y", "  raw   float32  x ,int8 y ", "int x", "float x",
    "bool x", "float16 x", "double x", "f4 x", "t x", "T n", "uint64 a, uint8 b",
)  # fmt: skip
WRONG_LISTS = (
    "x", "foo x", "cooked float32 x", "float32 x,", "float32* x", "long long x", "T i", "T",
)  # fmt: skip


@pytest.fixture(scope="module")
def kernels_of_cupy():
    """CuPy's kernel module: its parameter lists can be read without a driver."""
    with warnings.catch_warnings(action="ignore"):
        try:
            importlib.import_module("cupy")
            return importlib.import_module("cupy._core._kernel")
        except ImportError:
            pytest.skip("CuPy is not installed")


@pytest.mark.parametrize("text", LISTS)
def test_lists_are_read_as_cupy_reads_them(text, kernels_of_cupy):
    theirs = kernels_of_cupy.ElementwiseKernel(text, "", "").in_params
    ours = read_parameters(text)
    assert [(p.name, p.dtype, p.raw, p.ctype.replace("__half", "float16")) for p in ours] == [
        (p.name, p.dtype and np.dtype(p.dtype), p.raw, p.ctype) for p in theirs
    ]


@pytest.mark.parametrize("text", WRONG_LISTS)
def test_what_cupy_refuses_is_refused(text, kernels_of_cupy):
    with pytest.raises(Exception) as theirs:
        kernels_of_cupy.ElementwiseKernel(text, "", "")
    with pytest.raises((DeviceArrayTypeError, DeviceArrayValueError)) as ours:
        read_parameters(text)
    assert isinstance(ours.value, theirs.type)
    assert ours.value.remedy


def test_reserved_names_are_refused():
    with pytest.raises(DeviceArrayValueError, match="reserved"):
        read_parameters("float32 _x")
    with pytest.raises(ValueError, match="Can not use 'i' as a parameter name"):
        read_parameters("float32 i")
    with pytest.raises(DeviceArrayValueError, match="same name"):
        cp.ElementwiseKernel("T x", "T x", "")


@pytest.mark.parametrize("name", ["two words", "1st", "", "a-b"])
def test_kernel_names_are_held_to_c(name):
    with pytest.raises(ValueError, match="Invalid kernel name"):
        require_kernel_name(name)


TYPES = (np.float32, np.float64, np.int8, None)
PARAMETERS = (
    ("T x, T y", "T z"),
    ("T x, U y", "U z"),
    ("float32 x, T y", "T z"),
    ("T x, T y", "S z"),
)


@pytest.mark.parametrize("texts", PARAMETERS)
def test_types_are_decided_as_cupy_decides_them(texts, kernels_of_cupy):
    theirs = kernels_of_cupy.ElementwiseKernel(*texts, "")
    inputs, outputs = map(read_parameters, texts)
    outcomes = set()
    for given in itertools.product(TYPES, TYPES, (*TYPES[:3], ())):
        kinds, passed = given[:2], given[2:] if given[2] != () else ()
        expected = _outcome(
            lambda k=kinds, p=passed: kernels_of_cupy._decide_params_type(
                theirs.in_params, theirs.out_params, k, p
            )[:2]
        )
        values = [2 if kind is None else cp.zeros(1, kind) for kind in kinds]
        results = [cp.zeros(1, kind) for kind in passed] or None
        got = _outcome(lambda v=values, r=results: decide_types(inputs, outputs, v, r)[1:])
        assert got == expected or (isinstance(got, type) and issubclass(got, expected)), given
        outcomes.add(expected if isinstance(expected, type) else "types")
    assert "types" in outcomes and len(outcomes) > 1


def _outcome(function):
    """The dtypes, or the class of the error."""
    try:
        inputs, outputs = function()
    except Exception as fault:
        return type(fault)
    return [np.dtype(t) for t in inputs], [np.dtype(t) for t in outputs]


def test_mismatches_name_parameter_and_types():
    x, y = cp.zeros(2, np.float32), cp.zeros(2, np.int32)
    with pytest.raises(TypeError, match=r"Type is mismatched\. y int32 float32 T") as told:
        decide_types(read_parameters("T x, T y"), read_parameters("T z"), [x, y], None)
    assert "astype" in told.value.remedy
    with pytest.raises(TypeError, match=r"Type is mismatched\. x int32 float64"):
        decide_types(read_parameters("float64 x"), (), [y], None)


def test_a_place_holder_without_an_array_is_told():
    with pytest.raises(UndecidedTypeError, match="Unknown type: Z: no array says what `z` is"):
        decide_types(read_parameters("X x"), read_parameters("Z z"), [cp.zeros(1)], None)
    with pytest.raises(KeyError):
        decide_types(read_parameters("X x"), (), [np.float32(1)], None)


@pytest.mark.parametrize("kind", ["complex64", "complex128", "S3", "datetime64[s]"])
def test_types_that_are_not_covered_are_told(kind):
    with pytest.raises(DeviceArrayTypeError, match="not covered"):
        c_name(np.dtype(kind))


def test_place_holders_become_types():
    known = {"T": np.dtype(np.uint8), "A": np.dtype(np.float16)}
    assert typedefs(known) == "typedef float A; typedef unsigned char T;"


def test_numbers_become_those_of_their_parameter():
    assert as_number(2.75, np.dtype(np.int32)) == 2
    assert as_number(np.float64(0.1), np.dtype(np.float32)) == np.float32(0.1)
    with pytest.raises(OverflowError):
        as_number(300, np.dtype(np.int8))
