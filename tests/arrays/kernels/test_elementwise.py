from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gpuedu.arrays import cupy as cp
from gpuedu.arrays.account import operations
from gpuedu.arrays.errors import DeviceArrayTypeError, DeviceArrayValueError
from gpuedu.compilers import CompilerMissingError, check_cuda_c
from gpuedu.compilers.nvrtc_errors import CudaCError
from gpuedu.errors import KernelSourceError
from gpuedu.simt.host.errors import KernelHazardError, KernelHazardWarning

DTYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
          "float16", "float32", "float64")  # fmt: skip
muladd = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y + x", "muladd")
RNG = np.random.default_rng(11)


@pytest.fixture(scope="session")
def compiler():
    try:
        check_cuda_c('extern "C" __global__ void k() {}')
    except CompilerMissingError as missing:
        pytest.skip(str(missing))


def in_c(x, y):
    """``x * y + x`` as C computes it: in int for what is smaller, in float for float16."""
    wide = {"bool": np.int32, "int8": np.int32, "uint8": np.int32, "int16": np.int32,
            "uint16": np.int32, "float16": np.float32}.get(x.dtype.name, x.dtype)  # fmt: skip
    with np.errstate(all="ignore"):
        return (x.astype(wide) * y.astype(wide) + x.astype(wide)).astype(x.dtype)


def values(dtype, *shape):
    return (RNG.random(shape) * 7).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(dtype):
    x, y = values(dtype, 40), values(dtype, 40)
    got = muladd(cp.asarray(x), cp.asarray(y))
    assert got.dtype == dtype
    np.testing.assert_array_equal(got.get(), in_c(x, y))


@st.composite
def operands(draw):
    """Two host arrays that broadcast, each perhaps cut, turned round or transposed."""
    dtype = draw(st.sampled_from(("int32", "uint8", "float32", "float64", "int64")))
    shapes = draw(
        hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4)
    ).input_shapes
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    return [draw(_views(rng, shape, dtype)) for shape in shapes]


@st.composite
def _views(draw, rng, shape, dtype):
    """The array of which a part is used, and the part."""
    steps = [draw(st.sampled_from((1, 2, -1, -2))) for _ in shape]
    whole = tuple(n * abs(step) for n, step in zip(shape, steps, strict=True))
    base = rng.integers(0, 100, whole).astype(dtype)
    return base, tuple(slice(None, None, step) for step in steps)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(operands())
def test_it_is_numpys_expression_for_any_shapes_and_strides(pairs):
    device = [cp.asarray(base)[part] for base, part in pairs]
    x, y = (base[part] for base, part in pairs)
    got = muladd(*device)
    expected = in_c(*np.broadcast_arrays(x, y))
    assert got.shape == expected.shape
    np.testing.assert_array_equal(got.get(), expected)


def test_outputs_may_lie_anyhow():
    x = values("float32", 4, 6)
    out = cp.zeros((6, 8), cp.float32)
    part = out[::-1, ::2].T
    assert muladd(cp.asarray(x), np.float32(2), part) is part
    expected = np.zeros((6, 8), np.float32)
    expected[::-1, ::2] = (x * 3).T
    np.testing.assert_array_equal(out.get(), expected)


def test_parts_of_records_are_reached_by_a_copy():
    pairs = cp.asarray(values("float32", 10, 2))
    out = cp.zeros(9, cp.uint8)
    odd = cp.ndarray((2,), cp.float32, out.data + 0, strides=(5,))
    cp.ElementwiseKernel("float32 x", "float32 y", "y = x")(pairs[0], odd)
    np.testing.assert_array_equal(odd.get(), pairs[0].get())


@pytest.mark.parametrize("number", [3, 3.0, True, np.int64(3), np.float64(3), np.bool_(True)])
def test_numbers_take_the_arrays_type(number):
    x = values("float32", 5)
    got = muladd(cp.asarray(x), number)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got.get(), x * np.float32(number) + x)


