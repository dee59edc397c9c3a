"""``RawKernel``: a kernel whose whole source the learner writes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from itertools import count
from typing import Any

from gpuedu.arrays.errors import DeviceArrayTypeError, DeviceArrayValueError, NotInStandInError
from gpuedu.arrays.kernels.launching import launch
from gpuedu.arrays.kernels.pointers import pointed
from gpuedu.arrays.memory import MemoryPointer
from gpuedu.simt.cuda_c import CudaCKernel, signature
from gpuedu.simt.cuda_c.compile import compile_cuda_c
from gpuedu.simt.host.errors import KernelHazardError
from gpuedu.trace import Trace

_ATTRIBUTES = (
    *("max_threads_per_block", "shared_size_bytes", "const_size_bytes", "local_size_bytes"),
    *("num_regs", "ptx_version", "binary_version", "cache_mode_ca"),
    *("max_dynamic_shared_size_bytes", "preferred_shared_memory_carveout"),
)
_DYNAMIC_SHARED_BYTES = 49152  # what every device gives a block without being asked


@cache
def module_number(code: str, options: tuple[str, ...], expressions: tuple[str, ...] | None) -> int:
    """The number of the module that a source becomes: CuPy loads a source once.

    So all kernels with the same text, options and name expressions share the memory of its
    variables.
    """
    return next(_numbers)


_numbers = count(1)


class RawKernel:
    """A kernel from CUDA C source: call it with grid, block and arguments.

    Args:
        code: The source; the kernel is ``extern "C" __global__``.
        name: The kernel's name.
        options: Options of the compiler, such as ``("-DTILE=16",)``.
        backend: "nvrtc"; "nvcc" is taken for it.

    It is compiled at its first launch. ``last_trace`` is the account of the last launch.

    >>> from gpuedu.arrays import cupy as cp
    >>> double = cp.RawKernel('''
    ... extern "C" __global__ void twice(float* x, int n) {
    ...     int i = blockIdx.x * blockDim.x + threadIdx.x;
    ...     if (i < n) x[i] = 2 * x[i];
    ... }''', "twice")
    >>> x = cp.arange(5, dtype=cp.float32)
    >>> double((1,), (32,), (x, x.size))
    >>> x
    array([0., 2., 4., 6., 8.], dtype=float32)
    """

    def __init__(
        self,
        code: str,
        name: str,
        options: tuple[str, ...] = (),
        backend: str = "nvrtc",
        *,
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        jitify: bool | None = False,
    ) -> None:
        require_plain(translate_cucomplex, jitify)
        self._setup(code, name, options, backend, None)
        self.enable_cooperative_groups = bool(enable_cooperative_groups)

    def _setup(
        self,
        code: str,
        name: str,
        options: tuple[str, ...],
        backend: str,
        expressions: tuple[str, ...] | None,
    ) -> None:
        require_kind("code", code, str)
        require_kind("name", name, str)
        require_kind("options", options, tuple)
        if backend not in ("nvrtc", "nvcc"):
            raise DeviceArrayValueError(f"no such backend: {backend!r}", remedy='"nvrtc"')
        self.code, self.name, self.backend, self.options = code, name, backend, options
        self.file_path = None
        self.enable_cooperative_groups = False
        self.module_number = module_number(code, options, expressions)
        self.is_expression = name in (expressions or ())
        self.last_trace: Trace | None = None

    @cached_property
    def _source(self) -> CudaCKernel:
        return CudaCKernel(
            self.code,
            self.name,
            self.options,
            self.module_number,
            self.is_expression,
            self.enable_cooperative_groups,
        )

    def __call__(
        self, grid: tuple, block: tuple, args: tuple, *, shared_mem: int = 0, stream: Any = None
    ) -> None:
        """Launch the kernel.

        Args:
            grid: Blocks, a tuple of one to three numbers.
            block: Threads of a block, a tuple of one to three numbers.
            args: Device arrays, their ``data``, numbers, and None for a null pointer. Arrays are
                passed as pointers, without shape and strides. A number must have the parameter's
                type, such as ``np.float32(0.5)``; a host array of one element is passed as that
                element.
            shared_mem: Bytes of dynamic shared memory of a block, at most 48 KiB.
            stream: Accepted; everything runs at once here.

        Raises:
            KernelCompileError: The real compiler refuses the source.
            KernelSourceError: It is not covered here.
            KernelArgumentError: An argument does not fit its parameter; CuPy would not check.
            LaunchError: No device accepts the configuration.
            KernelHazardError: A GPU would have stopped the kernel, or it would never end.
        """
        self.last_trace = None
        if not isinstance(args, tuple | list):
            raise DeviceArrayTypeError(
                f"the arguments are {type(args).__name__}", remedy="a tuple: (x, y, n)"
            )
        try:
            self.last_trace = launch(
                self._source, grid, block, self._passed(args), shared_mem=shared_mem, stacklevel=3
            )
        except KernelHazardError as fault:
            self.last_trace = fault.trace
            raise

    def _passed(self, args: Sequence[Any]) -> list[Any]:
        """Arguments as the launch takes them; pointers without a type get their parameter's."""
        compile_first = any(value is None or isinstance(value, MemoryPointer) for value in args)
        types = [type_ for _, type_ in signature(self._source)] if compile_first else []
        types += [None] * (len(args) - len(types))
        return [pointed(value, type_) for value, type_ in zip(args, types, strict=False)]

    def compile(self, log_stream: Any = None) -> None:
        """Compile now instead of at the first launch."""
        compile_cuda_c(self._source)

    @property
    def attributes(self) -> dict[str, int]:
        """What the real compiler says about the kernel, by CUDA's names; -1 if it does not say."""
        return {name: getattr(self, name) for name in _ATTRIBUTES}

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """The most dynamic shared memory that a launch may ask for. It cannot be raised here."""
        return _DYNAMIC_SHARED_BYTES

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, size_bytes: int) -> None:
        if size_bytes > _DYNAMIC_SHARED_BYTES:
            raise NotInStandInError(
                f"{size_bytes} bytes of dynamic shared memory: gpuedu's stand-in has at most "
                f"{_DYNAMIC_SHARED_BYTES}",
                remedy="smaller tiles",
            )

    @cached_property
    def _facts(self) -> dict[str, int]:
        from gpuedu.compilers import compiled_facts

        facts = compiled_facts(self)
        version = 10 * facts.compute_capability[0] + facts.compute_capability[1]
        return {
            "max_threads_per_block": 1024,
            "shared_size_bytes": facts.shared_bytes,
            "const_size_bytes": facts.constant_bytes,
            "local_size_bytes": facts.stack_bytes,
            "num_regs": facts.registers,
            "ptx_version": version,
            "binary_version": version,
            "cache_mode_ca": 0,
            "preferred_shared_memory_carveout": -1,
        }

    def __getattr__(self, name: str) -> Any:
        if name in _ATTRIBUTES:
            return self._facts[name]
        if name == "kernel":
            raise NotInStandInError(
                "`RawKernel.kernel` belongs to a loaded CUDA module, and there is none here"
            )
        raise AttributeError(f"'RawKernel' object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"<RawKernel {self.name}>"


def require_kind(what: str, value: Any, kind: type) -> None:
    """Refuse an argument of another class, as CuPy does: TypeError."""
    if not isinstance(value, kind):
        raise DeviceArrayTypeError(
            f"Argument '{what}' has incorrect type (expected {kind.__name__}, got "
            f"{type(value).__name__})"
        )


def require_plain(cucomplex: bool, jitify: bool | None) -> None:
    """Refuse ways to compile that only CuPy on a GPU has."""
    for asked, name in (
        (cucomplex, "translate_cucomplex"),
        (jitify, "jitify"),
    ):
        if asked:
            raise NotInStandInError(f"`{name}` is not in gpuedu's stand-in; CuPy on a GPU has it")
