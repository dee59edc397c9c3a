"""An answer that is a kernel in CUDA C."""

from __future__ import annotations

from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer
from gpuedu.exercises.plain import describe


class RawKernelAnswer(Answer):
    """What ``cp.RawKernel`` made of CUDA C."""

    def require(self, given: Any) -> None:
        """Raise AnswerError where it is something else."""
        require_cuda_c(given, self.name)


def require_cuda_c(kernel: Any, name: str) -> None:
    """Raise AnswerError where a kernel is none of CUDA C; ``name`` is what the lesson calls it."""
    from gpuedu.simt.cuda_c import is_cuda_c

    if isinstance(kernel, type) or not is_cuda_c(kernel):
        raise AnswerError(
            f"`{name}` should be a kernel of CUDA C, got {describe(kernel)}",
            remedy=f'As it stands in the cell: `cp.RawKernel(code, "{name}")`.',
        )
