"""What Triton's own compiler makes of a kernel: PTX, registers, shared memory. It needs no GPU."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from gpuedu.compilers import ptxas
from gpuedu.compilers.facts import CompiledFacts
from gpuedu.compilers.ptx import constant_bytes, instructions, instructions_by_line
from gpuedu.needs import has_package, missing
from gpuedu.triton.front_end import Types, refusal
from gpuedu.triton.launch import bind, warps_of


def compiled_facts(
    kernel: Any,
    threads: int,
    *arguments: Any,
    compute_capability: tuple[int, int] = (9, 0),
    **constants: Any,
) -> CompiledFacts:
    """Compile a kernel as a launch with these arguments would.

    Triton recompiles for other dtypes, for integers that are 1 or multiples of 16, and for other
    constants. Intermediate results go into Triton's cache folder.

    Args:
        kernel: What ``triton.jit`` made of a function.
        threads: Of a program: 32 times ``num_warps``.
        arguments: As for a launch: tensors, NumPy arrays, numbers.
        compute_capability: (major, minor) of the device to compile for.
        constants: Further arguments by name, and options such as ``num_stages``.

    Raises:
        KernelCompileError: Triton refuses the kernel.
        MissingPackageError: Triton is not installed.
    """
    from triton.compiler import compile

    kernel, types = typed(kernel, threads, arguments, constants, compute_capability)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = compile(types.source(kernel), target=types.target(), options=types.options)
    except Exception as fault:  # its errors have no common type
        raise refusal(kernel, fault) from None
    return _facts(kernel.fn.__name__, compute_capability, made.asm["ptx"], made.metadata.shared)


def typed(
    kernel: Any,
    threads: int,
    arguments: Sequence[Any],
    constants: Mapping[str, Any],
    compute_capability: tuple[int, int] = (9, 0),
) -> tuple[Any, Types]:
    """The innermost kernel, and what a compiler learns of its arguments; as ``compiled_facts``."""
    if not has_package("triton"):
        raise missing("triton")
    from triton.compiler import make_backend
    from triton.runtime.jit import JITFunction, create_function_from_signature

    while not isinstance(kernel, JITFunction):
        kernel = kernel.fn
    names = set(kernel.arg_names)
    options = {"num_warps": warps_of(threads), "enable_fp_fusion": True}
    options |= {name: value for name, value in constants.items() if name not in names}
    known = {name: value for name, value in constants.items() if name in names}
    given = bind(kernel.signature, kernel.fn.__name__, arguments, known)
    backend = make_backend(Types({}, {}, {}, {}, compute_capability).target())
    binder = create_function_from_signature(kernel.signature, kernel.params, backend)
    bound, specialization, _ = binder(**given, **options)
    _, *parts = kernel._pack_args(backend, options, bound, specialization, None)
    return kernel, Types(*parts, options, compute_capability)


def _facts(
    kernel: str, compute_capability: tuple[int, int], ptx: str, shared_bytes: int
) -> CompiledFacts:
    from triton import __version__
    from triton.backends.nvidia.compiler import get_ptxas

    path = get_ptxas(10 * compute_capability[0] + compute_capability[1]).path
    usage = asdict(ptxas.assemble(ptx, compute_capability, kernel=kernel, path=path))
    return CompiledFacts(
        kernel=kernel,
        compute_capability=compute_capability,
        constant_bytes=constant_bytes(ptx),
        instructions=instructions(ptx),
        by_line=instructions_by_line(ptx),
        ptx=ptx,
        compilers={"triton": __version__, "ptxas": ptxas.version(path)},
        **{**usage, "shared_bytes": shared_bytes},
    )
