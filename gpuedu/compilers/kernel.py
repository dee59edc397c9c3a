"""The two questions to the real compiler: what it makes of a kernel, and how it types it."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from gpuedu.compilers import ptxas, recorded, storage
from gpuedu.compilers.argument_types import argument_types as read_types
from gpuedu.compilers.argument_types import to_numba
from gpuedu.compilers.facts import CompiledFacts
from gpuedu.compilers.fingerprint import fingerprint
from gpuedu.compilers.frontend import compile_to_ptx, require_compiler
from gpuedu.compilers.nvrtc_facts import facts_of_raw_kernel, is_raw_kernel
from gpuedu.compilers.ptx import constant_bytes, instructions, instructions_by_line
from gpuedu.compilers.rebinding import python_function
from gpuedu.compilers.source_key import content_of

_FORMAT = 1  # of the stored records and of what the digest covers
_PACKAGES = ("numba", "numba-cuda", "llvmlite")


def compiled_facts(
    function: Callable[..., Any],
    argument_types: Iterable[Any] = (),
    *,
    compute_capability: tuple[int, int] = (9, 0),
    fastmath: bool | None = None,
    lineinfo: bool = True,
    max_registers: int | None = None,
) -> CompiledFacts:
    """Compile a kernel with NVIDIA's compiler and say what it became. No GPU is needed.

    Results are kept in the user's cache folder, by the content of the kernel: a kernel that was
    compiled before takes milliseconds. Where there is no compiler, the course's own kernels have
    recorded facts (``recorded``).

    Args:
        function: a plain Python function, a kernel of ``@cuda.jit`` or of the SIMT machine, or a
            kernel in CUDA C: a RawKernel, by its ``code``, ``name`` and ``options``.
        argument_types: one for each argument: ``"float32[:, ::1]"``, ``(dtype, ndim, layout)``,
            a type of Numba, or a value of the type, such as an array or a number. Left out for a
            kernel in CUDA C, which states them itself.
        compute_capability: (major, minor) of the device to compile for.
        fastmath: whether to trade accuracy for speed; None means what the decorator says.
        lineinfo: whether ``by_line`` is wanted.
        max_registers: registers of a thread at most; None means what the decorator says.

    Raises:
        CompilerMissingError: a part of the compiler is not installed.
        KernelCompileError: the compiler refuses the kernel; a ``CudaCError`` for CUDA C.
        ArgumentTypeError: an argument type is not valid.
    """
    if is_raw_kernel(function):
        return facts_of_raw_kernel(
            function,
            fastmath=fastmath,
            compute_capability=compute_capability,
            lineinfo=lineinfo,
            max_registers=max_registers,
        )
    plain, kinds = python_function(function), read_types(argument_types)
    options = _options(function, fastmath)
    if max_registers is None:
        max_registers = getattr(function, "targetoptions", {}).get("max_registers")
    settings = [list(compute_capability), options, lineinfo, max_registers]
    return recorded.facts_or_recorded(
        lambda: _recorded_key(plain, kinds, settings),
        lambda: _compiled(plain, kinds, *settings),
        plain.__code__.co_firstlineno,
    )


def _recorded_key(plain: Callable[..., Any], kinds: Iterable[Any], settings: list) -> str | None:
    content = content_of(plain)
    return content and recorded.digest("python", content, list(map(str, kinds)), settings)


def _compiled(
    plain: Callable[..., Any],
    kinds: tuple[Any, ...],
    compute_capability: list[int],
    options: dict[str, Any],
    lineinfo: bool,
    max_registers: int | None,
) -> CompiledFacts:
    """The facts from the compiler, or kept from an earlier session."""
    require_compiler()
    path = ptxas.find_ptxas()
    tools = _versions() | {"ptxas": ptxas.version(path)}
    settings = [compute_capability, options, lineinfo, max_registers, tools, _FORMAT]
    key = fingerprint(plain, [str(kind) for kind in kinds], settings)
    facts = storage.load(key) if key else None
    if facts is None:
        capability = tuple(compute_capability)
        ptx = compile_to_ptx(plain, to_numba(kinds), capability, options=options, lineinfo=lineinfo)
        name = plain.__name__
        usage = ptxas.assemble(ptx, capability, kernel=name, path=path, max_registers=max_registers)
        facts = _facts(name, capability, ptx, usage, tools)
        if key:
            storage.store(key, facts)
    return facts


def _options(function: Any, fastmath: bool | None) -> dict[str, Any]:
    """Options of Numba's compiler, those that the kernel's decorator has included."""
    declared = getattr(function, "targetoptions", {})
    options = {"fastmath": bool(declared.get("fastmath") if fastmath is None else fastmath)}
    for name in ("opt", "launch_bounds"):
        if declared.get(name) is not None:
            options[name] = declared[name]
    return options


@cache
def _versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = ""
    return found


def _facts(
    kernel: str,
    compute_capability: tuple[int, int],
    ptx: str,
    usage: ptxas.Usage,
    tools: dict[str, str],
) -> CompiledFacts:
    return CompiledFacts(
        kernel=kernel,
        compute_capability=compute_capability,
        constant_bytes=constant_bytes(ptx),
        instructions=instructions(ptx),
        by_line=instructions_by_line(ptx),
        ptx=ptx,
        compilers=tools,
        **asdict(usage),
    )
