"""The front end for CUDA C: source text becomes the same program form as Python kernels.

From a text to what it declares:

- ``preprocess``, ``directives``: macros and includes, lines kept; ``parentheses``, ``syntax``: the
  tree, and what refuses it; ``nodes``: what can be asked of a tree; ``parser``, ``web_parser``,
  ``web_nodes``: what makes it.
- ``types``, ``declarations``: C's types, and the declarations that name them.
- ``module``, ``outline``, ``structures``: what one source text holds, and how it is read;
  ``constants``, ``whole_numbers``, ``memory``: its numbers known beforehand, and its device memory.

From a kernel to a program, with ``lowerer`` for the state on the way, and ``dispatch`` for the
tables in which modules enter what they lower (an expression may hold any other, a statement a loop,
an extent an expression):

- ``expressions``, ``literals``, ``casts``, ``type_names``, ``initializers``, ``assignments``:
  values; ``folding``, ``conversions``, ``operators``: their arithmetic.
- ``places``, ``lvalues``: what can be assigned; ``variables``, ``views``, ``access``: registers,
  memory, and how both are read and written; ``reinterpretation``, ``bits``: bits as another type,
  and ``memcpy``.
- ``calls``, ``source_calls``, ``device_functions``, ``parameters``, ``instances``: calls, inlining,
  templates; ``frames``, ``lambdas``: what the names in a function stand for, and lambdas;
  ``choosing``, ``methods``: functions of structures and operators, which one is meant, and what
  it does; ``construction``: new objects; ``copies``, ``objects``: those with arrays in them, which
  live in local memory.
- ``statements``, ``locals``: what a body does and declares; ``loops``, ``counting``, ``switches``,
  ``changes``: control flow, and what it carries.
- ``functions``, ``prototypes``, ``half_functions``, ``bfloats``, ``pairs``: CUDA's functions of
  numbers; ``pointer_functions``: those with results through pointers; ``type_traits``: C++'s types;
  ``threads``, ``atomics``, ``printing``: those of threads together; ``fragments``,
  ``matrix_functions``: the matrices that a warp holds; ``group_types``, ``groups``: cooperative
  groups.
- ``arguments``, ``compile``: from a source text, a kernel's name and arguments to a program.

The source is read, never run. What the real compiler refuses is refused first, in its own words,
where it is installed; what it accepts and this front end does not cover is refused with line and
construct, if the launched kernel reaches it. Simplified: floating-point contraction (``a * b + c``
in one rounding) is not modeled; ``volatile`` and ``#pragma unroll`` change nothing; no time passes,
so ``clock64`` gives a few more cycles at each reading; a variable lives in registers unless its
address is taken.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# The parser is not on every machine that runs kernels in Python, so nothing is imported unasked.
_HOME = {
    "CudaCKernel": "compile",
    "KernelArgumentError": "arguments",
    "as_cuda_c": "compile",
    "compile_cuda_c": "compile",
    "fitted": "arguments",
    "prepare": "web_parser",
    "signature": "compile",
}

__all__ = [*_HOME, "is_cuda_c"]


def is_cuda_c(kernel: Any) -> bool:
    """True if a kernel is in CUDA C: ours, or an object like CuPy's ``RawKernel``."""
    return all(isinstance(getattr(kernel, name, None), str) for name in ("code", "name"))


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
