"""Launch a learner's matmul on tensor cores and tell what was seen of it, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.kernels.launching import observe, run_kernel
from gpuedu.trace import Trace

SIDE = 16
"""Rows and columns of a tile; a warp, alone in its block, makes one tile of ``c``."""

LANES = 32
TENSOR = "tensor float16"
"""The name of tensor cores' operations on half in a trace."""

_TURNS = 20_000
_PRODUCT = "wmma.mma"


def run_product(matmul: Any, inputs: Mapping[str, Any], watch: Sequence[int] = ()) -> Trace:
    """Launch the kernel with a warp for each tile of ``c``; the arrays are changed in place.

    Raises:
        AnswerError: It cannot be compiled or launched.
    """
    a, b, c = (inputs[name] for name in ("a", "b", "c"))
    (m, k), n = a.shape, b.shape[1]
    sizes = (np.int32(m), np.int32(n), np.int32(k))
    grid = (n // SIDE, m // SIDE)
    return run_kernel(matmul, grid, LANES, a, b, c, *sizes, watch=watch, max_turns=_TURNS)


def seen_of(trace: Trace, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays afterwards, findings, and the operations by kind: on tensor cores, of lanes."""
    arrays = {name: inputs[name] for name in ("a", "b", "c")}
    counts = [(kind, flop) for line in trace.lines for kind, flop in line.flop.items()]
    return {
        **observe(trace, arrays),
        "tensor_flop": int(sum(flop for kind, flop in counts if kind == TENSOR)),
        "lane_flop": int(sum(flop for kind, flop in counts if kind != TENSOR)),
    }


def compiled_of(matmul: Any) -> dict[str, Any]:
    """Products on tensor cores in the compiled code; ``compiler`` says why none could be asked.

    Raises:
        AnswerError: The compiler refuses the kernel.
    """
    from gpuedu.compilers import CompilerMissingError, KernelCompileError, compiled_facts

    try:
        facts = compiled_facts(matmul)
    except CompilerMissingError as fault:
        return {"compiler": fault.message, "products": 0, "registers": 0, "fma": 0}
    except KernelCompileError as fault:
        told = f"the compiler refuses it: {fault.message}"
        raise AnswerError(told, remedy=fault.remedy) from None
    return {
        "compiler": "",
        "products": facts.count(_PRODUCT),
        "registers": facts.registers,
        "fma": facts.count("fma"),
    }
