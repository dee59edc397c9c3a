"""A rung whose kernel is in Python, for Numba."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.compilers import CompiledFacts, compiled_facts
from gpuedu.ladder.rung import Rung, shape_of
from gpuedu.simt import simulate
from gpuedu.trace import Trace

MATRIX = "float32[:, ::1]"


class PythonRung(Rung):
    """A rung in Numba. On a GPU, ``bind`` takes arrays of ``cuda.to_device``."""

    @property
    def language(self) -> str:
        """Numba."""
        return "Numba"

    def bind(self, a: Any, b: Any, c: Any) -> Callable[[], None]:
        """See ``Rung``."""
        shape = shape_of(a, b, c)
        configured = self.kernel_for(*shape)[self.launch_shape(*shape)]
        return lambda: configured(a, b, c)

    def simulate(self, a: np.ndarray, b: np.ndarray, c: np.ndarray, **options: Any) -> Trace:
        """See ``Rung``."""
        shape = shape_of(a, b, c)
        kernel = self.kernel_for(*shape)
        return simulate(kernel, *self.launch_shape(*shape), a, b, c, **options)

    def compiled(
        self, m: int, n: int, k: int, compute_capability: tuple[int, int] = (9, 0)
    ) -> CompiledFacts:
        """See ``Rung``."""
        return compiled_facts(
            self.kernel_for(m, n, k),
            [MATRIX] * 3,
            compute_capability=compute_capability,
            lineinfo=False,
        )
