"""Kernels and device functions: configured, launched, specialized."""

from __future__ import annotations

import functools
import inspect
import types
import warnings
from collections.abc import Callable
from typing import Any

from gpuedu.interrupts import quiet_interrupts
from gpuedu.simt.host import entry, hazards, limits, signatures, sources
from gpuedu.simt.host.arguments import Arguments, prototype
from gpuedu.simt.host.errors import (
    CudaNotImplementedError,
    CudaPerformanceWarning,
    CudaTypeError,
    CudaValueError,
)
from gpuedu.simt.host.launch_types import Argument, KernelFunction
from gpuedu.simt.host.settings import settings
from gpuedu.trace import Trace

_FEW_BLOCKS = 128
_FORALL_BLOCK = 256
_COMPILED_FACTS = """
    inspect_llvm inspect_asm inspect_sass inspect_sass_cfg inspect_lto_ptx inspect_types
    get_regs_per_thread get_const_mem_size get_shared_mem_per_block get_max_threads_per_block
    get_local_mem_per_thread
"""


class Kernel(KernelFunction):
    """A function under ``@cuda.jit``: launched with ``kernel[grid, block](...)``.

    The function is not called: the machine runs its source. ``last_trace`` is the account of the
    latest launch, None before it or if nothing was traced.
    """

    def __init__(self, py_func: Callable[..., Any], targetoptions: dict[str, Any]) -> None:
        self.py_func = py_func
        self.targetoptions = targetoptions
        self.signatures: list[signatures.Types] = []
        self.result_types: dict[signatures.Types, Any] = {}
        self.specialized = False
        self.last_trace: Trace | None = None
        self._configured: set[tuple[limits.Dim3, limits.Dim3]] = set()
        self.specializations: dict[signatures.Types, Kernel] = {}
        functools.update_wrapper(self, py_func)
        self._names, self._defaults = _parameters(py_func)

    def __repr__(self) -> str:
        kind = "device function" if self.targetoptions.get("device") else "kernel"
        return f"<{kind} {self.py_func.__qualname__}>"

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle holds: everything but the trace, plus the source text."""
        return vars(self) | {"last_trace": None, "source": sources.text_of(self.py_func)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        sources.keep(state.pop("source"))
        vars(self).update(state)

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)

    def __call__(self, *_arguments: Any, **_named: Any) -> Any:
        """Refuse: a launch needs a configuration, and the host cannot call device functions."""
        if self.targetoptions.get("device"):
            raise CudaValueError(
                f"`{self.py_func.__name__}` is a device function: kernels call it, the host cannot",
                remedy=f"{self.py_func.__name__}.py_func(...) runs it as plain Python",
            )
        raise CudaValueError(limits.MISSING_CONFIGURATION)

    def __getitem__(self, configuration: Any) -> LaunchConfiguration:
        if not isinstance(configuration, tuple) or len(configuration) not in (2, 3, 4):
            raise CudaValueError(
                "must specify at least the griddim and blockdim", remedy="kernel[blocks, threads]"
            )
        return self._configure(*configuration, stacklevel=4)

    def configure(
        self, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0
    ) -> LaunchConfiguration:
        """The kernel with a launch configuration, as ``kernel[griddim, blockdim, ...]``."""
        return self._configure(griddim, blockdim, stream, sharedmem, stacklevel=4)

    def _configure(
        self, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0, *, stacklevel: int
    ) -> LaunchConfiguration:
        grid = limits.dimensions(griddim, "griddim")
        block = limits.dimensions(blockdim, "blockdim")
        self._tell_small_grid(grid, block, stacklevel)
        return LaunchConfiguration(self, grid, block, stream, sharedmem)

    def _tell_small_grid(self, grid: limits.Dim3, block: limits.Dim3, stacklevel: int) -> None:
        """As Numba: once for each configuration, below a round number of blocks."""
        blocks = grid[0] * grid[1] * grid[2]
        if not settings.low_occupancy_warnings or blocks >= _FEW_BLOCKS:
            return
        if (grid, block) in self._configured:
            return
        self._configured.add((grid, block))
        warnings.warn(
            f"Grid size {blocks} will likely result in GPU under-utilization due to low occupancy.",
            CudaPerformanceWarning,
            stacklevel=stacklevel,
        )

    def forall(self, ntasks: int, tpb: int = 0, stream: Any = 0, sharedmem: int = 0) -> ForAll:
        """The kernel with enough threads for ``ntasks`` of ``cuda.grid(1)``.

        Without ``tpb`` a block has 256 threads; on a GPU the driver chooses by occupancy.
        """
        return ForAll(self, ntasks, tpb, stream, sharedmem)

    @property
    def extensions(self) -> list[Any]:
        """Objects whose ``prepare_args`` may replace an argument before a launch."""
        return self.targetoptions.setdefault("extensions", [])

    @property
    def nopython_signatures(self) -> list[signatures.Types]:
        """The explicit signatures."""
        return list(self.signatures)

    def compile(self, signature: Any) -> None:
        """Add an explicit signature, unless the kernel is specialized."""
        if not self.specialized:
            arguments, result = signatures.read(signature)
            if not self.targetoptions.get("device"):
                signatures.require_void(result)
                signatures.require_no_pointers(arguments)
            if arguments not in self.signatures:
                self.signatures.append(arguments)
            self.result_types[arguments] = result

    def check_signatures(self) -> None:
        """Compile for each signature, so that one that cannot be compiled is reported at once."""
        for kinds in self.signatures:
            prototypes = [prototype(kind) for kind in kinds]
            if None not in prototypes:
                entry.compiler()(self, prototypes)

    def specialize(self, *args: Any) -> Kernel:
        """The kernel for arguments of exactly these types."""
        if self.specialized:
            raise RuntimeError("Dispatcher already specialized")
        kinds = tuple(signatures.type_of(value) for value in args)
        if kinds not in self.specializations:
            found = Kernel(self.py_func, self.targetoptions)
            found.signatures, found.specialized = [kinds], True
            self.specializations[kinds] = found
        return self.specializations[kinds]

    def launch(
        self,
        args: tuple,
        grid: limits.Dim3,
        block: limits.Dim3,
        stream: Any = 0,
        sharedmem: int = 0,
        stacklevel: int = 3,
    ) -> None:
        """Run the kernel.

        Raises:
            LaunchError: No device accepts the configuration.
            CudaTypeError, CudaValueError: An argument that no kernel accepts.
            KernelHazardError: A GPU would have stopped the kernel, or it would never end.
        """
        name = self.py_func.__name__
        if self.targetoptions.get("device"):
            raise RuntimeError("Cannot compile a device function as a kernel")
        limits.require_launchable(name, grid, block, sharedmem)
        limits.require_bounds(name, block, self.targetoptions.get("launch_bounds"))
        taken = Arguments(name)
        arguments = self._take(taken, self._with_defaults(args), stream)
        taken.tell_implicit_copies(stacklevel + 1)
        self.last_trace = None
        run = entry.machine()
        trace = run(self, grid, block, sharedmem, arguments, trace=settings.trace)
        self.last_trace = trace
        hazards.tell(trace, stacklevel + 1)
        taken.copy_back()

    def _with_defaults(self, args: tuple) -> tuple:
        least, most = len(self._names) - len(self._defaults), len(self._names)
        if not least <= len(args) <= most:
            what = "not enough" if len(args) < least else "too many"
            raise CudaTypeError(
                f"{what} arguments for `{self.py_func.__name__}`: expected {most}, got {len(args)}",
                remedy=f"it takes {', '.join(self._names)}",
            )
        return args + self._defaults[len(self._defaults) - (most - len(args)) :]

    def _take(self, taken: Arguments, args: tuple, stream: Any) -> list[Argument]:
        extended = [self._extend(taken, value, stream) for value in args]
        kinds = self._kinds(extended)
        found = zip(extended, self._names, kinds, strict=True)
        return [taken.take(value, name, kind) for value, name, kind in found]

    def _extend(self, taken: Arguments, value: Any, stream: Any) -> Any:
        for extension in reversed(self.targetoptions.get("extensions") or ()):
            _, value = extension.prepare_args(None, value, stream=stream, retr=taken.write_backs)
        return value

    def _kinds(self, args: list[Any]) -> signatures.Types:
        """The types that a signature gives the arguments; None for each without signatures."""
        if not self.signatures:
            return (None,) * len(args)
        if self.specialized:
            (kinds,) = self.signatures
            if len(kinds) != len(args):
                raise CudaTypeError(
                    f"`{self.py_func.__name__}` has a signature of {len(kinds)} arguments, "
                    f"got {len(args)}"
                )
            return kinds
        given = tuple(signatures.type_of(value) for value in args)
        return signatures.choose(given, self.signatures, self.py_func.__name__)

    def __getattr__(self, name: str) -> Any:
        if name in _COMPILED_FACTS.split():
            raise CudaNotImplementedError(
                f"`{name}` is about compiled code, but the SIMT machine runs the source",
                remedy="gpuedu.lens asks the real compiler",
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class LaunchConfiguration:
    """A kernel with its grid and block: call it with the kernel's arguments."""

    def __init__(
        self,
        dispatcher: Kernel,
        griddim: limits.Dim3,
        blockdim: limits.Dim3,
        stream: Any,
        sharedmem: int,
    ) -> None:
        self.dispatcher = dispatcher
        self.griddim, self.blockdim = griddim, blockdim
        self.stream, self.sharedmem = stream, int(sharedmem)

    def __call__(self, *args: Any) -> None:
        """Launch."""
        with quiet_interrupts():
            self.dispatcher.launch(
                args, self.griddim, self.blockdim, self.stream, self.sharedmem, stacklevel=3
            )

    def __repr__(self) -> str:
        return f"<{self.dispatcher.__name__}[{self.griddim}, {self.blockdim}]>"


