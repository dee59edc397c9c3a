from __future__ import annotations

import itertools
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.errors import DeviceArrayTypeError, DeviceArrayValueError, NotInStandInError
from gpuedu.arrays.kernels.reduction import reduced_axes
from gpuedu.compilers import CompilerMissingError, check_cuda_c
from gpuedu.compilers.nvrtc_errors import CudaCError
from gpuedu.errors import KernelSourceError
from gpuedu.simt.host.errors import KernelHazardError

total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
RNG = np.random.default_rng(23)


@pytest.fixture(scope="session")
def compiler():
    try:
        check_cuda_c('extern "C" __global__ void k() {}')
    except CompilerMissingError as missing:
        pytest.skip(str(missing))


def integers(*shape, dtype="int32"):
    return RNG.integers(-50, 50, shape).astype(dtype)


ALL_AXES = [None, *(c for n in range(4) for c in itertools.combinations(range(3), n)), -1, (0, -1)]


@pytest.mark.parametrize("axis", ALL_AXES, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
def test_every_combination_of_axes(axis, keepdims):
    x = integers(3, 4, 5)
    got = total(cp.asarray(x), axis=axis, keepdims=keepdims)
    expected = x.sum(axis=axis, keepdims=keepdims, dtype=x.dtype)
    assert got.shape == np.shape(expected)
    np.testing.assert_array_equal(got.get(), expected)


@st.composite
def cut_arrays(draw):
    """A host array, a part of it and axes to reduce."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, max_side=5))
    steps = [draw(st.sampled_from((1, 2, -1, -3))) for _ in shape]
    seed = draw(st.integers(0, 1000))
    whole = tuple(n * abs(step) for n, step in zip(shape, steps, strict=True))
    dtype = draw(st.sampled_from(("int32", "int64", "uint8", "float64")))
    base = np.random.default_rng(seed).integers(0, 9, whole).astype(dtype)
    part = tuple(slice(None, None, step) for step in steps)
    axes = draw(st.sets(st.integers(0, len(shape) - 1)))
    return base, part, draw(st.permutations(range(len(shape)))), tuple(axes)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(cut_arrays())
def test_sums_are_numpys_for_any_shape_strides_and_axes(drawn):
    base, part, order, axes = drawn
    x = base[part].transpose(order)
    got = total(cp.asarray(base)[part].transpose(order), axis=axes)
    np.testing.assert_array_equal(got.get(), x.sum(axis=axes, dtype=x.dtype))


@pytest.mark.parametrize("count", [1, 2, 31, 32, 33, 511, 512, 513, 1500])
def test_lengths_around_warps_and_blocks(count):
    x = integers(count, dtype="int64")
    assert int(total(cp.asarray(x))) == x.sum()
    assert total.last_trace.launch.block[0] == min(512, max(32, 1 << (count - 1).bit_length()))


def test_several_inputs_are_broadcast():
    dot = cp.ReductionKernel("T x, T y, T scale", "T z", "scale * x * y", "a + b", "z = a", "0")
    x, y = integers(4, 1, 6), integers(5, 1)
    got = dot(cp.asarray(x), cp.asarray(y), 2, axis=(0, 2))
    np.testing.assert_array_equal(got.get(), (2 * x * y).sum(axis=(0, 2)))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "uint64", "float16", "float32"])
def test_types_of_input_and_output_may_differ(dtype):
    x = (RNG.random(70) * 3).astype(dtype)
    wide = cp.ReductionKernel("T x", "float64 y", "x", "a + b", "y = a", "0")
    got = wide(cp.asarray(x))
    assert got.dtype == np.float64 and float(got) == x.astype(np.float64).sum()


def test_halves_are_rounded_at_each_step_and_floats_are_not():
    x = np.full(3000, 0.1, np.float16)
    wide = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", reduce_type="float")
    got, rounded = wide(cp.asarray(x)), total(cp.asarray(x))
    assert got.dtype == rounded.dtype == np.float16
    exact = x.astype(np.float64).sum()
    assert float(got) == np.float16(exact) and abs(float(rounded) - exact) > 0.05


def test_without_an_identity_threads_begin_with_nothing():
    """As with CuPy, whose threads begin with the type's own beginning: 0 for numbers."""
    largest = cp.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", None)
    assert int(largest(cp.asarray(np.array([3, 9, -4])))) == 9
    assert int(largest(cp.asarray(np.array([-3, -9])))) == 0
    with pytest.raises(ValueError, match="zero-size array to reduction operation reduce_kernel"):
        largest(cp.zeros((0, 3)), axis=0)
    assert largest(cp.zeros((0, 3)), axis=1).shape == (0,)


def test_an_identity_is_each_threads_beginning():
    wrong = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", 1)
    assert int(wrong(cp.zeros(3, cp.int32))) == 32
    assert wrong.identity == "1"
    lowest = cp.ReductionKernel(
        "float32 x", "float32 y", "x", "fmaxf(a, b)", "y = a", "-CUDART_INF_F"
    )
    x = -1 - RNG.random((3, 40), dtype=np.float32)
    np.testing.assert_array_equal(lowest(cp.asarray(x), axis=1).get(), x.max(axis=1))


def test_no_elements_give_the_identity():
    got = total(cp.zeros((3, 0), cp.int32), axis=1)
    np.testing.assert_array_equal(got.get(), [0, 0, 0])


def test_a_structure_finds_where_the_largest_is():
    where = cp.ReductionKernel(
        "T x, int32 k",
        "int32 y",
        "make_best(x, k)",
        "better(a, b)",
        "y = a.at",
        "make_best(T(-1e30), -1)",
        "where",
        reduce_type="Best",
        preamble="""
        struct Best { T value; int at; };
        __device__ Best make_best(T value, int at) { Best b; b.value = value; b.at = at; return b; }
        __device__ Best better(Best a, Best b) {
            return a.value > b.value || (a.value == b.value && a.at < b.at) ? a : b;
        }
        """,
    )
    x = RNG.random((6, 50), dtype=np.float32)
    got = where(cp.asarray(x), cp.arange(50, dtype=cp.int32), axis=1)
    np.testing.assert_array_equal(got.get(), x.argmax(axis=1))


def test_a_vector_carries_two_sums():
    variance = cp.ReductionKernel(
        "float32 x, int32 count",
        "float32 y",
        "make_float2(x, x * x)",
        "make_float2(a.x + b.x, a.y + b.y)",
        "y = a.y / count - a.x * a.x / count / count",
        "make_float2(0, 0)",
        reduce_type="float2",
    )
    x = RNG.random((4, 33), dtype=np.float32)
    np.testing.assert_allclose(
        variance(cp.asarray(x), 33, axis=1).get(), x.var(axis=1), rtol=1e-4, atol=1e-6
    )


def test_a_map_may_use_the_elements_number():
    weighted = cp.ReductionKernel("int32 x", "int32 y", "x * (int)_J", "a + b", "y = a", "0")
    x = integers(3, 40)
    got = weighted(cp.asarray(x), axis=1)
    np.testing.assert_array_equal(got.get(), (x * np.arange(40)).sum(axis=1))


def test_of_several_outputs_the_first_is_returned():
    both = cp.ReductionKernel(
        "T x", "T y, float64 mean", "x", "a + b", "y = a, mean = a / 8.0", "0"
    )
    x = integers(4, 8, dtype="float64")
    sums, means = cp.zeros(4), cp.zeros(4)
    assert both(cp.asarray(x), sums, means, axis=1) is sums
    np.testing.assert_array_equal(means.get(), x.mean(axis=1))
    np.testing.assert_array_equal(both(cp.asarray(x), axis=1).get(), x.sum(axis=1))
    with pytest.raises(NotImplementedError):
        both(cp.asarray(x), out=sums, axis=1)


def test_outputs_may_be_given_and_lie_anyhow():
    x = integers(3, 4)
    for out in (cp.zeros(3, cp.int32), cp.zeros(6, cp.int32)[::-2]):
        assert total(cp.asarray(x), axis=1, out=out) is out
        np.testing.assert_array_equal(out.get(), x.sum(axis=1))
        total(cp.asarray(-x), out, axis=1)
        np.testing.assert_array_equal(out.get(), -x.sum(axis=1))


def test_wrong_outputs_are_refused():
    x = cp.zeros((3, 4), cp.int32)
    with pytest.raises(ValueError, match="Out shape is mismatched"):
        total(x, axis=1, out=cp.zeros(4, cp.int32))
    with pytest.raises(TypeError, match=r"Type is mismatched\. x int32 float64 T"):
        total(x, axis=1, out=cp.zeros(3))
    with pytest.raises(ValueError, match="cannot specify 'out' as both"):
        total(x, cp.zeros(3, cp.int32), axis=1, out=cp.zeros(3, cp.int32))
    with pytest.raises(DeviceArrayTypeError, match="ndarray"):
        total(x, axis=1, out=np.zeros(3, np.int32))


def test_wrong_arguments_are_refused():
    x = cp.zeros((3, 4))
    for args in ((), (x, x, x)):
        with pytest.raises(TypeError, match="Wrong number of arguments for total"):
            total(*args)
    with pytest.raises(TypeError, match=re.escape("Unsupported type <class 'numpy.ndarray'>")):
        total(np.zeros(3))
    with pytest.raises(ValueError, match="Loop size is undecided"):
        total(3.0)
    for axis in (2, -3, (0, 5)):
        with pytest.raises(ValueError, match="out of bounds for array of dimension 2"):
            total(x, axis=axis)
    with pytest.raises(IndexError):
        total(x, axis=2)
    with pytest.raises(ValueError, match="duplicate value in 'axis'"):
        total(x, axis=(0, -2))
    with pytest.raises(TypeError, match="whole number"):
        total(x, axis=1.5)
    with pytest.raises(DeviceArrayValueError, match="has an output"):
        cp.ReductionKernel("T x", "", "x", "a + b", "", "0")


def test_axes_are_counted_from_the_front():
    assert reduced_axes([2, -3], 3) == (0, 2) and reduced_axes((), 2) == ()


def test_an_ended_statement_is_no_expression(compiler):
    with pytest.raises(CudaCError, match="post_map_expr, line 1"):
        cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a;", "0")(cp.zeros(4))


def test_raw_inputs_need_the_first_axes():
    table = cp.ReductionKernel("int32 x, raw T w", "T y", "w[x]", "a + b", "y = a", "0")
    x, w = RNG.integers(0, 5, (6, 4)).astype(np.int32), integers(5)
    got = table(cp.asarray(x), cp.asarray(w), axis=0)
    np.testing.assert_array_equal(got.get(), w[x].sum(axis=0))
    with pytest.raises(NotInStandInError, match="Illegal conditions"):
        table(cp.asarray(x), cp.asarray(w), axis=1)


PARTS = {
    "map_expr": ("x + lost", "a + b", "y = a"),
    "reduce_expr": ("x", "a + lost", "y = a"),
    "post_map_expr": ("x", "a + b", "y = a + lost"),
}


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("preamble", ["", "#define A 1\n__device__ int f() { return A; }"])
def test_the_compiler_speaks_of_the_learners_expression(compiler, name, preamble):
    with pytest.raises(CudaCError) as told:
        cp.ReductionKernel("T x", "T y", *PARTS[name], "0", preamble=preamble)(cp.zeros(4))
    at = list(PARTS).index(name)
    text = PARTS[name][at]
    first, shown, caret = str(told.value).splitlines()[:3]
    assert first == f'{name}, line 1: identifier "lost" is undefined'
    assert shown.strip() == text and shown.index("lost") == caret.index("^")
    assert len(told.value.errors) == 1


def test_the_identity_and_the_preamble_are_named_too(compiler):
    with pytest.raises(CudaCError, match="identity, line 1: identifier"):
        cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "lost")(cp.zeros(4))
    with pytest.raises(CudaCError, match="preamble, line 2: identifier"):
        cp.ReductionKernel(
            "T x", "T y", "x", "a + b", "y = a", "0", preamble="int a;\nint b = lost;"
        )(cp.zeros(4))


