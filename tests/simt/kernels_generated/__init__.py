"""Random kernels as the text of modules: free of races by construction, or racy by chance."""

from __future__ import annotations

from tests.simt.kernels_generated.choices import Drawn, Seeded
from tests.simt.kernels_generated.conflicts import generate_conflicts
from tests.simt.kernels_generated.kernels import ROUGH, GeneratedKernel, generate
from tests.simt.kernels_generated.load import load
from tests.simt.kernels_generated.operators import DTYPES, operators_kernel

__all__ = [
    "DTYPES",
    "ROUGH",
    "Drawn",
    "GeneratedKernel",
    "Seeded",
    "generate",
    "generate_conflicts",
    "load",
    "operators_kernel",
]
