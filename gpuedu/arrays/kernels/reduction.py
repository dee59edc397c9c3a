"""``ReductionKernel``: the learner writes how elements are mapped, combined and finished."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.arrays.errors import (
    DeviceArrayIndexError,
    DeviceArrayTypeError,
    DeviceArrayValueError,
    NotInStandInError,
)
from gpuedu.arrays.kernels.elements import common_shape
from gpuedu.arrays.kernels.launching import launch, on_device
from gpuedu.arrays.kernels.parameters import (
    Types,
    decide_types,
    read_parameters,
    require_distinct,
    require_kernel_name,
    typedefs,
    uses_halves,
)
from gpuedu.arrays.kernels.places import ArgumentPlace, Places
from gpuedu.arrays.kernels.reduction_source import Expressions, reduction_source
from gpuedu.arrays.ndarray import ndarray
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.simt.host.errors import KernelHazardError
from gpuedu.trace import Trace

MOST_THREADS = 512
_MOST_BLOCKS = (1 << 31) - 1


class AxisError(DeviceArrayValueError, DeviceArrayIndexError):
    """An axis that the arrays do not have."""


class ReductionKernel:
    """A kernel that combines the elements along axes: ``sum``, ``max`` and others.

    Args:
        in_params: Inputs, such as ``"T x, T y"``; they are broadcast.
        out_params: The output; of several the call returns the first.
        map_expr: What one element becomes, an expression in the inputs' names.
        reduce_expr: How two of those, ``a`` and ``b``, become one, on one line.
        post_map_expr: What sets the output from the result, ``a``, on one line.
        identity: What every thread starts with. Without one ("" or None) a thread starts with its
            type's default value, 0 for numbers, and an empty array is an error.
        name: The kernel's name.
        reduce_type: The type of ``a`` and ``b``; the output's unless given.
        reduce_dims: Accepted; axes are joined where they can be in either case.
        preamble: Source before the kernel.
        options: Options of the compiler.

    A block makes one output: its threads walk over the elements, then a tree in shared memory
    combines their results. CuPy lets a block make several outputs where they are short; results are
    the same except for the order in which floats are added. ``a`` and ``b`` are variables here and
    a macro's names in CuPy. Complex numbers are refused.

    >>> from gpuedu.arrays import cupy as cp
    >>> squares = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")
    >>> squares(cp.arange(6, dtype=cp.float32).reshape(2, 3), axis=1)
    array([ 5., 50.], dtype=float32)
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: Any,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: tuple[str, ...] = (),
    ) -> None:
        require_kernel_name(name)
        self.in_params, self.out_params = read_parameters(in_params), read_parameters(out_params)
        self.params = self.in_params + self.out_params
        require_distinct(self.params)
        if not self.out_params:
            raise DeviceArrayValueError("a ReductionKernel has an output")
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.map_expr, self.reduce_expr, self.post_map_expr = map_expr, reduce_expr, post_map_expr
        self.identity = "" if identity is None else str(identity)
        self.name, self.preamble = name, preamble
        self.reduce_type = reduce_type or self.out_params[0].ctype
        self.reduce_dims, self.options = reduce_dims, tuple(options)
        self.last_trace: Trace | None = None

    def __call__(
        self,
        *args: Any,
        out: ndarray | None = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        stream: Any = None,
    ) -> ndarray:
        """Reduce along ``axis``, or all elements.

        Raises:
            DeviceArrayTypeError: Types that disagree, or a host array.
            DeviceArrayValueError: No elements and no identity, or a wrong axis or output.
            KernelCompileError: An expression does not compile; it is named with its line.
        """
        given, passed = self._split(args, out)
        pairs = zip(self.in_params, given, strict=True)
        arrays = [v for p, v in pairs if isinstance(v, ndarray) and not p.raw]
        if not arrays:
            raise DeviceArrayValueError("Loop size is undecided.", remedy="pass an array")
        shape = common_shape(arrays)
        known, in_dtypes, out_dtypes = decide_types(self.in_params, self.out_params, given, passed)
        axes = reduced_axes(axis, len(shape))
        walk = _Walk(shape, axes, keepdims)
        results = self._results(passed, walk.final, out_dtypes)
        if results[0].size == 0:
            return results[0]
        if not self.identity and 0 in shape:
            raise DeviceArrayValueError(
                f"zero-size array to reduction operation {self.name} which has no identity"
            )
        if any(p.raw for p in self.params) and axes != tuple(range(len(axes))):
            raise NotInStandInError(
                "Illegal conditions: raw parameters need the first axes reduced"
            )
        walk = _Walk(shape, axes, keepdims)
        inputs = walk.inputs.inputs(self.in_params, given, in_dtypes)
        outputs = walk.outputs.outputs(self.out_params, results, out_dtypes)
        self._launch(inputs, outputs, known, walk)
        walk.inputs.copy_back()
        walk.outputs.copy_back()
        return results[0]

    def _launch(
        self, inputs: list[ArgumentPlace], outputs: list[ArgumentPlace], known: Types, walk: _Walk
    ) -> None:
        places = [*inputs, *outputs]
        threads = min(MOST_THREADS, max(32, 1 << max(walk.reduced - 1, 0).bit_length()))
        head = uses_halves([place.dtype for place in places]) + typedefs(known)
        source = reduction_source(
            self.name, head, Expressions.of(self, known), inputs, outputs, threads
        )
        kernel = CudaCKernel(source.code, self.name, (*self.options, *source.options))
        passed = [*(place.argument for place in places), walk.reduced, walk.count]
        self.last_trace = None
        try:
            with source.errors():
                self.last_trace = launch(
                    kernel,
                    (min(walk.count, _MOST_BLOCKS),),
                    (threads,),
                    passed,
                    source=source,
                    stacklevel=4,
                )
        except KernelHazardError as fault:
            self.last_trace = fault.trace
            raise

    def _split(self, args: Sequence[Any], out: Any) -> tuple[list[Any], list[Any] | None]:
        if len(args) not in (self.nin, self.nargs):
            raise DeviceArrayTypeError(
                f"Wrong number of arguments for {self.name}: it takes {self.nin} or {self.nargs} "
                f"(with the output), but given {len(args)}"
            )
        passed = [on_device(value) for value in args[self.nin :]]
        if out is not None:
            if self.nout != 1:
                raise NotInStandInError(f"`out=` of a kernel with {self.nout} outputs")
            if passed:
                raise DeviceArrayValueError(
                    "cannot specify 'out' as both a positional and keyword argument"
                )
            passed = [on_device(out)]
        return [on_device(value) for value in args[: self.nin]], passed or None

    def _results(
        self, passed: list[Any] | None, final: tuple[int, ...], dtypes: Sequence[np.dtype]
    ) -> list[ndarray]:
        if passed is None:
            if any(p.raw for p in self.out_params):
                raise DeviceArrayValueError("Output array size is Undecided")
            return [ndarray(final, dtype) for dtype in dtypes]
        for parameter, value in zip(self.out_params, passed, strict=True):
            if not isinstance(value, ndarray):
                raise DeviceArrayTypeError("Output arguments type must be cupy.ndarray")
            if not parameter.raw and value.shape != final:
                raise DeviceArrayValueError(
                    f"Out shape is mismatched: `{parameter.name}` is {value.shape}, the result "
                    f"{final}"
                )
        return passed

    def __repr__(self) -> str:
        return f"<ReductionKernel {self.name}>"


