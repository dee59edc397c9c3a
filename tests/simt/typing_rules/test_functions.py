from __future__ import annotations

import cmath
import math
from itertools import product

import numpy as np
import pytest

from gpuedu.simt.typing_rules import SCALARS, Signature, TypingError, call, canonical, is_known
from gpuedu.simt.typing_rules.cuda_forms import CONVERTING, INTEGERS_ONLY
from gpuedu.simt.typing_rules.forms import cheapest
from gpuedu.simt.typing_rules.libdevice_forms import LIBDEVICE
from gpuedu.simt.typing_rules.math_forms import CMATH_EXACT, MATH

FUNCTIONS = [
    f"{module.__name__}.{name}"
    for module in (math, cmath)
    for name in dir(module)
    if callable(getattr(module, name)) and not name.startswith("_")
]
# Numba types these as a form of int8 or int16, which its compiler lacks.
NOT_COMPILED = {"cuda.ffs"}


def typed(name: str, dtypes: tuple[np.dtype, ...]) -> Signature | None:
    try:
        return call(name, dtypes)
    except TypingError:
        return None


def argument_lists(most: int):
    for count in range(1, most + 1):
        yield from product(SCALARS, repeat=count)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in CMATH_EXACT])
def test_math_types_as_in_numba(inference, name):
    for dtypes in argument_lists(2):
        form = cheapest(MATH.get(name, ()), dtypes)
        ours = None if form is None else Signature(form.operands, form.result)
        assert ours == inference.infer(name, dtypes), dtypes
        given = typed(name, dtypes)
        assert (given and given.result) == (ours and ours.result), dtypes


@pytest.mark.parametrize("name", sorted(CMATH_EXACT))
def test_complex_functions_written_in_python_type_as_in_numba(inference, name):
    letters = "xy"[: len(CMATH_EXACT[name][0].operands)]
    source = f"def k({', '.join(letters)}):\n    r = {name}({', '.join(letters)})\n"
    some = [np.dtype(code) for code in ("i8", "f4", "f8", "c8", "c16")]
    for dtypes in product(some, repeat=len(letters)):
        try:
            theirs = inference.dtype(inference.compiled(source, dtypes)["r"])
        except inference.refusals:
            theirs = None
        given = typed(name, dtypes)
        assert (given and given.result) == theirs, dtypes


def test_math_computes_integers_in_the_result_and_keeps_integer_exponents():
    int32, float32, float64 = (np.dtype(name) for name in ("int32", "float32", "float64"))
    assert call("math.sqrt", (int32,)) == Signature((float64,), float64)
    assert call("math.hypot", (int32, int32)) == Signature((float64, float64), float64)
    assert call("math.ldexp", (float32, int32)) == Signature((float32, int32), float32)
    assert call("math.frexp", (float32,)) == Signature((float32,), (float32, int32))


@pytest.mark.parametrize("name", sorted(set(CONVERTING) - NOT_COMPILED - set(INTEGERS_ONLY)))
def test_cuda_functions_type_as_in_numba(inference, name):
    for dtypes in ((), *argument_lists(2), *((dtype,) * 3 for dtype in SCALARS)):
        assert typed(name, dtypes) == inference.infer(name, dtypes), dtypes


def test_fused_multiply_adds_type_as_in_numba(inference):
    some = [
        dtype for dtype in SCALARS if str(dtype) in "int16 uint8 int64 float16 float32 complex64"
    ]
    for name, dtypes in product(("cuda.fma", "cuda.fp16.hfma"), product(some, repeat=3)):
        assert typed(name, dtypes) == inference.infer(name, dtypes), dtypes


@pytest.mark.parametrize("dtype", SCALARS, ids=str)
def test_ffs_is_what_numba_compiles(inference, dtype):
    given = typed("cuda.ffs", (dtype,))
    source = "def k(x, a):\n    a[0] = cuda.ffs(x)\n"
    array = inference.numba(np.dtype("uint32"))[::1]
    assert inference.is_compiled(source, (dtype, array)) == (given is not None)
    assert given in (None, inference.infer("cuda.ffs", (dtype,)))


def test_libdevice_is_complete_and_types_as_in_numba(inference):
    from numba.cuda.libdevicefuncs import functions

    assert {name.rpartition(".")[2] for name in LIBDEVICE} == {
        name.removeprefix("__nv_") for name in functions
    }
    for name, (form,) in LIBDEVICE.items():
        assert call(name, form.operands) == inference.infer(name, form.operands), name
        reals = (np.dtype("float16"),) * len(form.operands)
        assert call(name, reals) == inference.infer(name, reals), name
        assert typed(name, (*form.operands, np.dtype("int32"))) is None


@pytest.mark.parametrize("name", ["abs", "int", "float", "round", "divmod", "pow"])
def test_builtins_type_as_in_numba(inference, name):
    for dtypes in argument_lists(2):
        expected = inference.infer(name, dtypes)
        given = typed(name, dtypes)
        if name == "pow" and expected is not None and expected.result.kind in "iu":
            expected = Signature((expected.result, expected.operands[1]), expected.result)
        assert given == expected, dtypes


@pytest.mark.parametrize("name", ["min", "max"])
def test_extremes_type_as_in_numba(inference, name):
    real = [dtype for dtype in SCALARS if dtype.kind not in "bc"]
    for dtypes in (*product(real, repeat=2), *zip(real, real[3:], real[5:], strict=False)):
        given, expected = call(name, dtypes), inference.infer(name, dtypes)
        assert given.result == expected.result, dtypes
        assert given.operands == (given.result,) * len(dtypes)


