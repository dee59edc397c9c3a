"""The types that a kernel is given: literals, indices, sizes, loop variables, atomics."""

from __future__ import annotations

import numpy as np

from gpuedu.simt.typing_rules.errors import TypingError, names
from gpuedu.simt.typing_rules.forms import cheapest, forms
from gpuedu.simt.typing_rules.promotion import SCALARS

# threadIdx, blockIdx, blockDim and gridDim, each of .x .y .z; cuda.laneid; cuda.warpsize. What is
# computed from them, `i // 32` too, is int64.
THREAD_INDEX = LANE_ID = WARP_SIZE = np.dtype("int32")
# cuda.grid(n) and cuda.gridsize(n): int64, or n of them.
GRID = GRID_SIZE = np.dtype("int64")
# len(a), a.shape[i], a.strides[i], a.size, a.ndim, a.itemsize, a.nbytes; the count of enumerate.
LENGTH = np.dtype("int64")
# cuda.activemask() and cuda.lanemask_lt(); ballot_sync and match_any_sync give int32 all the same.
LANE_MASK = np.dtype("uint32")

_RANGES = {
    count: forms(*(" ".join([code] * count) + f" -> {code}" for code in ("i4", "i8", "u8")))
    for count in (1, 2, 3)
}
_ATOMIC_INTEGERS = ("int32", "uint32", "int64", "uint64")
_ATOMICS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("add", "sub", "max", "min", "nanmax", "nanmin"), (*_ATOMIC_INTEGERS, "float32", "float64")
    ),
    **dict.fromkeys(("and_", "or_", "xor", "exch", "cas", "compare_and_swap"), _ATOMIC_INTEGERS),
    **dict.fromkeys(("inc", "dec"), ("uint32", "uint64")),
}


def literal(value: bool | int | float | complex | np.generic) -> np.dtype:
    """The type of a number written in a kernel, or of a module constant or scalar argument.

    Args:
        value: A Python number or a NumPy scalar, which has its own type.

    Raises:
        TypingError: An integer that fits neither int64 nor uint64, or not a number at all.

    >>> literal(1), literal(0xFFFF_FFFF_FFFF_FFFF), literal(0.5), literal(np.float32(0.5))
    (dtype('int64'), dtype('uint64'), dtype('float64'), dtype('float32'))
    """
    if isinstance(value, int) and not isinstance(value, bool):
        if -(2**63) <= value < 2**63:
            return np.dtype("int64")
        if 0 <= value < 2**64:
            return np.dtype("uint64")
        raise TypingError(
            f"the integer {value} needs more than 64 bits", remedy="keep integers below 2**64"
        )
    dtype = np.asarray(value).dtype
    if dtype not in SCALARS:
        raise TypingError(
            f"{value!r} is not a number that a kernel can compute with",
            remedy="use a bool, an integer, a float or a complex number",
        )
    return dtype


def range_item(arguments: tuple[np.dtype, ...]) -> np.dtype:
    """The type of ``i`` in ``for i in range(...)``.

    Args:
        arguments: One to three types. int8 to int32 count in int32; uint8 to uint64 in uint64;
            anything with an int64 or a literal in int64. A float is accepted, and silently
            truncated to int32.

    Raises:
        TypingError: A complex argument, or none, or more than three.

    >>> range_item((np.dtype("int32"),)), range_item((np.dtype("int64"), np.dtype("int32")))
    (dtype('int32'), dtype('int64'))
    """
    form = cheapest(_RANGES.get(len(arguments), ()), arguments)
    if form is None:
        raise TypingError(
            f"range({names(arguments)}) does not exist in a kernel",
            remedy="give one to three integers",
        )
    return form.result


def atomic(name: str, array: np.dtype) -> np.dtype:
    """The type that ``cuda.atomic.<name>`` returns: the array's.

    Values are cast to it like stored ones (see `can_assign`).

    Args:
        name: "add", "max", "cas", ...
        array: Type of the array's elements.

    Raises:
        TypingError: Numba has no such atomic for the type.

    >>> atomic("add", np.dtype("float32"))
    dtype('float32')
    """
    accepted = _ATOMICS.get(name, ())
    if str(array) not in accepted:
        raise TypingError(
            f"cuda.atomic.{name} does not exist for an array of {array}",
            remedy=f"use an array of {', '.join(accepted)}"
            if accepted
            else "use cuda.atomic." + ", ".join(_ATOMICS),
        )
    return array


def index(given: np.dtype) -> np.dtype:
    """The type that an array's index is computed in.

    Raises:
        TypingError: It is not an integer: a bool and a float are refused.

    >>> index(np.dtype("uint8"))
    dtype('uint64')
    """
    if given.kind not in "iu":
        raise TypingError(
            f"an array cannot be indexed with {given}", remedy="convert it, as in a[int(x)]"
        )
    return np.dtype("int64" if given.kind == "i" else "uint64")


def condition(given: np.dtype) -> None:
    """Refuse what cannot be a condition (``if``, ``while``, ``and``, ``or``): float16.

    Raises:
        TypingError: The type has no truth value that Numba can compile.
    """
    if given == np.float16:
        raise TypingError(
            "Numba does not compile a float16 as a condition", remedy="compare it, as in x != 0"
        )


def attribute(name: str, given: np.dtype) -> np.dtype:
    """The type of a number's ``.real``, ``.imag``, ``.conjugate()`` or ``.item()``.

    Raises:
        TypingError: A kernel's numbers have no such attribute; bool has only ``item()``.

    >>> attribute("real", np.dtype("complex64")), attribute("imag", np.dtype("int8"))
    (dtype('float32'), dtype('int8'))
    """
    known = ("item",) if given.kind == "b" else ("real", "imag", "conjugate", "item")
    if name not in known:
        raise TypingError(
            f"a {given} has no .{name} in a kernel", remedy="use ." + ", .".join(known)
        )
    is_part = given.kind == "c" and name in ("real", "imag")
    return np.empty((), given).real.dtype if is_part else given