class _Walk:
    """How a reduction goes over its arrays: ``_i`` over outputs, ``_J`` over what each joins."""

    def __init__(self, shape: tuple[int, ...], axes: tuple[int, ...], keepdims: bool) -> None:
        kept = [at for at in range(len(shape)) if at not in axes]
        self.reduced = math.prod(shape[at] for at in axes)
        self.count = math.prod(shape[at] for at in kept)
        self.inputs = Places(shape, [("_i", kept), ("_J", axes)])
        self.final = tuple(
            1 if at in axes else n for at, n in enumerate(shape) if keepdims or at not in axes
        )
        self.outputs = Places(self.final, [("_i", range(len(self.final)))])


def reduced_axes(axis: int | Sequence[int] | None, ndim: int) -> tuple[int, ...]:
    """The axes to reduce, counted from the front, in order.

    Raises:
        AxisError: An axis that does not exist.
        DeviceArrayValueError: One axis twice.

    >>> reduced_axes((-1, 0), 3), reduced_axes(None, 2)
    ((0, 2), (0, 1))
    """
    if axis is None:
        return tuple(range(ndim))
    listed = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    for one in listed:
        if not isinstance(one, int | np.integer):
            raise DeviceArrayTypeError(f"the axis {one!r} is not a whole number")
        if not -ndim <= one < ndim:
            raise AxisError(f"axis {one} is out of bounds for array of dimension {ndim}")
    found = tuple(sorted({int(one) % ndim for one in listed}))
    if len(found) < len(listed):
        raise DeviceArrayValueError("duplicate value in 'axis'")
    return found