def test_numbers_are_cut_to_named_types():
    scaled = cp.ElementwiseKernel("float32 x, int32 k", "float32 y", "y = x * k")
    np.testing.assert_array_equal(scaled(cp.ones(2, cp.float32), 2.9).get(), [2, 2])
    with pytest.raises(OverflowError):
        scaled(cp.ones(2, cp.float32), 2**40)


def test_no_dimensions_and_no_elements():
    got = muladd(cp.asarray(np.float32(3)), 2)
    assert got.shape == () and float(got) == 9
    none = cp.zeros((3, 0), cp.float32), cp.ones((1, 0), cp.float32)
    before = len(operations())
    assert muladd(*none).shape == (3, 0) and len(operations()) == before


def test_only_numbers_are_no_loop():
    with pytest.raises(ValueError, match=re.escape("Loop size is undecided.")):
        muladd(np.float32(1), 2)


def test_several_outputs_are_a_tuple_in_their_order():
    divide = cp.ElementwiseKernel("T x, T y", "T q, T r", "q = x / y; r = x % y")
    x, y = values("int32", 30) + 20, values("int32", 30) + 1
    quotient, rest = divide(cp.asarray(x), cp.asarray(y))
    np.testing.assert_array_equal(quotient.get(), x // y)
    np.testing.assert_array_equal(rest.get(), x % y)


def test_what_is_returned_can_be_chosen():
    x = cp.arange(3, dtype=cp.float32)
    made = cp.ElementwiseKernel("T x", "T y", "y = x", return_tuple=True)(x)
    assert isinstance(made, tuple) and len(made) == 1
    into = cp.zeros_like(x)
    assert cp.ElementwiseKernel("T x", "T y", "y = x", no_return=True)(x, into) is None
    np.testing.assert_array_equal(into.get(), x.get())


def test_raw_arrays_are_indexed_by_the_operation():
    reverse = cp.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]")
    x, y = values("float64", 20), values("float64", 20)
    np.testing.assert_array_equal(reverse(cp.asarray(x), cp.asarray(y)).get(), x + y[::-1])
    got = reverse(cp.asarray(x), cp.asarray(y)[::-1])
    np.testing.assert_array_equal(got.get(), x + y)


def test_size_says_how_many_where_all_are_raw():
    fill = cp.ElementwiseKernel(
        "raw int64 x", "raw int64 y", "y[i] = x.size() * 100 + x.shape()[1] * 10 + x.ndim"
    )
    x = cp.zeros((2, 3), cp.int64)
    np.testing.assert_array_equal(fill(x, size=4).get(), [632] * 4)
    into = cp.zeros(6, cp.int64)
    fill(x, into, size=2)
    np.testing.assert_array_equal(into.get(), [632, 632, 0, 0, 0, 0])
    every_second = cp.zeros(8, cp.int64)
    fill(x, every_second[::2], size=4)
    np.testing.assert_array_equal(every_second.get(), [632, 0] * 4)


def test_sizes_that_contradict_are_refused():
    raw = cp.ElementwiseKernel("raw T x", "raw T y", "y[i] = x[i]")
    x = cp.zeros(3)
    with pytest.raises(ValueError, match="Loop size is undecided"):
        raw(x)
    with pytest.raises(ValueError, match="Specified 'size' can be used only if all"):
        muladd(x, x, size=3)
    half_raw = cp.ElementwiseKernel("T x", "raw T y", "y[i] = x")
    with pytest.raises(ValueError, match="Output array size is Undecided"):
        half_raw(x)
    with pytest.raises(ValueError, match="Out shape is mismatched: `z` is"):
        muladd(x, x, cp.zeros((1,)))
    with pytest.raises(ValueError, match=re.escape("broadcast together with shapes (3,) (2,)")):
        muladd(x, cp.zeros(2))
    assert muladd(cp.ones(1), 1, x) is x and x.get().tolist() == [2, 2, 2]


