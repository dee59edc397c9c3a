"""Python's built-in functions, and conversions such as ``float32(x)``, on scalars in a kernel."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpuedu.simt.typing_rules.forms import Form, Signature, cheapest, forms
from gpuedu.simt.typing_rules.operators import POWER, power_operands
from gpuedu.simt.typing_rules.promotion import SCALARS, can_assign, unify

Dtypes = tuple[np.dtype, ...]
Rule = Callable[[Dtypes], Signature | None]

_BOOL, _INT64, _HALF, _SINGLE, _DOUBLE = (
    np.dtype(name) for name in ("bool", "int64", "float16", "float32", "float64")
)
_INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
_ABS = forms(
    *(f"{code} -> {code}" for code in (*_INTEGERS, "f2", "f4", "f8")),
    "c8 -> f4",
    "c16 -> f8",
)
# One argument rounds to an integer, two to a float of the same type.
_ROUND = forms("f4 -> i8", "f8 -> i8", "f4 i8 -> f4", "f8 i8 -> f8")
_DIVMOD = forms("i8 i8 -> i8 i8", "u8 u8 -> u8 u8", "f4 f4 -> f4 f4", "f8 f8 -> f8 f8")


def _from_forms(declared: tuple[Form, ...]) -> Rule:
    def rule(arguments: Dtypes) -> Signature | None:
        form = cheapest(declared, arguments)
        return Signature(form.operands, form.result) if form else None

    return rule


def _power(arguments: Dtypes) -> Signature | None:
    form = cheapest(POWER, arguments)
    return Signature(power_operands(form), form.result) if form else None


def _extreme(arguments: Dtypes) -> Signature | None:
    """``min`` and ``max``: of two bools, or of two and more real numbers."""
    if arguments == (_BOOL, _BOOL):
        return Signature(arguments, _BOOL)
    if len(arguments) < 2 or any(dtype.kind in "bc" for dtype in arguments):
        return None
    result = unify(*arguments)
    return Signature((result,) * len(arguments), result)


def _int(arguments: Dtypes) -> Signature | None:
    """An integer keeps its type: ``int(x)`` of an int8 is an int8."""
    if len(arguments) != 1 or arguments[0].kind == "c":
        return None
    (given,) = arguments
    return Signature(arguments, given if given.kind in "iu" else _INT64)


def _float(arguments: Dtypes) -> Signature | None:
    """A float keeps its type: ``float(x)`` of a float32 is a float32."""
    if len(arguments) != 1 or arguments[0].kind in "bc":
        return None
    (given,) = arguments
    return Signature(arguments, given if given.kind == "f" else _DOUBLE)


def _complex(arguments: Dtypes) -> Signature | None:
    """complex64 from float32 alone, complex128 from everything else."""
    if len(arguments) not in (1, 2) or any(d.kind == "b" or d == _HALF for d in arguments):
        return None
    is_single = set(arguments) == {_SINGLE}
    result = np.dtype("complex64" if is_single else "complex128")
    if len(arguments) == 1:
        return Signature(arguments, result)
    if any(dtype.kind == "c" for dtype in arguments):
        return None  # typed, but the compiler has no cast from complex to a part
    return Signature((_SINGLE if is_single else _DOUBLE,) * 2, result)


BUILTINS: dict[str, Rule] = {
    "abs": _from_forms(_ABS),
    "complex": _complex,
    "divmod": _from_forms(_DIVMOD),
    "float": _float,
    "int": _int,
    "max": _extreme,
    "min": _extreme,
    "pow": _power,
    "round": _from_forms(_ROUND),
}

# Numba's names of scalar types beside NumPy's full ones: `numba.uint`, `cuda.f4`, `types.intp`.
_NUMBA_NAMES = {
    "?": "bool bool_ boolean b1",
    "i1": "int8 i1 char",
    "i2": "int16 i2 short",
    "i4": "int32 i4 intc",
    "i8": "int64 i8 intp int_ long_ longlong ssize_t",
    "u1": "uint8 u1 byte uchar",
    "u2": "uint16 u2 ushort",
    "u4": "uint32 u4 uintc",
    "u8": "uint64 u8 uintp uint ulong ulonglong size_t",
    "f2": "float16 f2",
    "f4": "float32 f4",
    "f8": "float64 f8 double",
    "c8": "complex64 c8",
    "c16": "complex128 c16",
}
_BY_NAME = {str(dtype): dtype for dtype in SCALARS}
_BY_NUMBA_NAME = {
    name: np.dtype(code) for code, names in _NUMBA_NAMES.items() for name in names.split()
}
# By NumPy's character codes, among which int64 has two types, `numpy.long` and `numpy.longlong`.
_BY_NUMPY_TYPE = {np.dtype(code).type: np.dtype(code) for code in "?bhilqBHILQefdFD"}
_NUMBA_MODULES = frozenset(
    {"numba", "numba.types", "numba.cuda", "numba.cuda.types", "types", "cuda", "cuda.types"}
)


def numba_type_names() -> dict[str, np.dtype]:
    """Numba's names of scalar types, such as ``float32`` and ``uint``, with their dtypes."""
    return dict(_BY_NUMBA_NAME)


def named_type(name: str) -> np.dtype | None:
    """The scalar type that ``name`` means in a kernel, if it means one.

    Module by module: ``numpy.byte`` is signed and ``numba.byte`` is not.

    >>> named_type("numba.byte"), named_type("numpy.byte"), named_type("float32")
    (dtype('uint8'), dtype('int8'), dtype('float32'))
    """
    if name.startswith("numpy."):
        # Not getattr: NumPy warns of names that it gave up.
        found = vars(np).get(name.removeprefix("numpy."))
        return _BY_NUMPY_TYPE.get(found) if isinstance(found, type) else None
    module, _, bare = name.rpartition(".")
    if module in _NUMBA_MODULES:
        return _BY_NUMBA_NAME.get(bare)
    return _BY_NAME.get(name)


def convert(target: np.dtype, arguments: Dtypes) -> Signature | None:
    """``float32(x)``, ``bool(x)`` and the like: what may be stored as the type converts to it.

    Also complex to bool, which asks whether the number is not 0.
    """
    if len(arguments) != 1:
        return None
    (given,) = arguments
    is_test = target == _BOOL and given.kind == "c"
    return Signature(arguments, target) if is_test or can_assign(given, target) else None
