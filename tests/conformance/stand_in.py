"""Puts the SIMT machine in the place of Numba-CUDA's simulator, before its tests are imported.

The suite is written against module paths. With ``NUMBA_ENABLE_CUDASIM=1`` those lead to the
simulator; here its public names are replaced by ours, and the errors and warnings that tests expect
by those of ours that say the same.
"""

from __future__ import annotations

import builtins
import ctypes
import itertools
import linecache
import sys
from types import ModuleType, SimpleNamespace
from typing import Any


def install() -> None:
    """Replace the simulator; to be called once, before a test module is imported."""
    import numba.cuda
    import numba.cuda.simulator
    import numba.cuda.testing

    from gpuedu.simt.host import cuda

    numba.cuda.testing.skip_on_cudasim = _do_not_skip
    for target in (numba.cuda, numba.cuda.simulator):
        _rename(target, cuda)
    _errors(numba.cuda)
    _device_arrays(numba.cuda)
    _settings(numba.cuda.config)
    _random()
    _no_heap()
    _keep_source()


def _do_not_skip(reason: str) -> Any:
    """What the simulator must skip, the machine may well do."""
    return lambda test: test


def _keep_source() -> None:
    """Keep the text that is given to ``exec`` and ``python -c``: the machine runs source text."""
    run = builtins.exec
    numbers = itertools.count()

    def keep(text: str, name: str) -> None:
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)

    def kept(source: Any, globals: dict | None = None, locals: Any = None, /) -> None:
        frame = sys._getframe(1)
        if globals is None:
            globals, locals = frame.f_globals, frame.f_locals
        if isinstance(source, str):
            name = f"<exec {next(numbers)}>"
            keep(source, name)
            source = compile(source, name, "exec")
        run(source, globals, globals if locals is None else locals)

    builtins.exec = kept
    if "-c" in sys.orig_argv:
        keep(sys.orig_argv[sys.orig_argv.index("-c") + 1], "<string>")


def _rename(target: ModuleType, ours: ModuleType) -> None:
    keep = {"annotations", "types", "random", "implementation"}
    for name, value in vars(ours).items():
        if not name.startswith("_") and name not in keep:
            setattr(target, name, value)


def _errors(package: ModuleType) -> None:
    """The classes that tests expect, by those that the machine raises and warns of."""
    import numba.core.errors as core
    import numba.cuda.core.errors as ours
    import numba.cuda.cudadrv.driver as driver
    from cuda.core._utils import cuda_utils

    from gpuedu.errors import GpueduError, KernelSourceError
    from gpuedu.simt.host import decorators, entry, errors
    from gpuedu.simt.python import variables

    for module in (core, ours):
        module.NumbaPerformanceWarning = errors.CudaPerformanceWarning
        module.NumbaInvalidConfigWarning = decorators.CudaConfigurationWarning
        module.DeprecationError = errors.CudaTypeError
    driver.CudaAPIError = cuda_utils.CUDAError = errors.LaunchError
    variables.KernelHazardWarning = type(
        "KernelHazardWarning", (errors.KernelHazardWarning, ours.NumbaWarning), {}
    )
    bases = (module.TypingError for module in (core, ours))

    class RefusedError(KernelSourceError, *bases, ours.LoweringError, ours.UnsupportedError):
        """A kernel that cannot be compiled, as any of the classes that Numba has for it."""

        def __init__(self, fault: KernelSourceError) -> None:
            self.fault = fault
            self.message, self.remedy = fault.message, fault.remedy
            Exception.__init__(self, str(fault))

        __str__ = GpueduError.__str__

    RefusedError.__module__, RefusedError.__qualname__ = "gpuedu.errors", "KernelSourceError"
    entry.machine = _noting_types(_translating(entry.machine, RefusedError))
    entry.compiler = _translating(entry.compiler, RefusedError)


def _translating(entry: Any, refused: Any) -> Any:
    from gpuedu.errors import KernelSourceError

    def translated() -> Any:
        call = entry()

        def inside(*arguments: Any, **named: Any) -> Any:
            try:
                return call(*arguments, **named)
            except KernelSourceError as fault:
                raise refused(fault) from fault

        return inside

    return translated


def _noting_types(entry: Any) -> Any:
    """Numba keeps one overload for each set of argument types that a kernel was launched with."""
    from gpuedu.simt.arguments import kind_of_argument
    from gpuedu.simt.host.kernels import Kernel

    Kernel.overloads = property(lambda self: vars(self).setdefault("_overloads", {}))

    def noting() -> Any:
        call = entry()

        def inside(kernel: Any, grid: Any, block: Any, shared: int, given: list, **named: Any):
            kernel.overloads[tuple(map(kind_of_argument, given))] = kernel
            return call(kernel, grid, block, shared, given, **named)

        return inside

    return noting


def _device_arrays(package: ModuleType) -> None:
    """The internal module of device arrays, from which tests take classes and helpers."""
    from gpuedu.simt.host import arrays, device_array, device_memory, streams

    module = sys.modules["numba.cuda.cudadrv.devicearray"]
    for name, value in {
        "DeviceNDArray": device_array.DeviceNDArray,
        "DeviceNDArrayBase": device_memory.DeviceArrayBase,
        "DeviceRecord": device_array.DeviceRecord,
        "FakeCUDAArray": device_memory.DeviceArrayBase,
        "auto_device": arrays.auto_device,
        "from_array_like": lambda ary, stream=0: arrays.device_array(
            ary.shape, ary.dtype, ary.strides
        ),
        "from_record_like": lambda rec, stream=0: arrays.auto_device(rec, copy=False)[0],
        "is_cuda_ndarray": lambda obj: getattr(obj, "__cuda_ndarray__", False),
    }.items():
        setattr(module, name, value)
    base = device_memory.DeviceArrayBase
    base.gpu_data = property(lambda self: self.device_view.buffer)
    base.device_ctypes_pointer = property(lambda self: ctypes.c_void_p(self.device_view.address))
    sys.modules["numba.cuda.cudadrv.driver"].Stream = streams.Stream
    package.devicearray = module
    package._auto_device = arrays.auto_device


def _settings(config: Any) -> None:
    """Our switches follow Numba's, which tests turn."""
    from gpuedu.simt.host import arguments, decorators, kernels
    from gpuedu.simt.python import reductions

    class Followed:
        trace = True
        warn_on_implicit_copy = property(lambda self: bool(config.CUDA_WARN_ON_IMPLICIT_COPY))
        low_occupancy_warnings = property(lambda self: bool(config.CUDA_LOW_OCCUPANCY_WARNINGS))
        debug = property(lambda self: bool(config.CUDA_DEBUGINFO_DEFAULT))
        optimize = property(lambda self: bool(config.OPT))
        runtime = property(lambda self: bool(config.CUDA_ENABLE_NRT))

    arguments.settings = kernels.settings = decorators.settings = Followed()
    reductions.settings = arguments.settings


def _no_heap() -> None:
    """Tests that look for leaks ask how much kernels have allocated: nothing, there is no heap."""
    from numba.cuda.memory_management.nrt import rtsys

    none = SimpleNamespace(alloc=0, free=0, mi_alloc=0, mi_free=0)
    rtsys.get_allocation_stats = lambda stream=None: none
    rtsys.memsys_enable_stats = rtsys.memsys_disable_stats = lambda stream=None: None


def _random() -> None:
    """Making states is the host's work, and slow under the simulator; draws keep their names."""
    import numba.cuda.random as theirs

    from gpuedu.simt.host import random as ours

    for name in ("create_xoroshiro128p_states", "init_xoroshiro128p_states"):
        setattr(theirs, name, getattr(ours, name))
