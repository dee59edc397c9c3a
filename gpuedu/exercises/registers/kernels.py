"""Ask a learner's factory for its kernel, and the real compiler for what becomes of a kernel."""

from __future__ import annotations

from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe
from gpuedu.exercises.registers.products import FLOAT32_MATRICES, compiled_of


def tile_kernel(make_matmul: Any, t: int) -> Any:
    """The kernel that the learner's ``make_matmul`` makes for t x t sums a thread.

    Raises:
        AnswerError: It returns no kernel.
    """
    kernel = make_matmul(t, 16 * t)
    if not hasattr(kernel, "py_func"):
        raise AnswerError(
            f"`make_matmul({t}, {16 * t})` should return the kernel, got {describe(kernel)}",
            remedy="`return matmul`, on the level of the `def` inside, without parentheses.",
        )
    return kernel


def compiled_tile(kernel: Any) -> dict[str, Any]:
    """What the compiler makes of a Numba kernel ``matmul(a, b, c)``, as plain values."""
    from gpuedu.compilers import compiled_facts

    return compiled_of(lambda: compiled_facts(kernel, FLOAT32_MATRICES, lineinfo=False))


def compiled_cuda_c(kernel: Any) -> dict[str, Any]:
    """The same for a kernel of CUDA C."""
    from gpuedu.compilers import compiled_facts

    return compiled_of(lambda: compiled_facts(kernel, lineinfo=False))
