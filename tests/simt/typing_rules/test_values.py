from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from gpuedu.simt import typing_rules as rules
from gpuedu.simt.typing_rules import SCALARS, TypingError

GIVEN = {
    "cuda.threadIdx.x": rules.THREAD_INDEX,
    "cuda.gridDim.z": rules.THREAD_INDEX,
    "cuda.laneid": rules.LANE_ID,
    "cuda.warpsize": rules.WARP_SIZE,
    "cuda.grid(1)": rules.GRID,
    "cuda.grid(2)[1]": rules.GRID,
    "cuda.gridsize(1)": rules.GRID_SIZE,
    "cuda.activemask()": rules.LANE_MASK,
    "cuda.lanemask_lt()": rules.LANE_MASK,
    "len(a)": rules.LENGTH,
    "a.shape[0]": rules.LENGTH,
    "a.strides[0]": rules.LENGTH,
    "a.size": rules.LENGTH,
    "a.ndim": rules.LENGTH,
    "a.itemsize": rules.LENGTH,
    "a.nbytes": rules.LENGTH,
}
NUMBERS = (0, -1, True, 0.5, 2j, 2**31, 2**63 - 1, 2**63, 2**64 - 1, -(2**63))
ATOMICS = "add sub max min nanmax nanmin and_ or_ xor exch inc dec cas".split()  # noqa: SIM905


def test_what_a_kernel_finds_given_has_numbas_types(inference):
    body = "".join(f"    v{n} = {text}\n" for n, text in enumerate(GIVEN))
    body += "    for i, x in enumerate(a):\n        pass\n"
    array = inference.numba(np.dtype("float32"))[:]
    types = inference.compiled(f"def k(a):\n{body}", (array,))
    for number, (text, dtype) in enumerate(GIVEN.items()):
        assert inference.dtype(types[f"v{number}"]) == dtype, text
    assert inference.dtype(types["i"]) == rules.LENGTH


def test_literals_and_constants_have_numbas_types(inference):
    constants = {f"c{n}": dtype.type(1) for n, dtype in enumerate(SCALARS)}
    constants |= {f"n{n}": number for n, number in enumerate(NUMBERS)}
    body = "".join(f"    v{name} = {name}\n" for name in constants)
    body += "".join(f"    w{n} = {number!r}\n" for n, number in enumerate(NUMBERS))
    types = inference.compiled(f"def k():\n{body}", (), **constants)
    for name, value in constants.items():
        assert inference.dtype(types[f"v{name}"]) == rules.literal(value), value
    for n, number in enumerate(NUMBERS):
        assert inference.dtype(types[f"w{n}"]) == rules.literal(number), number


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1])
def test_longer_integers_are_refused(inference, number):
    with pytest.raises(TypingError, match=str(number)):
        rules.literal(number)
    assert not inference.is_compiled(f"def k():\n    x = {number}\n", ())


@pytest.mark.parametrize("value", ["text", None, np.longdouble(1), np.zeros(3, "datetime64[s]")])
def test_what_is_no_number_is_refused(value):
    with pytest.raises(TypingError, match="number"):
        rules.literal(value)


def test_range_counts_in_numbas_type(inference):
    names = {"range_state_int32": "int32", "range_state_int64": "int64"}
    names["range_state_uint64"] = "uint64"
    infer = inference._context.resolve_function_type
    for count in (1, 2, 3):
        for dtypes in product([d for d in SCALARS if d.kind != "c"], repeat=count):
            found = infer(range, tuple(map(inference.numba, dtypes)), {})
            assert str(rules.range_item(dtypes)) == names[str(found.return_type)], dtypes


def test_range_of_a_literal_counts_in_int64(inference):
    source = "def k(n, a):\n    for i in range(9):\n        a[0] = i\n    for j in range(n):\n        a[0] = j\n"
    array = inference.numba(np.dtype("int64"))[::1]
    types = inference.compiled(source, (np.dtype("int32"), array))
    assert inference.dtype(types["i"]) == rules.range_item((rules.literal(9),))
    assert inference.dtype(types["j"]) == rules.range_item((np.dtype("int32"),))


@pytest.mark.parametrize("dtypes", [(), ("int32",) * 4, ("complex64",)])
def test_range_refuses_what_does_not_count(dtypes):
    with pytest.raises(TypingError, match="range"):
        rules.range_item(tuple(map(np.dtype, dtypes)))


def test_atomics_exist_for_the_arrays_that_numba_says(inference):
    int64 = inference.numba(np.dtype("int64"))
    for name, dtype in product(ATOMICS, SCALARS):
        value = inference.numba(dtype)
        arguments = (value[::1], int64, value) + ((value,) if name == "cas" else ())
        try:
            template = inference._typed(f"cuda.atomic.{name}")
            expected = template.get_call_type(inference._context, arguments, {}).return_type
        except inference.refusals:
            expected = None
        try:
            given = inference.numba(rules.atomic(name, dtype))
        except TypingError as refusal:
            assert refusal.remedy
            given = None
        assert given == expected, (name, dtype)


def test_an_unknown_atomic_names_the_known_ones():
    with pytest.raises(TypingError) as caught:
        rules.atomic("mul", np.dtype("float32"))
    assert "cuda.atomic.add" in caught.value.remedy


@pytest.mark.parametrize("dtype", SCALARS, ids=str)
def test_indices_and_conditions_are_what_numba_compiles(inference, dtype):
    array = inference.numba(np.dtype("int32"))[::1]
    sources = {
        rules.index: "def k(x, a):\n    a[0] = a[x]\n",
        rules.condition: "def k(x, a):\n    if x:\n        a[0] = 1\n",
    }
    for rule, source in sources.items():
        try:
            rule(dtype)
            accepted = True
        except TypingError:
            accepted = False
        assert inference.is_compiled(source, (dtype, array)) == accepted, rule


@pytest.mark.parametrize("dtype", SCALARS, ids=str)
def test_attributes_have_numbas_types(inference, dtype):
    for name in ("real", "imag", "conjugate", "item"):
        call = "()" if name in ("conjugate", "item") else ""
        source = f"def k(x):\n    r = x.{name}{call}\n"
        try:
            expected = rules.attribute(name, dtype)
        except TypingError:
            assert not inference.is_compiled(source, (dtype,))
            continue
        assert inference.dtype(inference.compiled(source, (dtype,))["r"]) == expected, name