@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize(
    "dtypes",
    [("bool", "int32"), ("complex64",) * 2, ("float32", "complex64"), ("int32",), ("bool",) * 3],
)
def test_extremes_that_numba_does_not_compile(inference, name, dtypes):
    types = tuple(map(np.dtype, dtypes))
    with pytest.raises(TypingError, match=name):
        call(name, types)
    letters = "abc"[: len(types)]
    source = f"def k({','.join(letters)}):\n    r = {name}({','.join(letters)})\n"
    assert not inference.is_compiled(source, types)


@pytest.mark.parametrize("count", [1, 2])
def test_complex_is_what_numba_compiles(inference, count):
    for dtypes in product(SCALARS, repeat=count):
        given, expected = typed("complex", dtypes), inference.infer("complex", dtypes)
        if given is not None:
            assert given.result == expected.result, dtypes
        elif expected is not None:  # typed, and then no cast from complex to a part
            assert count == 2 and any(dtype.kind == "c" for dtype in dtypes)


def test_a_complex_part_is_not_compiled(inference):
    types = (np.dtype("complex64"), np.dtype("float32"))
    assert typed("complex", types) is None
    assert not inference.is_compiled("def k(x, y):\n    z = complex(x, y)\n", types)


@pytest.mark.parametrize("target", SCALARS, ids=str)
def test_conversions_are_what_numba_compiles(inference, target):
    kind = inference.numba(target)
    given = {dtype: typed(str(target), (dtype,)) for dtype in SCALARS}
    accepted = [dtype for dtype in SCALARS if given[dtype] is not None]
    assert all(given[dtype] == Signature((dtype,), target) for dtype in accepted)
    parameters = ",".join(f"x{n}" for n in range(len(accepted)))
    body = "".join(f"    a[{n}] = kind(x{n})\n" for n in range(len(accepted)))
    source = f"def k({parameters},a):\n{body}"
    assert inference.is_compiled(source, (*accepted, kind[::1]), kind=kind)
    for dtype in set(SCALARS) - set(accepted):
        source = "def k(x, a):\n    a[0] = kind(x)\n"
        assert not inference.is_compiled(source, (dtype, kind[::1]), kind=kind), dtype


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("a[0] = cuda.shfl_sync(-1, x, 0)", "cuda.shfl_sync int64 {} int64"),
        ("a[0] = cuda.shfl_xor_sync(x, a[0], 1)", "cuda.shfl_xor_sync {} int32 int64"),
        ("a[0] = cuda.ballot_sync(-1, x)", "cuda.ballot_sync int64 {}"),
        ("a[0] = cuda.all_sync(x, True)", "cuda.all_sync {} bool"),
        ("a[0] = cuda.syncthreads_count(x)", "cuda.syncthreads_count {}"),
        ("a[0] = cuda.selp(x, 1, 2)", "cuda.selp {} int64 int64"),
    ],
)
def test_warp_and_block_functions_are_what_numba_compiles(inference, source, words):
    name, *types = words.split()
    for dtype in SCALARS:
        if dtype.kind == "c":
            continue
        given = typed(name, tuple(np.dtype(word.format(dtype)) for word in types))
        array = inference.numba(np.dtype("int32"))[::1]
        compiled = inference.is_compiled(f"def k(x, a):\n    {source}\n", (dtype, array))
        assert compiled == (given is not None), dtype


def test_selp_takes_two_values_of_one_type(inference):
    bool_ = np.dtype("bool")
    for left, right in product(SCALARS, repeat=2):
        given = typed("cuda.selp", (bool_, left, right))
        assert given == inference.infer("cuda.selp", (bool_, left, right)), (left, right)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("np.int32", "int32"),
        ("numpy.byte", "int8"),
        ("numba.byte", "uint8"),
        ("cuda.f4", "float32"),
        ("numba.types.intp", "int64"),
        ("np.true_divide", "numpy.divide"),
        ("numba.cuda.fp16.hadd", "cuda.fp16.hadd"),
        ("math.sqrt", "math.sqrt"),
        ("float", "float"),
    ],
)
def test_names_of_one_thing_are_one_name(written, name):
    assert canonical(written) == name
    assert is_known(written)


def test_numbas_names_of_types_mean_what_they_mean_in_numba(inference):
    from numba.cuda import types

    from gpuedu.simt.typing_rules.builtin_rules import _BY_NUMBA_NAME

    for name, dtype in _BY_NUMBA_NAME.items():
        assert inference.numba(dtype) == getattr(types, name), name


@pytest.mark.parametrize(
    "name", ["np.str", "np.floating", "np.longdouble", "numpy.nothing", "os.nice"]
)
def test_what_is_no_type_or_function_of_a_kernel_is_unknown(name):
    assert not is_known(name)
    with pytest.raises(TypingError):
        call(name, (np.dtype("float32"),))


@pytest.mark.parametrize("code", np.typecodes["AllInteger"] + "efdFD?")
def test_numpys_names_of_types_mean_what_they_mean_in_numpy(code):
    dtype = np.dtype(code)
    assert np.dtype(canonical(f"np.{dtype.type.__name__}")) == dtype


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("np.sqrt", "math.sqrt"),
        ("np.exp", "math.exp"),
        ("np.abs", "abs"),
        ("math.cbrt", "cuda.cbrt"),
        ("math.gcd", "while"),
        ("cuda.shfl_sync", "int32"),
        ("math.sin", "real"),
    ],
)
def test_a_refusal_says_what_to_use_instead(name, remedy):
    with pytest.raises(TypingError, match="complex64") as caught:
        call(name, (np.dtype("complex64"),))
    assert remedy in caught.value.remedy
