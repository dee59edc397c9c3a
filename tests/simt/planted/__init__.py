"""Small kernels with one planted fault or none: the verdicts that the machine must give."""

from __future__ import annotations

from tests.simt.planted import (
    barriers,
    bounds,
    correct_global,
    correct_shared,
    crowds,
    dialect,
    far_apart,
    global_races,
    launches,
    loop_races,
    shared_races,
    uninitialised,
    unsupported,
    warps,
)
from tests.simt.planted.table import PLANTS, Plant

MODULES = (
    barriers,
    bounds,
    correct_global,
    correct_shared,
    crowds,
    dialect,
    far_apart,
    global_races,
    launches,
    loop_races,
    shared_races,
    uninitialised,
    unsupported,
    warps,
)

__all__ = ["MODULES", "PLANTS", "Plant"]
