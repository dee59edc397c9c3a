"""What the real compiler makes of a kernel, without a GPU: registers, spills, instructions, types.

Numba's front end and NVIDIA's NVVM make PTX of a Python kernel, NVIDIA's NVRTC of one in CUDA C;
NVIDIA's ptxas makes machine code of it and reports what that needs. All of them run on any Linux
machine. Importing this package imports none of them.
"""

from gpuedu.compilers.errors import ArgumentTypeError, CompilerMissingError, KernelCompileError
from gpuedu.compilers.facts import CompiledFacts
from gpuedu.compilers.kernel import compiled_facts, inferred_types
from gpuedu.compilers.nvrtc import CheckedCudaC, CudaCProgram, check_cuda_c, compile_cuda_c
from gpuedu.compilers.nvrtc_errors import Complaint, CudaCError
from gpuedu.compilers.nvrtc_facts import compiled_facts_of_source
from gpuedu.compilers.nvrtc_kernels import KernelSignature, Parameter, kernel_signatures

__all__ = [
    "ArgumentTypeError",
    "CheckedCudaC",
    "CompiledFacts",
    "CompilerMissingError",
    "Complaint",
    "CudaCError",
    "CudaCProgram",
    "KernelCompileError",
    "KernelSignature",
    "Parameter",
    "check_cuda_c",
    "compile_cuda_c",
    "compiled_facts",
    "compiled_facts_of_source",
    "inferred_types",
    "kernel_signatures",
]
