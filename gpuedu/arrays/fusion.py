"""``cp.fuse``: a function of arrays as one kernel, with intermediate results in registers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gpuedu.arrays.account import note_operation, one_launch
from gpuedu.arrays.dtypes import require_dtype
from gpuedu.arrays.errors import DeviceArrayTypeError
from gpuedu.arrays.fusing import Fused, fusing, is_fusing
from gpuedu.arrays.memory import MemoryPointer, in_registers, using_allocator
from gpuedu.arrays.ndarray import ndarray
from gpuedu.arrays.wrap import new, results_of, touched_bytes


class Fusion:
    """A fused function. One call is one launch: it reads its arrays once and writes its results.

    Raises:
        DeviceArrayTypeError: It has a name that a kernel cannot have, such as a lambda's. CuPy's
            compiler fails on that when the function is first called.

    What this simplifies: CuPy may need several kernels where a function holds reductions; here
    the count is always one.
    """

    def __init__(self, function: Callable[..., Any], name: str | None) -> None:
        functools.update_wrapper(self, function)
        self.func = function
        self.name = name or function.__name__
        if not self.name.isidentifier():
            raise DeviceArrayTypeError(
                f"cupy.fuse compiles a kernel with the function's name, and {self.name} is not "
                "a name in CUDA C",
                remedy="use a def, or name it: `cp.fuse(kernel_name='scale')(lambda x: 2 * x)`.",
            )

    def __repr__(self) -> str:
        return f"<Fusion name={self.name}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function.

        Raises:
            DeviceArrayTypeError: It does something that a fused kernel cannot: branch on values,
                pick elements, use arrays that are no arguments, call functions that are not
                elementwise.
        """
        if kwargs:
            raise DeviceArrayTypeError("cupy.fuse takes its arguments by position, not by name")
        if is_fusing():
            return self.func(*args)
        arrays = _distinct(args)
        fused = Fused({id(array.device_view.buffer) for array in arrays})

        def register(size: int) -> MemoryPointer:
            pointer = in_registers(size)
            fused.buffers.add(id(pointer.mem.buffer))
            return pointer

        with fusing(fused), one_launch(), using_allocator(register):
            found = self.func(*args)
        result = _kept(found, args)
        fresh = [array for array in results_of(result) if not _is_in(array, args)]
        changed = [array for array in fused.written if _is_in(array, args)]
        note_operation(
            self.name,
            sum(map(touched_bytes, arrays)),
            sum(array.nbytes for array in (*fresh, *changed)),
        )
        return result


def _is_in(array: ndarray, args: tuple) -> bool:
    return any(array is value for value in args)


def _distinct(args: tuple) -> list[ndarray]:
    found: dict[int, ndarray] = {id(a): a for a in args if isinstance(a, ndarray)}
    return list(found.values())


def _kept(value: Any, args: tuple) -> Any:
    """Results in memory of their own, instead of registers."""
    if isinstance(value, ndarray):
        if _is_in(value, args):
            return value
        require_dtype(value.dtype)
        return new(value.elements())
    if isinstance(value, (tuple, list)):
        return type(value)(_kept(item, args) for item in value)
    return value


def fuse(*args: Any, **kwargs: Any) -> Any:
    """``cupy.fuse``: a decorator, plain or with ``kernel_name=``.

    >>> from gpuedu.arrays import cupy as cp
    >>> @fuse
    ... def squared_difference(x, y):
    ...     return (x - y) * (x - y)
    >>> squared_difference(cp.arange(3), cp.ones(3))
    array([1., 0., 1.])
    """
    name = kwargs.pop("kernel_name", None)
    if kwargs:
        raise DeviceArrayTypeError(f"cupy.fuse has no argument {sorted(kwargs)}")
    if args and callable(args[0]):
        return Fusion(args[0], name)
    return lambda function: Fusion(function, name or (args[0] if args else None))
