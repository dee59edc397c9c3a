"""Triton's front end: it reads a kernel, and says what in it is not part of Triton's language.

Part of it is compiled, with assertions that end the process they fail in: see
``gpuedu.triton.worker``. Nothing here needs PyTorch, NumPy or a GPU.
"""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from gpuedu.compilers.errors import KernelCompileError
from gpuedu.triton.language import BUILTINS
from gpuedu.triton.suspicions import suspicion
from gpuedu.triton.texts import trees

_KNOWN = "builtin_namespace"
_WARP_SIZE = 32
"""As ``gpuedu.trace`` has it, which imports NumPy."""
_WRAPPED = re.compile(r"""\w+\((["'])(.+)\1\)""")
"""An exception inside Triton's compiler, as its front end hands it on."""
_OF_ITSELF = re.compile(
    r"AssertionError|We use SCF|incompatible function arguments|Cannot have `return`"
)
"""What it says of itself, or of the wrong line."""
_REMEDY = "Triton's language is a part of Python: see the line."


@dataclass(frozen=True)
class Types:
    """What a launch tells a compiler about a kernel's arguments, in plain values.

    Args:
        signature: The type of each by name, as Triton writes it: "*fp32", "i32", "constexpr".
        constants: The value of each constant, by its place.
        attributes: What else is known about an argument, such as that 16 divides it, by its place.
        options: Of the compiler, ``num_warps`` among them.
        compute_capability: (major, minor) of the device.
    """

    signature: dict[str, Any]
    constants: dict[tuple[int, ...], Any]
    attributes: dict[tuple[int, ...], Any]
    options: dict[str, Any]
    compute_capability: tuple[int, int] = (9, 0)

    def target(self) -> Any:
        """The device, as Triton names it."""
        from triton.backends.compiler import GPUTarget

        major, minor = self.compute_capability
        return GPUTarget("cuda", 10 * major + minor, _WARP_SIZE)

    def source(self, kernel: Any) -> Any:
        """The kernel with these types, as Triton's compiler takes it."""
        from triton.compiler import ASTSource

        return ASTSource(kernel, self.signature, self.constants, self.attributes)


def read(kernel: Any, types: Types) -> None:
    """Make the front end read a kernel, in some 20 ms; some kernels end this process.

    Raises:
        KernelCompileError: it does not accept it.
    """
    from triton._C.libtriton import ir
    from triton.compiler import make_backend
    from triton.compiler.code_generator import CodeGenerator

    backend = make_backend(types.target())
    options = backend.parse_options(types.options)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    functions, modules = backend.get_codegen_implementation(options), backend.get_module_map()
    own = CodeGenerator.builtin_namespace
    known = {name: own[name] for name in BUILTINS & own.keys()}
    try:
        # It prints what it does not take, and has functions that lead out of Triton's language.
        with redirect_stdout(io.StringIO()), patch.object(CodeGenerator, _KNOWN, known):
            types.source(kernel).make_ir(types.target(), options, functions, modules, context)
    except Exception as fault:  # its errors have no common type
        raise refusal(kernel, fault) from None


def refusal(kernel: Any, fault: Exception) -> KernelCompileError:
    """What Triton's compiler says about a kernel that it does not accept, and about which line."""
    cause = fault
    while cause.__cause__ is not None:
        cause = cause.__cause__  # the innermost says what, the outer ones where it was called
    told = (str(cause) or "what is there is not part of its language").strip().splitlines()[-1]
    wrapped = _WRAPPED.fullmatch(told)
    told = wrapped[2] if wrapped else told
    node = getattr(fault, "node", None)
    line = kernel.def_file_line_number + node.lineno - 1 if node is not None else None
    suspected = suspicion(trees(kernel)) if _OF_ITSELF.search(told) else None
    if suspected is not None:
        return refused(kernel, suspected.told, suspected.line, suspected.remedy)
    return refused(kernel, told, line)


def refused(
    kernel: Any, told: str, line: int | None = None, remedy: str = _REMEDY
) -> KernelCompileError:
    """What is wrong with a kernel, on a line of its file or cell, as an error."""
    place = f" in line {line}" if line else ""
    message = f"Triton does not compile `{kernel.fn.__name__}`{place}: {told}"
    return KernelCompileError(message, line=line, remedy=remedy)
