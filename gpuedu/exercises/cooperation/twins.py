"""Kernels that the lesson launches beside, or around, the learner's own."""

from __future__ import annotations

from typing import Any


def call_on_lanes(device_function: Any) -> Any:
    """A kernel ``(x, got)`` in which each thread calls a device function on its element of ``x``.

    Launched with one thread for each element; each thread writes its own element of ``got``.
    """
    from gpuedu.backend import cuda

    @cuda.jit
    def call_on_lanes(x, got):
        i = cuda.grid(1)
        got[i] = device_function(x[i])

    return call_on_lanes
