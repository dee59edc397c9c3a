"""What a kernel did: the records that the SIMT machine writes and the lens reads."""

from __future__ import annotations

from gpuedu.trace.records import (
    CUDA_C,
    WARP_SIZE,
    AccessSite,
    Argument,
    ArrayUse,
    BarrierSite,
    BranchSite,
    Events,
    Finding,
    Launch,
    Level,
    LineCount,
    Operation,
    Place,
    Source,
    Space,
    Steps,
    Thread,
    Trace,
)

__all__ = [
    "CUDA_C",
    "WARP_SIZE",
    "AccessSite",
    "Argument",
    "ArrayUse",
    "BarrierSite",
    "BranchSite",
    "Events",
    "Finding",
    "Launch",
    "Level",
    "LineCount",
    "Operation",
    "Place",
    "Source",
    "Space",
    "Steps",
    "Thread",
    "Trace",
]
