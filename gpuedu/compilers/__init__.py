"""What the real compiler makes of a kernel, without a GPU: registers, spills, instructions, types.

Numba's front end and NVIDIA's NVVM turn a Python kernel into PTX, and NVIDIA's NVRTC one in CUDA C;
NVIDIA's ptxas turns that into machine code and reports what it needs. All of them run on any Linux
machine. Importing this package imports none of them, and only those of its own modules that are
asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "ArgumentTypeError": "errors",
    "CheckedCudaC": "nvrtc",
    "CompiledFacts": "facts",
    "CompilerMissingError": "errors",
    "Complaint": "nvrtc_errors",
    "CudaCError": "nvrtc_errors",
    "CudaCProgram": "nvrtc",
    "KernelCompileError": "errors",
    "KernelSignature": "nvrtc_kernels",
    "Parameter": "nvrtc_kernels",
    "check_cuda_c": "nvrtc",
    "check_kernel": "nvrtc",
    "compile_cuda_c": "nvrtc",
    "compiled_facts": "kernel",
    "compiled_facts_of_source": "nvrtc_facts",
    "kernel_signatures": "nvrtc_kernels",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
