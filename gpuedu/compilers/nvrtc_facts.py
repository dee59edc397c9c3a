"""What the real compiler makes of one kernel of a CUDA C source."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from gpuedu.compilers import ptxas, recorded, storage
from gpuedu.compilers.facts import CompiledFacts
from gpuedu.compilers.nvrtc import compile_cuda_c
from gpuedu.compilers.nvrtc_library import version
from gpuedu.compilers.nvrtc_log import SOURCE_NAME
from gpuedu.compilers.nvrtc_options import compiler_options, content_key
from gpuedu.compilers.ptx import constant_bytes, instructions, instructions_by_line
from gpuedu.compilers.ptx_parts import only_kernel

_MOST_REGISTERS = re.compile(r"--?maxrregcount=(\d+)")


def compiled_facts_of_source(
    code: str,
    name: str,
    *,
    options: Sequence[str] = (),
    compute_capability: tuple[int, int] = (9, 0),
    lineinfo: bool = True,
    max_registers: int | None = None,
    is_expression: bool = False,
) -> CompiledFacts:
    """Compile a CUDA C source as CuPy would and say what one of its kernels became.

    No GPU is needed. Results are kept in the user's cache folder, by content; where there is no
    compiler, the course's own kernels have recorded facts (``recorded``). The counts are of the
    kernel and of the functions that it calls.

    Args:
        code: CUDA C, as given to CuPy's RawKernel or RawModule.
        name: the kernel's name, or a name expression, such as ``"scale<float>"``.
        options: as given to CuPy.
        compute_capability: (major, minor) of the device to compile for.
        lineinfo: whether ``by_line`` is wanted; its lines are counted in ``code``, from 1.
        max_registers: registers of a thread at most; None means what the options say.
        is_expression: whether ``name`` is a name expression even though it looks like a plain name.

    Raises:
        CudaCError: the compiler refuses the source, or it has no such kernel.
        KernelCompileError: the assembler refuses the kernel.
        CompilerMissingError: a part of the compiler is not installed.
    """
    if max_registers is None:
        max_registers = _stated_registers(options)
    expressions = (name,) if is_expression or not name.isidentifier() else ()
    settings = (tuple(options), expressions, compute_capability, lineinfo, max_registers)
    return recorded.facts_or_recorded(
        lambda: recorded.digest("cuda-c", recorded.plain_source(code), name, settings),
        lambda: _compiled(code, name, *settings),
    )


def _compiled(
    code: str,
    name: str,
    options: Sequence[str],
    expressions: Sequence[str],
    compute_capability: tuple[int, int],
    lineinfo: bool,
    max_registers: int | None,
) -> CompiledFacts:
    """The facts from the compiler, or kept from an earlier session."""
    path = ptxas.find_ptxas()
    tools = {"nvrtc": version(), "ptxas": ptxas.version(path)}
    given = compiler_options(options, compute_capability)
    parts = [*given, f"lineinfo={lineinfo}", f"registers={max_registers}", *tools.values()]
    key = content_key("cuda-c facts", code, [*parts, name], expressions)
    facts = storage.load(key)
    if facts is None:
        program = compile_cuda_c(
            code,
            options=options,
            name_expressions=expressions,
            compute_capability=compute_capability,
            lineinfo=lineinfo,
        )
        ptx = only_kernel(program.ptx, program.kernel(name).name)
        usage = ptxas.assemble(
            ptx, compute_capability, kernel=name, path=path, max_registers=max_registers
        )
        facts = CompiledFacts(
            kernel=name,
            compute_capability=compute_capability,
            constant_bytes=constant_bytes(ptx),
            instructions=instructions(ptx),
            by_line=instructions_by_line(ptx, SOURCE_NAME),
            ptx=ptx,
            compilers=tools,
            **asdict(usage),
        )
        storage.store(key, facts)
    return facts


def is_raw_kernel(kernel: Any) -> bool:
    """Whether an object is a kernel in CUDA C, like a RawKernel: with code, name and options."""
    return isinstance(getattr(kernel, "code", None), str) and isinstance(
        getattr(kernel, "name", None), str
    )


def facts_of_raw_kernel(kernel: Any, *, fastmath: bool | None, **settings: Any) -> CompiledFacts:
    """``compiled_facts_of_source`` for such an object."""
    options = tuple(getattr(kernel, "options", ()) or ())
    if fastmath:
        options = (*options, "--use_fast_math")
    return compiled_facts_of_source(
        kernel.code,
        kernel.name,
        options=options,
        is_expression=bool(getattr(kernel, "is_expression", False)),
        **settings,
    )


def _stated_registers(options: Sequence[str]) -> int | None:
    found = [match for option in options if (match := _MOST_REGISTERS.fullmatch(option))]
    return int(found[-1][1]) if found else None
