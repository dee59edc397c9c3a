"""What Triton's own compiler makes of a kernel: PTX, registers, shared memory. It needs no GPU."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass
from typing import Any

from gpuedu.compilers import ptxas
from gpuedu.compilers.errors import KernelCompileError
from gpuedu.compilers.facts import CompiledFacts
from gpuedu.compilers.ptx import constant_bytes, instructions, instructions_by_line
from gpuedu.needs import has_package, missing
from gpuedu.trace import WARP_SIZE
from gpuedu.triton.launch import bind, warps_of

_WRAPPED = re.compile(r"""\w+\((["'])(.+)\1\)""")
"""An exception inside Triton's compiler, as its front end hands it on."""


def compiled_facts(
    kernel: Any,
    threads: int,
    *arguments: Any,
    compute_capability: tuple[int, int] = (9, 0),
    **constants: Any,
) -> CompiledFacts:
    """Compile a kernel as a launch with these arguments would.

    Triton compiles anew for other dtypes, for integers that are 1 or multiples of 16, and for other
    constants. Intermediate results lie in Triton's cache folder.

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

    kernel, read = _read(kernel, threads, arguments, constants, compute_capability)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = compile(read.source, target=read.target, options=vars(read.options))
    except Exception as fault:  # its errors have no common type
        raise _refusal(kernel, fault) from None
    return _facts(kernel.fn.__name__, compute_capability, made.asm["ptx"], made.metadata.shared)


def require_taken(kernel: Any, threads: int, *arguments: Any, **constants: Any) -> None:
    """Raise KernelCompileError where Triton's compiler does not take a kernel of these arguments.

    Its front end alone reads the kernel, some 20 ms: types, shapes, and what of Python it knows.
    The interpreter runs any Python, such as a tuple that grows from turn to turn.

    Args:
        kernel: What ``triton.jit`` made of a function.
        threads: Of a program: 32 times ``num_warps``.
        arguments: As for a launch: tensors, NumPy arrays, numbers.
        constants: Further arguments by name.
    """
    kernel, read = _read(kernel, threads, arguments, constants, (9, 0))
    try:
        with redirect_stdout(io.StringIO()):  # it prints what it does not take
            read.intermediate()
    except Exception as fault:  # its errors have no common type
        raise _refusal(kernel, fault) from None


@dataclass(frozen=True)
class _Read:
    """A kernel and the types of its arguments, for a device."""

    source: Any
    target: Any
    options: Any
    backend: Any

    def intermediate(self) -> Any:
        """What Triton's front end makes of it."""
        from triton._C.libtriton import ir

        context = ir.context()
        ir.load_dialects(context)
        self.backend.load_dialects(context)
        functions = self.backend.get_codegen_implementation(self.options)
        modules = self.backend.get_module_map()
        return self.source.make_ir(self.target, self.options, functions, modules, context)


def _read(
    kernel: Any,
    threads: int,
    arguments: Sequence[Any],
    constants: Mapping[str, Any],
    compute_capability: tuple[int, int],
) -> tuple[Any, _Read]:
    """The innermost kernel, and what a compiler is given."""
    if not has_package("triton"):
        raise missing("triton")
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, make_backend
    from triton.runtime.jit import JITFunction, create_function_from_signature

    while not isinstance(kernel, JITFunction):
        kernel = kernel.fn
    names = set(kernel.arg_names)
    options = {"num_warps": warps_of(threads), "enable_fp_fusion": True}
    options |= {name: value for name, value in constants.items() if name not in names}
    known = {name: value for name, value in constants.items() if name in names}
    given = bind(kernel.signature, kernel.fn.__name__, arguments, known)
    target = GPUTarget("cuda", 10 * compute_capability[0] + compute_capability[1], WARP_SIZE)
    backend = make_backend(target)
    binder = create_function_from_signature(kernel.signature, kernel.params, backend)
    bound, specialization, _ = binder(**given, **options)
    parsed, *parts = kernel._pack_args(backend, options, bound, specialization, None)
    return kernel, _Read(ASTSource(kernel, *parts), target, parsed, backend)


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


def _refusal(kernel: Any, fault: Exception) -> KernelCompileError:
    cause = fault
    while cause.__cause__ is not None:
        cause = cause.__cause__  # the innermost says what, the outer ones where it was called
    told = (str(cause) or "what is there is not of its language").strip().splitlines()[-1]
    wrapped = _WRAPPED.fullmatch(told)
    told = wrapped[2] if wrapped else told
    node = getattr(fault, "node", None)
    line = kernel.def_file_line_number + node.lineno - 1 if node is not None else None
    place = f" in line {line}" if line else ""
    return KernelCompileError(
        f"Triton does not compile `{kernel.fn.__name__}`{place}: {told}",
        remedy="Triton's language is a part of Python: see the line.",
    )
