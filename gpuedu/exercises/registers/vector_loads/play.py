"""vector-loads: beside the learner's code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Inputs, Play
from gpuedu.exercises.kernels.raw_kernel import RawKernelAnswer
from gpuedu.exercises.registers.kernels import compiled_cuda_c
from gpuedu.exercises.registers.products import run_product, seen_of


def play_vector_loads(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """The same for a kernel of CUDA C, which is told the sizes."""
    (matmul,) = answers
    (m, k), n = inputs["a"].shape, inputs["b"].shape[1]
    with _own_parameters_told():
        sizes = (np.int32(m), np.int32(n), np.int32(k))
        trace = run_product(matmul, 64, inputs, *sizes)
    seen = seen_of(trace, inputs)
    return {**seen, **(compiled_cuda_c(matmul) if inputs["compile"] else {})}


@contextmanager
def _own_parameters_told() -> Iterator[None]:
    """The launch is the exercise's: where an argument does not fit, the parameter is to change."""
    try:
        yield
    except AnswerError as fault:
        if not fault.message.startswith(("argument ", "`matmul` takes ")):
            raise
        raise AnswerError(
            "its parameters do not fit the launch: " + fault.message.partition(", and got ")[0],
            remedy="As it stands in the cell: three arrays of float, then three int.",
        ) from None


PLAY = Play(
    (RawKernelAnswer("matmul"),),
    play_vector_loads,
    time_limit_s=30.0,
    on_machine=True,
    compiles_kernel=True,
)
