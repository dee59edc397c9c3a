"""Explicit signatures: read by Numba's own parser, chosen by Numba's own rules.

Numba is imported when the first signature is met.
"""

from __future__ import annotations

from typing import Any

from gpuedu.simt.host.errors import CudaTypeError

Types = tuple[Any, ...]


def is_signature(thing: Any) -> bool:
    """Whether ``thing`` is a signature: a text, a tuple of types, or ``void(float32[:])``."""
    if isinstance(thing, (str, tuple)):
        return True
    return type(thing).__name__ == "Signature" and type(thing).__module__.startswith("numba.")


def read(signature: Any) -> tuple[Types, Any]:
    """Argument types and return type (None if the signature names none).

    Raises:
        TypeError: It is not a signature.
    """
    from numba.core.sigutils import normalize_signature

    arguments, result = normalize_signature(signature)
    return tuple(arguments), result


def require_void(result: Any) -> None:
    """Refuse a kernel that returns something."""
    if result is not None and str(result) not in ("none", "void"):
        raise CudaTypeError(
            f"CUDA kernel must have void return type, not {result}.",
            remedy="write results to an array that is an argument",
        )


def require_no_pointers(arguments: Types) -> None:
    """Refuse a kernel that takes a bare pointer, which has no length to check an index against."""
    for kind in arguments:
        if type(kind).__name__ in ("CPointer", "RawPointer"):
            raise CudaTypeError(
                f"a pointer as an argument, `{kind}`, is not covered by gpuedu's machine",
                remedy="pass the array itself, in a signature such as `void(float32[:])`",
            )


def choose(given: Types, signatures: list[Types], name: str) -> Types:
    """The signature that fits arguments of these types best.

    As in Numba: the fewest unsafe conversions, then the fewest safe ones, then promotions.

    Raises:
        CudaTypeError: None fits, or several fit equally well.
    """
    costs = [(cost, types) for types in signatures if (cost := _cost(given, types)) is not None]
    if not costs:
        raise CudaTypeError(
            f"No matching definition for argument type(s) {_shown(given)} of `{name}`: it is "
            f"compiled for {'; '.join(_shown(types) for types in signatures)}",
            remedy="give arguments of these types, or leave the signature out",
        )
    least = min(cost for cost, _ in costs)
    best = [types for cost, types in costs if cost == least]
    if len(best) > 1:
        raise CudaTypeError(
            f"Ambiguous overloading for `{name}` with {_shown(given)}: "
            f"{'; '.join(map(_shown, best))}",
            remedy="cast an argument, such as np.float32(x)",
        )
    return best[0]


def _cost(given: Types, wanted: Types) -> tuple[int, int, int] | None:
    """Unsafe conversions, safe ones, promotions; None where an argument cannot be converted."""
    if len(given) != len(wanted):
        return None
    kinds = [_conversion(one, other) for one, other in zip(given, wanted, strict=True)]
    if None in kinds:
        return None
    return kinds.count("unsafe"), kinds.count("safe"), kinds.count("promote")


def _conversion(given: Any, wanted: Any) -> str | None:
    """How a type becomes another: exact, promote, safe, unsafe or not at all."""
    from numba.core import types
    from numba.core.typeconv.rules import default_type_manager

    if given == wanted:
        return "exact"
    if isinstance(given, types.Array) and isinstance(wanted, types.Array):
        same = given.dtype == wanted.dtype and given.ndim == wanted.ndim
        if not same or wanted.layout not in ("A", given.layout):
            return None
        return "exact" if given.layout == wanted.layout else "safe"
    if isinstance(given, types.BaseTuple) and isinstance(wanted, types.BaseTuple):
        cost = _cost(tuple(given), tuple(wanted))
        ranks = zip(cost or (), ("unsafe", "safe", "promote"), strict=False)
        return None if cost is None else next((rank for n, rank in ranks if n), "exact")
    found = default_type_manager.check_compatible(given, wanted)
    return None if found is None or found.name == "nil" else found.name


def type_of(value: Any) -> Any:
    """Numba's type of an argument."""
    from numba.core.typing.typeof import Purpose, typeof

    return typeof(value, Purpose.argument)


def _shown(types: Types) -> str:
    return ", ".join(map(str, types))
