"""Numba's compiler, from a Python function to PTX or to inferred types, without a device."""

from __future__ import annotations

import importlib.util
import os
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from gpuedu.compilers.complaints import explain
from gpuedu.compilers.errors import CompilerMissingError, require_known_system
from gpuedu.compilers.numba_cuda import load_numba_cuda
from gpuedu.compilers.ptx import unresolved
from gpuedu.compilers.rebinding import for_numba

_COMPILING = threading.RLock()


def require_compiler() -> None:
    """Check that Numba's CUDA compiler is installed, without importing it.

    Raises:
        CompilerMissingError: it is not, or Numba's simulator takes its place.
    """
    require_known_system()
    if importlib.util.find_spec("numba_cuda") is None:
        raise CompilerMissingError(
            "numba-cuda, Numba's compiler for GPUs, is not installed",
            remedy="pip install 'numba-cuda[cu12]'",
        )
    if os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0"):
        raise CompilerMissingError(
            "NUMBA_ENABLE_CUDASIM is set, so Numba simulates kernels and compiles none",
            remedy="unset NUMBA_ENABLE_CUDASIM and restart Python",
        )


def compile_to_ptx(
    function: Callable[..., Any],
    kinds: tuple[Any, ...],
    compute_capability: tuple[int, int],
    *,
    options: dict[str, Any],
    lineinfo: bool,
) -> str:
    """The PTX of a kernel and everything that it calls.

    Where the kernel calls functions that Numba keeps as CUDA C++ (half precision, for one), all
    parts are linked and optimized as one program, as Numba does before a launch; such a text has
    no line information.

    Args:
        function: a plain Python function.
        kinds: Numba's argument types.
        compute_capability: (major, minor).
        options: further options of Numba's ``compile_ptx``.
        lineinfo: whether the text should say which line each instruction is from.

    Raises:
        KernelCompileError: Numba refuses the kernel.
        CompilerMissingError: a library of NVIDIA's compiler is not installed.
    """
    from numba import cuda

    twin, files = for_numba(function)
    with _one_compilation(function, files, compute_capability):
        ptx, _ = cuda.compile_ptx(twin, kinds, cc=compute_capability, **options)
        if unresolved(ptx):
            return _linked(twin, kinds, compute_capability, options)
        if lineinfo:
            # Not at once: parts of Numba's library would be kept with line information, in a
            # version that NVIDIA's parts do not link with.
            ptx, _ = cuda.compile_ptx(twin, kinds, cc=compute_capability, lineinfo=True, **options)
        return ptx


@contextmanager
def _one_compilation(
    function: Callable[..., Any], files: set[str], compute_capability: tuple[int, int]
) -> Iterator[None]:
    """One compilation at a time, its warnings kept, its complaints explained.

    A kernel that calls device functions makes Numba ask the current device for its compute
    capability; the answer given here needs no device.
    """
    load_numba_cuda()
    import numba.cuda.dispatcher as dispatcher

    stated = SimpleNamespace(compute_capability=compute_capability)
    with _COMPILING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        original = dispatcher.get_current_device
        dispatcher.get_current_device = lambda: stated
        try:
            yield
        except Exception as fault:
            raise explain(fault, function, files) from None
        finally:
            dispatcher.get_current_device = original


def _linked(
    function: Callable[..., Any],
    kinds: tuple[Any, ...],
    compute_capability: tuple[int, int],
    options: dict[str, Any],
) -> str:
    """PTX of the kernel and its CUDA C++ parts as one program, by NVIDIA's nvJitLink."""
    from cuda.core import Linker, LinkerOptions, ObjectCode
    from numba.cuda.compiler import compile_all

    major, minor = compute_capability
    parts, _ = compile_all(
        function, kinds, device=False, abi="numba", output="ltoir", cc=(major, minor), **options
    )
    objects = [
        part if isinstance(part, ObjectCode) else ObjectCode.from_ltoir(part) for part in parts
    ]
    chosen = LinkerOptions(arch=f"sm_{major}{minor}", link_time_optimization=True, ptx=True)
    code = Linker(*objects, options=chosen).link("ptx").code
    return bytes(code).rstrip(b"\0").decode()