def test_a_map_may_have_lines_and_macros_may_not():
    mapped = cp.ReductionKernel("T x", "T y", "x >= 2\n? x\n: T(0)", "a + b", "y = a", "0")
    assert float(mapped(cp.arange(5, dtype=cp.float32))) == 9
    for at, name in ((1, "reduce_expr"), (2, "post_map_expr")):
        expressions = ["x", "a + b", "y = a"]
        expressions[at] = expressions[at].replace("a", "\na", 1)
        with pytest.raises(KernelSourceError, match="CuPy turns it into a macro") as told:
            cp.ReductionKernel("T x", "T y", *expressions, "0")(cp.zeros(4))
        assert told.value.function == name


def test_hazards_name_the_learners_expression_and_array():
    beyond = cp.ReductionKernel("int32 x, raw T w", "T y", "w[x + 1]", "a + b", "y = a", "0")
    with pytest.raises(KernelHazardError) as told:
        beyond(cp.arange(5, dtype=cp.int32), cp.zeros(5))
    assert "line 1 of `map_expr`: thread 4 of block 0 reads `w[5]`" in str(told.value)
    assert "\n    w[x + 1]\n" in str(told.value)


def test_the_trace_counts_each_input_once():
    x = cp.ones((8, 64), cp.float32)
    total(x, axis=1)
    (loads,) = [site for site in total.last_trace.sites if site.array == "x"]
    assert int(loads.lanes.sum()) == 512 and int(loads.sectors.sum()) == 64
    assert "_raw" not in loads.text
    assert not total.last_trace.hazards
    source = total.last_trace.launch.sources[0]
    assert (
        source.text.splitlines()[loads.place.line - source.first_line].strip().startswith("const")
    )


def test_a_kernel_can_be_kept():
    again = pickle.loads(pickle.dumps(total))
    assert (
        int(again(cp.arange(4, dtype=cp.int32))) == 6 and repr(again) == "<ReductionKernel total>"
    )
