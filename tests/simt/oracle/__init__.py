"""A scalar oracle for kernels: one thread after another, in Numba's own form and types."""

from __future__ import annotations

from tests.simt.oracle.inference import REFUSALS, infer, variable_types
from tests.simt.oracle.launch import run
from tests.simt.oracle.ordering import Outcome
from tests.simt.oracle.turns import IN_STEP

__all__ = ["IN_STEP", "REFUSALS", "Outcome", "infer", "run", "variable_types"]
