"""A rung whose kernel is in CUDA C, launched through CuPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from gpuedu import backend
from gpuedu.compilers import CompiledFacts, compiled_facts_of_source
from gpuedu.ladder.rung import Rung, shape_of
from gpuedu.trace import Trace

OPTIONS = ("--std=c++17",)


@dataclass(frozen=True)
class CudaCSource:
    """A file of ``gpuedu/ladder/cuda_c``, and the kernel in it by its name or name expression."""

    file: str
    name: str

    @property
    def code(self) -> str:
        """The text."""
        return resources.files("gpuedu.ladder").joinpath("cuda_c", self.file).read_text("utf-8")


class CudaCRung(Rung):
    """A rung in CUDA C: ``make`` gives a ``CudaCSource``. ``bind`` takes arrays of ``cp``."""

    @property
    def language(self) -> str:
        """CUDA C."""
        return "CUDA C"

    def bind(self, a: Any, b: Any, c: Any) -> Callable[[], None]:
        """See ``Rung``."""
        shape = shape_of(a, b, c)
        kernel = _loaded(self.kernel_for(*shape))
        arguments = (a, b, c, *map(np.int32, shape))
        grid, block = self.launch_shape(*shape)
        return lambda: kernel(grid, block, arguments)

    def simulate(self, a: np.ndarray, b: np.ndarray, c: np.ndarray, **options: Any) -> Trace:
        """See ``Rung``."""
        from gpuedu.simt import simulate
        from gpuedu.simt.cuda_c import CudaCKernel

        shape = shape_of(a, b, c)
        source = self.kernel_for(*shape)
        kernel = CudaCKernel(source.code, source.name, OPTIONS)
        numbers = map(np.int32, shape)
        return simulate(kernel, *self.launch_shape(*shape), a, b, c, *numbers, **options)

    def compiled(
        self, m: int, n: int, k: int, compute_capability: tuple[int, int] = (9, 0)
    ) -> CompiledFacts:
        """See ``Rung``."""
        source = self.kernel_for(m, n, k)
        return compiled_facts_of_source(
            source.code,
            source.name,
            options=OPTIONS,
            compute_capability=compute_capability,
            lineinfo=False,
        )


@cache
def _loaded(source: CudaCSource) -> Any:
    """The kernel object of ``cp``."""
    if source.name.isidentifier():
        return backend.cp.RawKernel(source.code, source.name, options=OPTIONS)
    module = backend.cp.RawModule(code=source.code, options=OPTIONS, name_expressions=[source.name])
    return module.get_function(source.name)
