"""Elementwise functions: CuPy's ufuncs, computed by NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.arrays.account import note_operation
from gpuedu.arrays.dtypes import require_dtype
from gpuedu.arrays.errors import DeviceArrayTypeError, DeviceArrayValueError, NotInStandInError
from gpuedu.arrays.fusing import note_written, require_fusible
from gpuedu.arrays.lists import read
from gpuedu.arrays.ndarray import SCALARS, ndarray
from gpuedu.arrays.wrap import (
    Operands,
    call,
    enter,
    touched_bytes,
    unsupported,
)

_LISTS = read("lists.toml")["elementwise"]


class ufunc:  # noqa: N801
    """A function of each element: ``cp.add``, ``cp.exp`` and the like.

    Operands are device arrays and numbers; the result is a new device array in C order, or
    ``out``. One call is one launch.
    """

    def __init__(self, name: str, compute: Callable[..., Any]) -> None:
        self._compute = compute
        self._short = name
        self.__name__ = self.name = f"cupy_{name}"
        self.nin = getattr(compute, "nin", 1)
        self.nout = getattr(compute, "nout", 1)
        self.nargs = self.nin + self.nout
        self.__doc__ = f"``cupy.{name}``: as ``numpy.{name}``, for each element, on the device."

    def __repr__(self) -> str:
        return f"<ufunc '{self.name}'>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Compute; the keywords are ``out``, ``where``, ``dtype`` and ``casting``.

        Raises:
            DeviceArrayTypeError: An operand is a host array, a list or the like.
        """
        unknown = set(kwargs) - {"out", "where", "dtype", "casting"}
        if unknown:
            raise DeviceArrayTypeError(f"Wrong arguments {unknown} of {self.name}")
        if not self.nin <= len(args) <= self.nargs:
            raise DeviceArrayTypeError(
                f"Wrong number of arguments for {self.name}: {len(args)}, it takes {self.nin}"
            )
        inputs, places = args[: self.nin], args[self.nin :]
        for value in inputs:
            require_operand(value)
        if self._short.startswith("logical_"):
            _refuse_complex(self.name, inputs)
        if places:
            kwargs["out"] = places if len(places) > 1 else places[0]
        is_plain = isinstance(self._compute, np.ufunc) and self.nout == 1
        if is_plain and kwargs.get("out") is None and kwargs.keys() <= {"out"}:
            return self._compute_new(inputs)
        return call(self._short, self._compute, inputs, kwargs, fusible=True)

    def _compute_new(self, inputs: tuple) -> ndarray:
        """Compute straight into the memory of the result."""
        operands = Operands()
        lowered = operands.lower(inputs)
        with np.errstate(all="ignore"):
            result = ndarray(
                np.broadcast_shapes(*map(np.shape, lowered)), self._result_dtype(lowered)
            )
            self._compute(*lowered, out=result.elements())
        enter(self._short, operands.arrays, result)
        return result

    def _result_dtype(self, lowered: tuple) -> np.dtype:
        kinds = tuple(
            type(value) if type(value) in (int, float, complex) else np.asarray(value).dtype
            for value in lowered
        )
        found = self._compute.resolve_dtypes((*kinds, None))[-1]  # type: ignore[attr-defined]
        return require_dtype(found)

    def reduce(
        self,
        array: ndarray,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
    ) -> Any:
        """Combine the elements along an axis."""
        return self._method("reduce", array, axis=axis, dtype=dtype, out=out, keepdims=keepdims)

    def accumulate(self, array: ndarray, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """Combine the elements along an axis, and keep every intermediate result."""
        return self._method("accumulate", array, axis=axis, dtype=dtype, out=out)

    def reduceat(
        self, array: ndarray, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
    ) -> Any:
        """Combine the elements of the slices that start at ``indices``."""
        return self._method("reduceat", array, indices, axis=axis, dtype=dtype, out=out)

    def outer(self, A: ndarray, B: ndarray, **kwargs: Any) -> Any:
        """Compute for each pair of an element of ``A`` and one of ``B``."""
        return self._method("outer", A, B, **kwargs)

    def at(self, a: ndarray, indices: Any, b: Any = None) -> None:
        """Combine elements of ``a`` with ``b`` in place; a place that is named twice counts twice.

        Raises:
            NotInStandInError: CuPy has it only for add, subtract, maximum, minimum and bitwise
                functions.
        """
        from gpuedu.arrays.indexing import scatter

        if self._short not in _LISTS["with_at"].split():
            raise NotInStandInError(
                f"cupy.{self._short}.at is in neither CuPy nor its stand-in",
                remedy=f"these have `at`: {_LISTS['with_at']}",
            )
        scatter(a, indices, b, self._compute, f"{self._short}.at")

    def _method(self, method: str, *args: Any, **kwargs: Any) -> Any:
        for value in args[:1]:
            if not isinstance(value, ndarray):
                raise unsupported(value)
        given = {name: value for name, value in kwargs.items() if value is not None}
        if kwargs.get("axis", 0) is None:
            given["axis"] = None
        return call(f"{self._short}.{method}", getattr(self._compute, method), args, given)


def _refuse_complex(name: str, inputs: tuple) -> None:
    """CuPy's logical functions have no complex operands."""
    if any(np.dtype(getattr(v, "dtype", type(v))).kind == "c" for v in inputs):
        raise DeviceArrayTypeError(f"Wrong type (complex) of operands for {name}")


def require_operand(value: Any) -> Any:
    """Refuse what is neither a device array nor a number.

    Raises:
        DeviceArrayTypeError: It is a host array, a list, text or None.
    """
    if isinstance(value, ndarray):
        return value
    if isinstance(value, np.generic) and value.dtype.kind not in "biufc":
        raise unsupported(value)
    if isinstance(value, SCALARS) or hasattr(value, "__cuda_array_interface__"):
        return value
    raise unsupported(value)


def _i0(x: np.ndarray) -> np.ndarray:
    return np.i0(x).astype(_float_for(x))


def _sinc(x: np.ndarray) -> np.ndarray:
    return np.sinc(x).astype(_float_for(x))


def _float_for(x: np.ndarray) -> np.dtype:
    """The type that functions such as the sine give for ``x``: NumPy's i0 and sinc give double."""
    return np.sin.resolve_dtypes((x.dtype, None))[-1]


def ufuncs() -> dict[str, ufunc]:
    """All of CuPy's, by name; an alias is the same object."""
    names = f"{_LISTS['functions']} {_LISTS['not_ufuncs_in_numpy']}".split()
    found = {name: ufunc(name, getattr(np, name)) for name in names}
    found["i0"], found["sinc"] = ufunc("i0", _i0), ufunc("sinc", _sinc)
    return found | {alias: found[name] for alias, name in _LISTS["aliases"].items()}


UFUNCS = ufuncs()


def matmul(x1: ndarray, x2: ndarray, out: ndarray | None = None, **kwargs: Any) -> ndarray:
    """``cupy.matmul``: the matrix product, over stacks of matrices."""
    require_operand(x1), require_operand(x2)
    return call("matmul", np.matmul, (x1, x2), kwargs | {"out": out})


def where(condition: ndarray, x: Any = None, y: Any = None) -> Any:
    """``cupy.where``: elements of ``x`` where the condition holds, and of ``y`` elsewhere.

    With the condition alone: the indices where it holds.
    """
    if (x is None) != (y is None):
        raise DeviceArrayValueError("Must provide both 'x' and 'y' or neither.")
    if x is None:
        return condition.nonzero()
    for value in (condition, x, y):
        require_operand(value)
    return call("where", np.where, (condition, x, y), {})


def into(result: ndarray, name: str, value: Any) -> ndarray:
    """Write ``value``, a device array or a number, to all elements of ``result``: one launch."""
    require_fusible(name)
    operands = Operands()
    lowered = operands.lower(require_operand(value))
    with np.errstate(all="ignore"):
        result.elements()[...] = lowered
    note_written(result)
    note_operation(name, sum(map(touched_bytes, operands.arrays)), result.nbytes)
    return result