class ForAll:
    """A kernel to be launched with one thread for each task."""

    def __init__(
        self, dispatcher: Kernel, ntasks: int, tpb: int, stream: Any, sharedmem: int
    ) -> None:
        if ntasks < 0:
            raise CudaValueError(f"Can't create ForAll with negative task count: {ntasks}")
        self.dispatcher, self.ntasks = dispatcher, ntasks
        self.thread_per_block = tpb or _FORALL_BLOCK
        self.stream, self.sharedmem = stream, sharedmem

    def __call__(self, *args: Any) -> None:
        """Launch, unless there is nothing to do."""
        if self.ntasks == 0:
            return
        blocks = -(-self.ntasks // self.thread_per_block)
        configured = self.dispatcher._configure(
            blocks, self.thread_per_block, self.stream, self.sharedmem, stacklevel=4
        )
        with quiet_interrupts():
            self.dispatcher.launch(
                args, configured.griddim, configured.blockdim, self.stream, self.sharedmem
            )


def _parameters(py_func: Callable[..., Any]) -> tuple[tuple[str, ...], tuple]:
    """Names of the parameters, and the defaults of the last ones."""
    found = inspect.signature(py_func).parameters.values()
    empty = inspect.Parameter.empty
    return (
        tuple(parameter.name for parameter in found),
        tuple(parameter.default for parameter in found if parameter.default is not empty),
    )