def test_wrong_arguments_are_refused():
    x = cp.zeros(3)
    message = "Wrong number of arguments for 'muladd'. It must be either 2 or 3 (with outputs)"
    for args in ((x,), (x, x, x, x)):
        with pytest.raises(TypeError, match=re.escape(message)):
            muladd(*args)
    with pytest.raises(DeviceArrayTypeError, match=r"Unsupported type <class 'numpy\.ndarray'>"):
        muladd(x, np.zeros(3))
    for value in ([1, 2, 3], "text", None):
        with pytest.raises(TypeError, match="Unsupported type"):
            muladd(x, value)
    with pytest.raises(TypeError, match=r"Output arguments type must be cupy\.ndarray"):
        muladd(x, x, 3.0)
    with pytest.raises(TypeError, match=r"Type is mismatched\. y float32 float64 T"):
        muladd(x, x.astype(np.float32))
    with pytest.raises(DeviceArrayTypeError, match="complex64"):
        muladd(cp.zeros(2, cp.complex64), 2)
    with pytest.raises(TypeError, match="unexpected keyword"):
        muladd(x, x, sise=3)
    with pytest.raises(ValueError, match="block_size must be greater than zero"):
        muladd(x, x, block_size=0)
    with pytest.raises(TypeError, match="takes an array"):
        cp.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[i]")(x, 2)


def test_preamble_loop_prep_and_after_loop():
    made = cp.ElementwiseKernel(
        "T x, T low, T high", "T y", "y = clipped(x, low, high) + extra",
        preamble="""
            #define WIDTH 2
            __device__ T clipped(T x, T low, T high) {
                return x < low ? low : x > high ? high : x;
            }""",
        loop_prep="T extra = WIDTH * SCALE; // the same for all",
        after_loop="extra = 0;",
        options=("-DSCALE=3",),
    )  # fmt: skip
    x = values("float32", 300)
    got = made(cp.asarray(x), 2, 5)
    np.testing.assert_array_equal(got.get(), np.clip(x, 2, 5) + np.float32(6))


def test_the_operation_may_end_in_a_comment_or_leave_early():
    made = cp.ElementwiseKernel("T x", "T y", "y = 0; if (x < 3) continue;\n y = x // kept")
    assert made(cp.arange(5)).get().tolist() == [0, 0, 0, 3, 4]


def test_a_wrapped_block_size_changes_the_launch_only():
    x = cp.arange(100, dtype=cp.float32)
    wide = muladd(x, 2)
    assert muladd.last_trace.launch.block == (100, 1, 1)
    narrow = muladd(x, 2, block_size=32)
    assert muladd.last_trace.launch.block == (32, 1, 1) and muladd.last_trace.launch.grid[0] == 4
    np.testing.assert_array_equal(wide.get(), narrow.get())


def test_halves_are_computed_with_as_floats():
    h = cp.asarray(values("float16", 20))
    made = cp.ElementwiseKernel("T x", "T y", "T t = x * 0.5; y = t > T(1) ? exp(t) : max(t, x)")
    x = h.get().astype(np.float32)
    t = x * np.float32(0.5)
    expected = np.where(t > 1, np.exp(t), x).astype(np.float16)
    np.testing.assert_allclose(made(h).get(), expected, rtol=1e-3)


@pytest.mark.parametrize("preamble", ["", "#include <math_constants.h>", "#define CUDART_INF 7.0"])
def test_cupys_constants_are_there(preamble):
    made = cp.ElementwiseKernel("T x", "T y", "y = x < 1 ? CUDART_INF : x", preamble=preamble)
    ended = 7 if "7" in preamble else np.inf
    assert made(cp.arange(3.0)).get().tolist() == [ended, 1, 2]


def test_each_input_is_loaded_once_and_each_byte_counted_once():
    x = cp.arange(256, dtype=cp.float32)
    square = cp.ElementwiseKernel("T x", "T y", "y = x * x + x")
    square(x)
    trace = square.last_trace
    loads, stores = trace.sites
    assert (loads.array, loads.text, loads.place.line) == ("x", "x[i]", 1)
    assert (stores.array, stores.place.line) == ("y", 1)
    assert int(loads.requests.sum()) == int(stores.requests.sum()) == 8
    assert operations()[-1].name == "kernel"
    assert (operations()[-1].read_bytes, operations()[-1].written_bytes) == (1024, 1024)
    assert trace.launch.sources[0].text.splitlines()[0] == "y = x * x + x"


