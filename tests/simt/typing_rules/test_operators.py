from __future__ import annotations

import operator
from itertools import product

import numpy as np
import pytest

from gpuedu.simt.typing_rules import SCALARS, Signature, TypingError, binary, literal, unary

PLAIN = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
IN_PLACE = {
    "+": operator.iadd,
    "-": operator.isub,
    "*": operator.imul,
    "//": operator.ifloordiv,
    "%": operator.imod,
    "**": operator.ipow,
    "<<": operator.ilshift,
    ">>": operator.irshift,
    "&": operator.iand,
    "|": operator.ior,
    "^": operator.ixor,
}
UNARY = {"-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_}
LITERALS = ("2", "-1", "3000000000", "0xFFFFFFFFFFFFFFFF", "0.5", "2j", "True")
NUMBERED = {dtype: f"p{number}" for number, dtype in enumerate(SCALARS)}


def typed(function, *arguments, **options) -> Signature | None:
    try:
        return function(*arguments, **options)
    except TypingError:
        return None


def carried_out(op: str, numba: Signature | None) -> Signature | None:
    """Numba's form as its code computes it: both integers are first cast on to the result."""
    if numba is None or numba.operands[0].kind not in "iu" or numba.result == np.bool_:
        return numba
    right = numba.operands[1] if op == "**" else numba.result
    return Signature((numba.result, right), numba.result)


@pytest.mark.parametrize("op", PLAIN)
def test_binary_operators_type_as_in_numba(inference, op):
    for left, right in product(SCALARS, repeat=2):
        expected = carried_out(op, inference.infer(PLAIN[op], (left, right)))
        assert typed(binary, op, left, right) == expected, (left, op, right)


@pytest.mark.parametrize("op", IN_PLACE)
def test_in_place_operators_type_like_the_plain_ones(inference, op):
    for left, right in product(SCALARS, repeat=2):
        expected = carried_out(op, inference.infer(IN_PLACE[op], (left, right)))
        assert typed(binary, op, left, right, in_place=True) == expected, (left, op, right)


def test_unary_operators_type_as_in_numba(inference):
    for (op, function), operand in product(UNARY.items(), SCALARS):
        assert typed(unary, op, operand) == inference.infer(function, (operand,)), (op, operand)


@pytest.mark.parametrize("op", PLAIN)
def test_a_compiled_kernel_has_the_types_also_of_literals(inference, op):
    expressions = {}
    for dtype, text in product(SCALARS, LITERALS):
        value = literal(eval(text))
        expressions[f"{NUMBERED[dtype]} {op} {text}"] = typed(binary, op, dtype, value)
        expressions[f"{text} {op} {NUMBERED[dtype]}"] = typed(binary, op, value, dtype)
    for left, right in zip(SCALARS, reversed(SCALARS), strict=True):
        given = typed(binary, op, left, right)
        expressions[f"{NUMBERED[left]} {op} {NUMBERED[right]}"] = given
    accepted = {text: given for text, given in expressions.items() if given is not None}
    body = "".join(f"    r{n} = {text}\n" for n, text in enumerate(accepted))
    types = inference.compiled(f"def k({','.join(NUMBERED.values())}):\n{body}", SCALARS)
    for number, (text, given) in enumerate(accepted.items()):
        assert inference.dtype(types[f"r{number}"]) == given.result, text


@pytest.mark.parametrize("op", ["+", "/", "**", "<<"])
def test_one_of_each_way_of_computing_comes_through_the_whole_compiler(inference, op):
    given = {
        (left, right): signature
        for left, right in product(SCALARS, repeat=2)
        if (signature := typed(binary, op, left, right)) is not None
    }
    once = {signature: pair for pair, signature in given.items()}
    arrays = ",".join(f"a{n}" for n in range(len(once)))
    body = "".join(
        f"    a{n}[0] = {NUMBERED[left]} {op} {NUMBERED[right]}\n"
        for n, (left, right) in enumerate(once.values())
    )
    outputs = tuple(inference.numba(signature.result)[::1] for signature in once)
    source = f"def k({','.join(NUMBERED.values())},{arrays}):\n{body}"
    assert inference.is_compiled(source, SCALARS + outputs)


@pytest.mark.parametrize(
    ("left", "op", "right"),
    [
        ("float32", "//", "complex64"),
        ("complex64", "<", "int32"),
        ("float32", "<<", "int32"),
        ("int32", "&", "float64"),
    ],
)
def test_a_refusal_names_the_types_and_is_numbas_too(inference, left, op, right):
    types = (np.dtype(left), np.dtype(right))
    with pytest.raises(TypingError, match=left) as caught:
        binary(op, *types)
    assert right in caught.value.message
    assert caught.value.remedy
    assert not inference.is_compiled(f"def k(x, y):\n    z = x {op} y\n", types)


def test_integers_cannot_be_divided_in_place(inference):
    int64, float32 = np.dtype("int64"), np.dtype("float32")
    with pytest.raises(TypingError, match="/="):
        binary("/", int64, literal(2), in_place=True)
    source = "def k(n, a):\n    n /= 2\n    a[0] = n\n"
    assert not inference.is_compiled(source, (int64, inference.numba(int64)[::1]))
    assert binary("/", float32, int64, in_place=True) == binary("/", float32, int64)


@pytest.mark.parametrize("op", ["@", "and", "<>"])
def test_operators_that_do_not_exist_are_refused(op):
    with pytest.raises(TypingError, match="operator"):
        binary(op, np.dtype("int32"), np.dtype("int32"))
    with pytest.raises(TypingError, match="operator"):
        unary(op, np.dtype("int32"))
