"""three-utilisations: what is measured on the learner's machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from gpuedu.hardware.utilization import UtilizationWatch

EACH_S = 2.5
"""How long each program runs: the driver's figure covers up to a second, and begins with what was
before; only the last sample is taken."""


_SIDE, _PAUSE_S = 4096, 0.03


def measure_utilization() -> dict[str, Any]:
    """Run three programs on the GPU and read the driver's two shares at the end of each.

    Returns:
        ``shares``, a program's name to (gpu, memory), and ``device``; or ``note``, which says why
        there is nothing.
    """
    import torch

    if not torch.cuda.is_available():
        return {"note": "there is no GPU here that PyTorch can use"}
    large = torch.rand(_SIDE, _SIDE, device="cuda")
    tiny = torch.rand(32, device="cuda")

    def product_and_pause() -> None:
        large @ large
        torch.cuda.synchronize()
        time.sleep(_PAUSE_S)

    programs: dict[str, Callable[[], Any]] = {
        "a kernel of one block, again and again": lambda: tiny.add_(1.0),
        "a large product, again and again": lambda: large @ large,
        "the same product, with waits between": product_and_pause,
    }
    shares = {}
    for name, program in programs.items():
        watch = _watch(program, torch.cuda.synchronize)
        if not watch.samples:
            return {"note": watch.note or "the driver reported nothing"}
        shares[name] = (watch.samples[-1].gpu, watch.samples[-1].memory)
    return {"shares": shares, "device": torch.cuda.get_device_name()}


def _watch(program: Callable[[], Any], sync: Callable[[], None]) -> UtilizationWatch:
    """Run it for ``EACH_S`` seconds under a watch, never far ahead of the device."""
    with UtilizationWatch() as watch:
        end_s = time.perf_counter() + EACH_S
        while time.perf_counter() < end_s:
            for _ in range(20):
                program()
            sync()
    return watch


MEASURE = measure_utilization