WRONG = [
    ("y = x +", 1, "expected an expression"),
    ("T t = x;\n  y = foo(t)", 2, 'identifier "foo" is undefined'),
    ("T t = x;\n\n  y = t t;", 3, 'expected a ";"'),
]


@pytest.mark.parametrize(("operation", "line", "said"), WRONG)
@pytest.mark.parametrize("preamble", ["", "#define A 1\n#define B 2", "__device__ int f();"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_the_compiler_speaks_of_the_learners_line(compiler, operation, line, said, preamble, dtype):
    made = cp.ElementwiseKernel("T x", "T y", operation, preamble=preamble, loop_prep="int a;\n")
    with pytest.raises(CudaCError) as told:
        made(cp.zeros(2, dtype))
    shown = operation.split("\n")[line - 1].strip()
    lines = str(told.value).splitlines()
    assert lines[0] == f"operation, line {line}: {said}"
    assert lines[1].strip() == shown
    assert told.value.line == line and "blockIdx" not in str(told.value)


def test_the_caret_is_at_the_learners_column(compiler):
    with pytest.raises(CudaCError) as told:
        cp.ElementwiseKernel("T x", "T y", "y = x + lost * x")(cp.zeros(2))
    _, text, caret = str(told.value).splitlines()[:3]
    assert text.index("lost") == caret.index("^")


def test_made_names_are_never_advised(compiler):
    for name in ("n", "_raw_xx", "raw_x"):
        with pytest.raises(CudaCError, match=f'identifier "{name}" is undefined') as told:
            cp.ElementwiseKernel("T x", "T y", f"y = {name}")(cp.zeros(2))
        assert told.value.remedy == ""
    with pytest.raises(CudaCError, match="modifiable lvalue") as told:
        cp.ElementwiseKernel("raw T x", "", "x[i] = 3")(cp.zeros(2), size=2)
    assert "no const" in told.value.remedy


def test_other_parts_are_named_too(compiler):
    x = cp.zeros(2)
    for name in ("preamble", "loop_prep", "after_loop"):
        parts = {name: "int ok;\nint broken = nothing;"}
        with pytest.raises(CudaCError) as told:
            cp.ElementwiseKernel("T x", "T y", "y = x", **parts)(x)
        assert str(told.value).startswith(f"{name}, line 2: ")


def test_what_is_not_covered_is_told_by_the_learners_line():
    made = cp.ElementwiseKernel("T x", "T y", 'y = x;\nasm("exit;");')
    with pytest.raises(KernelSourceError) as told:
        made(cp.zeros(2))
    assert (told.value.function, told.value.line) == ("operation", 2)
    assert told.value.text.startswith("asm")
    assert str(told.value).startswith("line 2 of `operation`: ")


def test_hazards_name_the_learners_array_and_line():
    shift = cp.ElementwiseKernel("raw T x", "T y", "T t = 1;\ny = t * x[i + 1];", "shift")
    with pytest.raises(KernelHazardError) as told:
        shift(cp.zeros(6), cp.zeros(6))
    assert "line 2 of `operation`: thread 5 of block 0 reads `x[6]`" in str(told.value)
    assert "y = t * x[i + 1];" in str(told.value) and "_raw" not in str(told.value)
    assert shift.last_trace is not None and shift.last_trace.hazards[0].array == "x"


def test_races_name_the_output():
    add = cp.ElementwiseKernel("T x", "raw T total", "total[0] += x;")
    with pytest.warns(KernelHazardWarning, match="`total") as told:
        add(cp.ones(64), cp.zeros(1))
    assert "total[0] += x;" in str(told[0].message) and told[0].filename == __file__


def test_a_kernel_can_be_kept():
    again = pickle.loads(pickle.dumps(muladd))
    assert again(cp.ones(2), 2).get().tolist() == [3, 3]
    assert repr(again) == "<ElementwiseKernel muladd>"
    with pytest.raises(DeviceArrayValueError):
        cp.ElementwiseKernel("T x", "T y", "y = x", "no name")
