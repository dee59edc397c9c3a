"""Reductions of an array by one thread: ``np.sum(a)``, ``a.max()``, ``np.nanmean(a)`` and so on.

As in Numba each thread that calls one goes over all elements, in C order, and the types are those
that the loop would have: ``np.mean`` of float32 is float64, because the sum is divided by an int64.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from gpuedu.simt.host.settings import settings
from gpuedu.simt.program import (
    BOOL,
    FLOAT64,
    INT64,
    Binary,
    Const,
    Expression,
    Extent,
    Select,
    Unary,
)
from gpuedu.simt.python.counted import over_range
from gpuedu.simt.python.folds import (
    ONE,
    SO_FAR,
    ZERO,
    computed,
    element,
    fold,
    is_nan,
    number_of,
    result_so_far,
    wide,
)
from gpuedu.simt.python.lowerer import Lowerer, cast
from gpuedu.simt.values import Array, Scalar


def add_up(k: Lowerer, node: ast.AST, array: Array) -> Scalar:
    """``np.sum``: integers are summed in 64 bits."""
    dtype = wide(array.slot.type.dtype)

    def step(so_far: Scalar, value: Scalar) -> Scalar:
        return Scalar(cast(computed(k, node, "+", so_far, value).expression, dtype))

    return fold(k, node, array, number_of(dtype, 0), step)


def _product(k: Lowerer, node: ast.AST, array: Array) -> Scalar:
    start = number_of(array.slot.type.dtype, 1)
    return fold(k, node, array, start, lambda c, v: computed(k, node, "*", c, v))


def _mean(k: Lowerer, node: ast.AST, array: Array) -> Scalar:
    given = array.slot.type.dtype
    start = number_of(FLOAT64 if given.kind in "biu" else given, 0)
    total = fold(k, node, array, start, lambda c, v: computed(k, node, "+", c, v))
    return computed(k, node, "/", total, Scalar(Extent(array.slot, -1)))


def _squared_distance(k: Lowerer, node: ast.AST, value: Scalar, mean: Scalar) -> Scalar:
    away = computed(k, node, "-", value, mean)
    if away.dtype.kind != "c":
        return computed(k, node, "*", away, away)
    part = np.dtype(f"f{away.dtype.itemsize // 2}")
    kept = k.builder.keep(away.expression)
    sides = [Scalar(Unary(name, kept, part)) for name in ("real", "imag")]
    squares = [computed(k, node, "*", side, side) for side in sides]
    return computed(k, node, "+", *squares)


def _variance(k: Lowerer, node: ast.AST, array: Array) -> Scalar:
    mean = Scalar(k.builder.keep(_mean(k, node, array).expression))

    def step(so_far: Scalar, value: Scalar) -> Scalar:
        return computed(k, node, "+", so_far, _squared_distance(k, node, value, mean))

    total = fold(k, node, array, number_of(FLOAT64, 0), step)
    return computed(k, node, "/", total, Scalar(Extent(array.slot, -1)))


def _root(variance: Reduction) -> Reduction:
    def deviation(k: Lowerer, node: ast.AST, array: Array) -> Scalar:
        return computed(k, node, "**", variance(k, node, array), Scalar(Const(np.float64(0.5))))

    return deviation


def _extreme(operator: str) -> Reduction:
    """``np.min`` and ``np.max``: the first NaN ends the search and is the answer."""

    def reduction(k: Lowerer, node: ast.AST, array: Array) -> Scalar:
        def step(so_far: Scalar, value: Scalar) -> Scalar:
            better = k.truth(node, computed(k, node, operator, value, so_far))
            better = Binary("|", better, is_nan(value), BOOL)
            if array.slot.type.dtype.kind == "f":
                better = Binary("&", better, Unary("not", is_nan(so_far), BOOL), BOOL)
            chosen = Select(better, value.expression, so_far.expression, value.dtype)
            return Scalar(chosen)

        _real(k, node, array)
        until = is_nan if array.slot.type.dtype.kind == "f" else None
        return fold(k, node, array, None, step, until)

    return reduction


def _place_of_extreme(operator: str) -> Reduction:
    """``np.argmin`` and ``np.argmax``: the position of the first extreme, or of the first NaN."""

    def reduction(k: Lowerer, node: ast.AST, array: Array) -> Scalar:
        _real(k, node, array)
        best = "$best"
        k.builder.assign(best, element(k, node, array, ZERO))
        k.builder.assign(SO_FAR, Scalar(ZERO))

        def body(number: Scalar) -> None:
            assert k.builder.names is not None
            value = element(k, node, array, number.expression)
            so_far = k.builder.names[best]
            assert isinstance(so_far, Scalar)
            better = k.truth(node, computed(k, node, operator, value, so_far))
            better = Binary("|", better, is_nan(value), BOOL)
            better = k.builder.keep(Binary("&", better, Unary("not", is_nan(so_far), BOOL), BOOL))
            at, here = result_so_far(k).expression, cast(number.expression, INT64)
            k.builder.assign(SO_FAR, Scalar(Select(better, here, at, INT64)))
            chosen = Select(better, value.expression, so_far.expression, value.dtype)
            k.builder.assign(best, Scalar(chosen))

        over_range(k, node, (ONE, Extent(array.slot, -1), ONE), body, {best, SO_FAR})
        result = result_so_far(k)
        assert k.builder.names is not None
        del k.builder.names[SO_FAR], k.builder.names[best]
        return result

    return reduction


def _real(k: Lowerer, node: ast.AST, array: Array) -> None:
    if array.slot.type.dtype.kind == "c":
        raise k.refuse(node, "complex numbers have no order here", "compare `abs(z)` in a loop")


def _quantifier(*, any_: bool) -> Reduction:
    """``np.any`` and ``np.all``, which stop as soon as the answer is known."""

    def reduction(k: Lowerer, node: ast.AST, array: Array) -> Scalar:
        def until(so_far: Scalar) -> Expression:
            return so_far.expression if any_ else Unary("not", so_far.expression, BOOL)

        start = Scalar(Const(np.bool_(not any_)))
        return fold(k, node, array, start, lambda _, v: Scalar(k.truth(node, v)), until)

    return reduction


def _count(k: Lowerer, node: ast.AST, array: Array) -> Scalar:
    return _counted(k, node, array, lambda v: k.truth(node, v))


def _counted(
    k: Lowerer, node: ast.AST, array: Array, test: Callable[[Scalar], Expression]
) -> Scalar:
    def step(so_far: Scalar, value: Scalar) -> Scalar:
        return Scalar(Binary("+", so_far.expression, cast(test(value), INT64), INT64))

    return fold(k, node, array, number_of(INT64, 0), step)


def _where(condition: Expression, then: Scalar, orelse: Scalar) -> Scalar:
    if isinstance(condition, Const):
        return then if condition.value else orelse
    return Scalar(
        Select(condition, cast(then.expression, orelse.dtype), orelse.expression, orelse.dtype)
    )


def _without_nan(operator: str, start: int) -> Reduction:
    """``np.nansum`` and ``np.nanprod``."""

    def reduction(k: Lowerer, node: ast.AST, array: Array) -> Scalar:
        given = array.slot.type.dtype
        dtype = INT64 if given.kind in "iu" else given

        def step(so_far: Scalar, value: Scalar) -> Scalar:
            return _where(is_nan(value), so_far, computed(k, node, operator, so_far, value))

        return fold(k, node, array, number_of(dtype, start), step)

    return reduction


def _nan_extreme(operator: str) -> Reduction:
    def reduction(k: Lowerer, node: ast.AST, array: Array) -> Scalar:
        def step(so_far: Scalar, value: Scalar) -> Scalar:
            holds = k.truth(node, computed(k, node, operator, so_far, value))
            return _where(Binary("|", holds, is_nan(value), BOOL), so_far, value)

        _real(k, node, array)
        return fold(k, node, array, None, step)

    return reduction


def _present(k: Lowerer, node: ast.AST, array: Array) -> Scalar:
    return _counted(k, node, array, lambda v: Unary("not", is_nan(v), BOOL))


def _nan_mean(k: Lowerer, node: ast.AST, array: Array) -> Scalar:
    def step(so_far: Scalar, value: Scalar) -> Scalar:
        return _where(is_nan(value), so_far, computed(k, node, "+", so_far, value))

    total = fold(k, node, array, number_of(FLOAT64, 0), step)
    return computed(k, node, "/", total, _present(k, node, array))


def _nan_variance(k: Lowerer, node: ast.AST, array: Array) -> Scalar:
    mean = Scalar(k.builder.keep(_nan_mean(k, node, array).expression))

    def step(so_far: Scalar, value: Scalar) -> Scalar:
        more = computed(k, node, "+", so_far, _squared_distance(k, node, value, mean))
        return _where(is_nan(value), so_far, more)

    total = fold(k, node, array, number_of(FLOAT64, 0), step)
    return computed(k, node, "/", total, _present(k, node, array))


Reduction = Callable[[Lowerer, ast.AST, Array], Scalar]

METHODS: dict[str, Reduction] = {
    "sum": add_up,
    "prod": _product,
    "mean": _mean,
    "var": _variance,
    "std": _root(_variance),
    "min": _extreme("<"),
    "max": _extreme(">"),
    "argmin": _place_of_extreme("<"),
    "argmax": _place_of_extreme(">"),
    "any": _quantifier(any_=True),
    "all": _quantifier(any_=False),
}
"""What is both ``a.name()`` and ``np.name(a)``."""

FUNCTIONS: dict[str, Reduction] = {
    **{f"numpy.{name}": reduction for name, reduction in METHODS.items()},
    "numpy.amin": METHODS["min"],
    "numpy.amax": METHODS["max"],
    "numpy.count_nonzero": _count,
    "numpy.nansum": _without_nan("+", 0),
    "numpy.nanprod": _without_nan("*", 1),
    "numpy.nanmin": _nan_extreme("<"),
    "numpy.nanmax": _nan_extreme(">"),
    "numpy.nanmean": _nan_mean,
    "numpy.nanvar": _nan_variance,
    "numpy.nanstd": _root(_nan_variance),
}


_RUNTIME_ONLY = {"min", "max", "amin", "amax", "nanmin", "nanmax"}


def reduce(k: Lowerer, node: ast.Call, name: str, array: Array) -> Scalar:
    """``np.name(a)``, for a ``name`` such as "numpy.sum"; also ``a.name()``."""
    if node.keywords:
        raise k.refuse(
            node,
            f"`{name.rpartition('.')[2]}` takes no `{node.keywords[0].arg}` here: a kernel cannot "
            "make the array of results",
            "write a loop",
        )
    short = name.rpartition(".")[2]
    if short in _RUNTIME_ONLY and not settings.runtime:
        raise k.refuse(
            node,
            f"Numba compiles `{short}` of an array only with its memory manager for kernels "
            "(NUMBA_CUDA_ENABLE_NRT=1)",
            "write a loop" if "nan" in short else f"`{short.removeprefix('a')}(a)`, or a loop",
        )
    if array.slot.type.dtype.names:
        raise k.refuse(node, "records have no such function", "take a field: `a['x']`")
    return FUNCTIONS[name](k, node, array)
