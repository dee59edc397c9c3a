"""The energy counters of this machine: Intel's and AMD's RAPL, and NVIDIA's driver. Nothing raises.

RAPL is read through Linux's powercap files, which most systems let only root read and most virtual
machines do not have. NVIDIA's counter is there from Volta on.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

POWERCAP = Path("/sys/class/powercap")
_NEVER_WRAPS = 2**63


@dataclass(frozen=True)
class EnergyCounter:
    """A counter of microjoules that goes from ``wraps_at - 1`` to 0.

    ``is_gpu`` says whether it counts for the first GPU; otherwise it counts for the CPU package.
    """

    name: str
    read: Callable[[], int]
    wraps_at: int
    is_gpu: bool


def find_counter(powercap: Path = POWERCAP) -> EnergyCounter | None:
    """The GPU's counter, or else the CPU's; None if this machine shows neither."""
    return _gpu_counter() or _cpu_counter(powercap)


def _cpu_counter(powercap: Path) -> EnergyCounter | None:
    with contextlib.suppress(OSError, ValueError):
        for folder in sorted(powercap.glob("intel-rapl:?")):
            wraps_at = int((folder / "max_energy_range_uj").read_text()) + 1
            int((folder / "energy_uj").read_text())
            name = (folder / "name").read_text().strip()
            return EnergyCounter(
                f"the CPU ({name}, RAPL)",
                lambda folder=folder: int((folder / "energy_uj").read_text()),
                wraps_at,
                is_gpu=False,
            )
    return None


def _gpu_counter() -> EnergyCounter | None:
    with contextlib.suppress(Exception):
        import pynvml

        pynvml.nvmlInit()
        handle = pynvml.nvmlDeviceGetHandleByIndex(0)
        pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)
        return EnergyCounter(
            "the GPU (NVML)",
            lambda: 1000 * int(pynvml.nvmlDeviceGetTotalEnergyConsumption(handle)),
            _NEVER_WRAPS,
            is_gpu=True,
        )
    return None
