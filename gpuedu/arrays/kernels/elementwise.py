"""``ElementwiseKernel``: the learner writes what happens to one element."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gpuedu.arrays.errors import DeviceArrayTypeError, DeviceArrayValueError
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
from gpuedu.arrays.kernels.places import ArgumentPlace, Places, with_raw_properties
from gpuedu.arrays.kernels.source import MadeSource
from gpuedu.arrays.ndarray import ndarray
from gpuedu.simt.cuda_c import CudaCKernel
from gpuedu.simt.host.errors import KernelHazardError
from gpuedu.trace import Trace

BLOCK_SIZE = 128
_MOST_BLOCKS = (1 << 31) - 1


class ElementwiseKernel:
    """A kernel with a thread for each element of its broadcast arguments.

    Args:
        in_params: Inputs, such as ``"T x, raw float32 table"``. A raw array is indexed by the
            operation, the others stand for the element.
        out_params: Outputs, made by the call unless they are passed.
        operation: CUDA C for one element; ``i`` is its index and ``_ind.size()`` how many there
            are; ``x.size()`` and ``x.shape()[0]`` are those of a raw array.
        name: The kernel's name.
        reduce_dims: Accepted; axes are joined where they can be in either case.
        preamble: Source before the kernel: device functions, macros.
        no_return: The call returns None.
        return_tuple: The call returns a tuple even for one output.
        options, loop_prep, after_loop: Options of the compiler; source around the loop.

    Lines of the trace are those of the operation where there is no preamble and no loop_prep, and
    elements are no float16.

    Simplified: an input's element is read once, before the operation, so an operation that writes
    an output which is also an input still sees the old element. A raw array that is not contiguous
    is copied, and indexed by one number only. Elements of float16 are floats until they are stored;
    those of a raw array are ``__half``. Complex numbers are refused.

    >>> from gpuedu.arrays import cupy as cp
    >>> axpy = cp.ElementwiseKernel("T a, T x, T y", "T z", "z = a * x + y", "axpy")
    >>> axpy(2, cp.arange(3, dtype=cp.float32), cp.ones(3, dtype=cp.float32))
    array([1., 3., 5.], dtype=float32)
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        *,
        options: tuple[str, ...] = (),
        loop_prep: str = "",
        after_loop: str = "",
    ) -> None:
        require_kernel_name(name)
        self.in_params, self.out_params = read_parameters(in_params), read_parameters(out_params)
        self.params = self.in_params + self.out_params
        require_distinct(self.params)
        self.nin, self.nout = len(self.in_params), len(self.out_params)
        self.nargs = self.nin + self.nout
        self.operation, self.name, self.preamble = operation, name, preamble
        self.reduce_dims, self.no_return, self.return_tuple = reduce_dims, no_return, return_tuple
        self.kwargs = {"loop_prep": loop_prep, "after_loop": after_loop, "options": tuple(options)}
        self.last_trace: Trace | None = None

    def __call__(
        self,
        *args: Any,
        size: int | None = None,
        block_size: int = BLOCK_SIZE,
        stream: Any = None,
    ) -> Any:
        """Run it on device arrays and numbers.

        Args:
            args: The inputs, and the outputs too if their arrays exist already.
            size: How many elements, if all arrays are raw.
            block_size: Threads of a block.
            stream: Accepted; everything runs at once here.

        Raises:
            DeviceArrayTypeError: Types that disagree, or a host array.
            DeviceArrayValueError: Shapes that disagree, or a size that is not known.
            KernelCompileError: The operation does not compile; lines are those of the operation.
            KernelHazardError: A GPU would have stopped the kernel.
        """
        if block_size <= 0:
            raise DeviceArrayValueError("block_size must be greater than zero")
        given, passed = self._split([on_device(value) for value in args])
        shape = self._shape(given, passed, size)
        known, in_dtypes, out_dtypes = decide_types(self.in_params, self.out_params, given, passed)
        results = passed or [ndarray(shape, dtype) for dtype in out_dtypes]
        count = math.prod(shape)
        if count:
            places = Places(shape)
            inputs = places.inputs(self.in_params, given, in_dtypes)
            outputs = places.outputs(self.out_params, results, out_dtypes)
            source = self._source([*inputs, *outputs], known)
            kernel = CudaCKernel(source.code, self.name, (*self.kwargs["options"], *source.options))
            blocks = min(-(-count // block_size), _MOST_BLOCKS)
            arguments = [place.argument for place in (*inputs, *outputs)]
            self._launch(kernel, blocks, min(count, block_size), arguments, count, source)
            places.copy_back()
        return self._returned(results)

    def _launch(
        self,
        kernel: CudaCKernel,
        blocks: int,
        threads: int,
        arguments: list[Any],
        count: int,
        source: MadeSource,
    ) -> None:
        self.last_trace = None
        try:
            with source.errors():
                self.last_trace = launch(
                    kernel, (blocks,), (threads,), [*arguments, count], source=source, stacklevel=4
                )
        except KernelHazardError as fault:
            self.last_trace = fault.trace
            raise

    def _split(self, args: list[Any]) -> tuple[list[Any], list[ndarray] | None]:
        if len(args) not in (self.nin, self.nargs):
            raise DeviceArrayTypeError(
                f"Wrong number of arguments for {self.name!r}. It must be either {self.nin} or "
                f"{self.nargs} (with outputs), but given {len(args)}."
            )
        return args[: self.nin], args[self.nin :] or None

    def _shape(
        self, given: list[Any], passed: list[Any] | None, size: int | None
    ) -> tuple[int, ...]:
        """The common shape of the arguments that are not raw, or (size,)."""
        pairs = [*zip(self.params, (*given, *(passed or ())), strict=False)]
        arrays = [v for p, v in pairs if not p.raw and isinstance(v, ndarray)]
        if size is not None and arrays:
            raise DeviceArrayValueError(
                "Specified 'size' can be used only if all of the ndarray are 'raw'."
            )
        if size is None and not arrays:
            raise DeviceArrayValueError(
                "Loop size is undecided.", remedy="pass an array, or `size=` where all are raw"
            )
        shape = common_shape(arrays) if size is None else (size,)
        self._require_outputs(passed, shape, size)
        return shape

    def _require_outputs(
        self, passed: Sequence[Any] | None, shape: tuple[int, ...], size: int | None
    ) -> None:
        if passed is None:
            if size is None and any(p.raw for p in self.out_params):
                raise DeviceArrayValueError(
                    "Output array size is Undecided", remedy="pass the raw output, too"
                )
            return
        for parameter, value in zip(self.out_params, passed, strict=True):
            if not isinstance(value, ndarray):
                raise DeviceArrayTypeError("Output arguments type must be cupy.ndarray")
            if not parameter.raw and value.shape != shape:
                raise DeviceArrayValueError(
                    f"Out shape is mismatched: `{parameter.name}` is {value.shape}, "
                    f"the arguments broadcast to {shape}"
                )

    def _source(self, places: list[ArgumentPlace], known: Types) -> MadeSource:
        """The kernel. The operation begins on its first line where nothing must come before."""
        declared = ", ".join(place.declaration for place in places)
        source = MadeSource(uses_halves([place.dtype for place in places]))
        source.made(f"{typedefs(known)} ")
        if self.preamble:
            source.made("\n" if self.preamble.lstrip(" ").startswith("#") else "")
            source.learners("preamble", self.preamble).made("\n")
        source.made(f'extern "C" __global__ void {self.name}({declared}, long long _n) {{ ')
        source.made("".join(f"{place.alias} " for place in places if place.alias))
        self._add(source, "loop_prep", self.kwargs["loop_prep"], places)
        source.made(
            "for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < _n; "
            "i += (long long)blockDim.x * gridDim.x) { "
        )
        source.made("".join(f"{place.opening} " for place in places if place.opening) + "{ ")
        self._add(source, "operation", self.operation, places)
        source.made("\n} } ")
        self._add(source, "after_loop", self.kwargs["after_loop"], places)
        return source.made("}\n")

    def _add(self, source: MadeSource, name: str, text: str, places: list[ArgumentPlace]) -> None:
        if not text:
            return
        source.learners(name, text, with_raw_properties(text, places))
        ends_in_comment = "//" in text.rpartition("\n")[2]
        source.made("\n; " if ends_in_comment else "; ")

    def _returned(self, results: list[ndarray]) -> Any:
        if self.no_return:
            return None
        return results[0] if len(results) == 1 and not self.return_tuple else tuple(results)

    def __repr__(self) -> str:
        return f"<ElementwiseKernel {self.name}>"
