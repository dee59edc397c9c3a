"""Which warnings a launch gives, and what ``cuda.jit`` takes for granted.

Each switch has an environment variable, with Numba's name if Numba has it.

Without ``trace`` a launch is faster, counts nothing, and sees only bounds, barriers and runaway
loops. Warnings of implicit copies are on, as in Numba. Those of small grids are off: this machine
has no multiprocessors to fill, and the lens shows a launch's occupancy. ``runtime`` is Numba's
memory manager in kernels, without which it does not compile ``np.min`` of an array, among others.
"""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass
class Settings:
    """The switches; a program may set them."""

    warn_on_implicit_copy: bool = True
    low_occupancy_warnings: bool = False
    trace: bool = True
    debug: bool = False
    optimize: bool = True
    runtime: bool = False


def _switch(name: str, default: bool) -> bool:
    text = os.environ.get(name)
    return default if text is None else text.strip() not in ("", "0")


settings = Settings(
    warn_on_implicit_copy=_switch("NUMBA_CUDA_WARN_ON_IMPLICIT_COPY", True),
    low_occupancy_warnings=_switch("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", False),
    trace=_switch("GPUEDU_TRACE", True),
    debug=_switch("NUMBA_CUDA_DEBUGINFO", False),
    optimize=_switch("NUMBA_OPT", True),
    runtime=_switch("NUMBA_CUDA_ENABLE_NRT", False),
)
