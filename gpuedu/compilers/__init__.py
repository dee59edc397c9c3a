"""What the real compiler makes of a kernel, without a GPU: registers, spills, instructions, types.

Numba's front end and NVIDIA's NVVM make PTX, NVIDIA's ptxas makes machine code of it and reports
what that needs; all of them run on any Linux machine. Importing this package imports none of them.
"""

from gpuedu.compilers.errors import ArgumentTypeError, CompilerMissingError, KernelCompileError
from gpuedu.compilers.facts import CompiledFacts
from gpuedu.compilers.kernel import compiled_facts, inferred_types

__all__ = [
    "ArgumentTypeError",
    "CompiledFacts",
    "CompilerMissingError",
    "KernelCompileError",
    "compiled_facts",
    "inferred_types",
]
