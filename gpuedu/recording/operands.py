"""The matrices of a product, made once per size, and its exact result."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.recording.bench import GpuBench
from gpuedu.recording.comparing import difference, matmul_tolerance

NUMBA, CUDA_C = "Numba", "CUDA C"


class Operands:
    """Square float32 matrices a and b, from -1 to 1, for the size last asked for.

    Each library's own arrays are used: Numba waits for the device whenever it is given a CuPy
    array, and that would count as the kernel's time.
    """

    def __init__(self, bench: GpuBench) -> None:
        self._bench = bench
        self._n = 0
        self._host: tuple[np.ndarray, np.ndarray] | None = None
        self._exact: np.ndarray | None = None
        self._device: dict[str, tuple[Any, Any]] = {}

    def on_host(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """The factors a and b, (n, n)."""
        if self._host is None or self._n != n:
            self._host, self._exact, self._device = None, None, {}
            self._bench.free()
            rng = np.random.default_rng(n)
            self._n = n
            self._host = tuple(2 * rng.random((n, n), np.float32) - 1 for _ in range(2))
        return self._host

    def exact(self, n: int) -> np.ndarray:
        """The product in float64, (n, n)."""
        a, b = self.on_host(n)
        if self._exact is None:
            self._exact = self._bench.matmul_float64(a, b)
        return self._exact

    def on_device(self, n: int, language: str) -> tuple[Any, Any]:
        """The factors as arrays of the language's library."""
        host = self.on_host(n)
        if language not in self._device:
            self._device[language] = tuple(self.to_device(x, language) for x in host)
        return self._device[language]

    def blank(self, n: int, language: str) -> Any:
        """A matrix for c, all NaN, so that what a kernel leaves out shows."""
        return self.to_device(np.full((n, n), np.nan, np.float32), language)

    def to_device(self, array: np.ndarray, language: str) -> Any:
        """A host array as one of the language's library."""
        if language == CUDA_C:
            return self._bench.cp.asarray(array)
        return self._bench.cuda.to_device(array)

    def to_host(self, array: Any, language: str) -> np.ndarray:
        """An array of the language's library, on the host."""
        return array.get() if language == CUDA_C else array.copy_to_host()

    def fault_of(self, n: int, c: np.ndarray, exact: np.ndarray | None = None) -> str:
        """What is wrong with a float32 result; nothing if it is within rounding."""
        return difference(c, self.exact(n) if exact is None else exact, matmul_tolerance(n))
