"""Constants are folded by the same rules by which the machine computes."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.simt.cuda_c.folding import COMPARISONS, cast, divided, folded
from gpuedu.simt.program import BOOL, INT64, Binary, Call, Const, Slot, Unary

INT32 = np.dtype(np.int32)


def number(value: int) -> Const:
    return Const(np.int32(value))


@pytest.mark.parametrize("operator", sorted(COMPARISONS))
def test_comparisons_of_constants_are_constants(operator: str):
    for one, other in ((1, 2), (2, 2), (3, 2)):
        found = folded(Binary(operator, number(one), number(other), BOOL))
        assert isinstance(found, Const)
        assert bool(found.value) == eval(f"{one} {operator} {other}")


def test_integers_wrap_and_divide_towards_zero():
    most = number(2**31 - 1)
    assert folded(Binary("+", most, number(1), INT32)).value == -(2**31)
    assert folded(Call("c.divide", (number(-7), number(2)), INT32)).value == -3
    assert folded(Call("c.remainder", (number(-7), number(2)), INT32)).value == -1
    assert folded(Binary(">>", number(-8), number(1), INT32)).value == -4


def test_a_float_is_cut_off_and_held_in_the_range_of_the_integer():
    assert cast(Const(np.float32(-2.9)), INT32).value == -2
    assert cast(Const(np.float32(1e30)), INT32).value == 2**31 - 1
    assert cast(Const(np.float32(np.nan)), INT32).value == 0
    assert cast(Const(np.int32(300)), np.dtype(np.uint8)).value == 44
    assert cast(Const(np.float32(0.5)), BOOL).value


def test_what_is_not_constant_stays():
    slot = Slot("x", INT32)
    assert cast(slot, INT32) is slot
    assert isinstance(folded(Unary("-", slot, INT32)), Unary)
    assert divided(Const(np.int64(12)), 4).value == 3
    assert divided(Slot("p", INT64), 1).name == "p"
