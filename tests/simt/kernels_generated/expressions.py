"""Expressions of the kernel dialect: whole numbers, floats and conditions over what is in scope.

Nothing here is undefined in C: divisors are not zero, shifts stay inside the type, floats that
become integers are small, and every index is reduced modulo the array's extent.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.simt.kernels_generated.choices import Choices, chance, pick

EXTENT = 16
LOCAL = 4


@dataclass
class Scope:
    """Names that an expression may use, by kind; ``varying`` ones are never constants."""

    varying: list[str]

    ints: list[str] = field(default_factory=list)
    floats: list[str] = field(default_factory=list)
    bools: list[str] = field(default_factory=list)
    int_arrays: list[str] = field(default_factory=list)
    float_arrays: list[str] = field(default_factory=list)
    local_floats: list[str] = field(default_factory=list)
    local_ints: list[str] = field(default_factory=list)
    int_functions: list[str] = field(default_factory=list)
    float_functions: list[str] = field(default_factory=list)
    pair_functions: list[str] = field(default_factory=list)


def index(c: Choices, scope: Scope, depth: int, extent: int = EXTENT) -> str:
    """An index from 0 up to ``extent``."""
    return f"({signed(c, scope, depth)}) % {extent}"


def signed(c: Choices, scope: Scope, depth: int) -> str:
    """A whole number that is converted to a signed type, so that % is not negative."""
    return f"int64({whole(c, scope, depth)})"


def whole(c: Choices, scope: Scope, depth: int) -> str:
    """A whole number of any integer dtype."""
    if depth <= 0 or chance(c, 4):
        return _whole_leaf(c, scope)
    make = pick(c, _WHOLE)
    return make(c, scope, depth - 1)


def real(c: Choices, scope: Scope, depth: int) -> str:
    """A floating-point number of any dtype (or a whole number where one stands for it)."""
    if depth <= 0 or chance(c, 4):
        return _real_leaf(c, scope)
    return pick(c, _REAL)(c, scope, depth - 1)


def condition(c: Choices, scope: Scope, depth: int) -> str:
    """A truth value, or a number that is taken as one."""
    if depth <= 0 or chance(c, 3):
        return _condition_leaf(c, scope)
    return pick(c, _CONDITION)(c, scope, depth - 1)


def _whole_leaf(c: Choices, scope: Scope) -> str:
    names = scope.ints + [f"{a}[{c.number(0, EXTENT - 1)}]" for a in scope.int_arrays]
    if not names or chance(c, 3):
        return str(c.number(-9, 9) if not chance(c, 12) else pick(c, (1 << 20, -(1 << 33), 255)))
    return pick(c, names)


def _real_leaf(c: Choices, scope: Scope) -> str:
    names = scope.floats + [f"{a}[{c.number(0, EXTENT - 1)}]" for a in scope.float_arrays]
    if not names or chance(c, 4):
        return pick(c, ("0.5", "-1.25", "3.0", "float32(0.1)", "float32(-7.5)", "1e-3"))
    return pick(c, names)


def _condition_leaf(c: Choices, scope: Scope) -> str:
    if scope.bools and chance(c, 3):
        return pick(c, scope.bools)
    leaf = _real_leaf if chance(c, 2) else _whole_leaf
    return _compared(c, scope, leaf(c, scope))


def _compared(c: Choices, scope: Scope, side: str) -> str:
    """A comparison with something that is known only when the kernel runs.

    Numba drops a branch whose condition compares constants, and with it the types in that branch.
    """
    compare = pick(c, ("<", "<=", ">", ">=", "==", "!="))
    varying = scope.varying + [f"{a}[{c.number(0, EXTENT - 1)}]" for a in scope.float_arrays]
    other = pick(c, varying)
    return f"{side} {compare} {other}" if chance(c, 2) else f"{other} {compare} {side}"


def _arithmetic(c: Choices, s: Scope, d: int) -> str:
    return f"({whole(c, s, d)} {pick(c, ('+', '-', '*'))} {whole(c, s, d)})"


def _bitwise(c: Choices, s: Scope, d: int) -> str:
    return f"({whole(c, s, d)} {pick(c, ('&', '|', '^'))} {whole(c, s, d)})"


def _division(c: Choices, s: Scope, d: int) -> str:
    divisor = pick(c, ("3", "7", "-4", "2", "-1"))
    return f"({whole(c, s, d)} {pick(c, ('//', '%'))} {divisor})"


def _division_by_computed(c: Choices, s: Scope, d: int) -> str:
    return f"({signed(c, s, d)} {pick(c, ('//', '%'))} ({signed(c, s, d)} % 5 + 1))"


def _shift(c: Choices, s: Scope, d: int) -> str:
    return f"({whole(c, s, d)} {pick(c, ('<<', '>>'))} {c.number(0, 5)})"


def _whole_sign(c: Choices, s: Scope, d: int) -> str:
    return f"({pick(c, ('-', '~', '+'))}{whole(c, s, d)})"


def _whole_call(c: Choices, s: Scope, d: int) -> str:
    if chance(c, 2):
        return f"{pick(c, ('min', 'max'))}({whole(c, s, d)}, {whole(c, s, d)})"
    return f"abs({signed(c, s, d)})"


def _whole_conversion(c: Choices, s: Scope, d: int) -> str:
    kind = pick(c, ("int32", "int64", "int16", "uint8", "uint32", "int8", "int"))
    return f"{kind}({whole(c, s, d)})"


def _whole_choice(c: Choices, s: Scope, d: int) -> str:
    return f"({whole(c, s, d)} if {condition(c, s, d)} else {whole(c, s, d)})"


def _whole_from_condition(c: Choices, s: Scope, d: int) -> str:
    return f"int32({_condition_leaf(c, s)})"


def _whole_from_array(c: Choices, s: Scope, d: int) -> str:
    arrays = [(a, EXTENT) for a in s.int_arrays] + [(a, LOCAL) for a in s.local_ints]
    if not arrays:
        return _whole_leaf(c, s)
    array, extent = pick(c, arrays)
    return f"{array}[{index(c, s, d, extent)}]"


def _whole_from_float(c: Choices, s: Scope, d: int) -> str:
    if not s.float_arrays:
        return _whole_leaf(c, s)
    array = pick(c, s.float_arrays)
    return f"{pick(c, ('int32', 'int64', 'int'))}({array}[{index(c, s, d)}] * 10)"


def _whole_from_function(c: Choices, s: Scope, d: int) -> str:
    if not s.int_functions:
        return _whole_leaf(c, s)
    return f"{pick(c, s.int_functions)}({whole(c, s, d)}, {whole(c, s, d)})"


_WHOLE = (
    _arithmetic,
    _arithmetic,
    _bitwise,
    _division,
    _division_by_computed,
    _shift,
    _whole_sign,
    _whole_call,
    _whole_conversion,
    _whole_choice,
    _whole_from_condition,
    _whole_from_array,
    _whole_from_float,
    _whole_from_function,
)


def _float_arithmetic(c: Choices, s: Scope, d: int) -> str:
    return f"({real(c, s, d)} {pick(c, ('+', '-', '*'))} {real(c, s, d)})"


def _mixed_arithmetic(c: Choices, s: Scope, d: int) -> str:
    return f"({whole(c, s, d)} {pick(c, ('+', '-', '*'))} {real(c, s, d)})"


def _quotient(c: Choices, s: Scope, d: int) -> str:
    if chance(c, 2):
        return f"({whole(c, s, d)} / {pick(c, ('3', '-7', '2'))})"
    return f"({real(c, s, d)} / (abs({real(c, s, d)}) + 1))"


def _float_call(c: Choices, s: Scope, d: int) -> str:
    if chance(c, 2):
        return f"{pick(c, ('min', 'max'))}({real(c, s, d)}, {real(c, s, d)})"
    return f"{pick(c, ('abs', 'math.floor', 'math.ceil', 'math.fabs'))}({real(c, s, d)})"


def _root(c: Choices, s: Scope, d: int) -> str:
    return f"math.sqrt(abs({real(c, s, d)}))"


def _float_conversion(c: Choices, s: Scope, d: int) -> str:
    inner = real(c, s, d) if chance(c, 2) else whole(c, s, d)
    return f"{pick(c, ('float32', 'float64', 'float'))}({inner})"


def _float_sign(c: Choices, s: Scope, d: int) -> str:
    return f"(-{real(c, s, d)})"


def _float_choice(c: Choices, s: Scope, d: int) -> str:
    return f"({real(c, s, d)} if {condition(c, s, d)} else {real(c, s, d)})"


def _float_from_array(c: Choices, s: Scope, d: int) -> str:
    arrays = [(a, EXTENT) for a in s.float_arrays] + [(a, LOCAL) for a in s.local_floats]
    if not arrays:
        return _real_leaf(c, s)
    array, extent = pick(c, arrays)
    return f"{array}[{index(c, s, d, extent)}]"


def _float_from_function(c: Choices, s: Scope, d: int) -> str:
    if not s.float_functions:
        return _real_leaf(c, s)
    return f"{pick(c, s.float_functions)}({real(c, s, d)}, {whole(c, s, d)})"


_REAL = (
    _float_arithmetic,
    _float_arithmetic,
    _mixed_arithmetic,
    _quotient,
    _float_call,
    _root,
    _float_conversion,
    _float_sign,
    _float_choice,
    _float_from_array,
    _float_from_function,
)


def _comparison(c: Choices, s: Scope, d: int) -> str:
    side = real if chance(c, 2) else whole
    return _compared(c, s, side(c, s, d))


def _chain(c: Choices, s: Scope, d: int) -> str:
    return f"{whole(c, s, d)} < {pick(c, s.varying)} <= {whole(c, s, d)}"


def _conjunction(c: Choices, s: Scope, d: int) -> str:
    return f"({condition(c, s, d)} {pick(c, ('and', 'or'))} {condition(c, s, d)})"


def _negation(c: Choices, s: Scope, d: int) -> str:
    return f"(not {condition(c, s, d)})"


_CONDITION = (_comparison, _comparison, _chain, _conjunction, _conjunction, _negation)
