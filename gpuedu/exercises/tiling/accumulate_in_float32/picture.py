"""accumulate-in-float32: its picture."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.tiling.precision import RMS_TYPES, describe_compiled


def describe_rms_norm(kernel: Any) -> str:
    """What the compiler makes of a kernel that normalizes columns."""
    return describe_compiled(kernel, RMS_TYPES)


PICTURE = describe_rms_norm
