"""What the measurements need from a GPU: arrays, a way to launch, a clock.

``gpuedu.recording.gpu`` is the real one. Everything else here uses only this interface, so that the
same code runs with a substitute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from gpuedu.errors import GpueduError


class LostDeviceError(GpueduError):
    """A kernel broke the GPU's context: this process can no longer use the GPU."""


@dataclass(frozen=True)
class PowerReading:
    """What a GPU reports about itself at one moment; None if it does not."""

    power_w: float
    clock_mhz: float | None = None
    temperature_c: float | None = None


class GpuBench(Protocol):
    """One GPU.

    ``cuda`` is ``numba.cuda``, ``cp`` is CuPy, ``torch`` is PyTorch, or None if it is missing or
    sees no GPU; ``torch_device`` is where its tensors go. ``l2_bytes`` is the size of the cache
    before device memory. All work goes to the default stream.
    """

    name: str
    memory_bytes: int
    l2_bytes: int
    versions: Mapping[str, str]
    cuda: Any
    cp: Any
    torch: Any
    torch_device: str

    def now_s(self) -> float:
        """Seconds on a clock of the host that never goes back."""

    def time_s(self, run: Callable[[], object], times: int) -> float:
        """Seconds that the device takes for one of ``times`` runs, queued without a gap."""

    def host_time_s(self, run: Callable[[], object], times: int) -> float:
        """Seconds of the host for one of ``times`` runs, until the device has done all of them."""

    def sync(self) -> None:
        """Wait until the device has done everything; raises what a kernel did wrong."""

    def free(self) -> None:
        """Give unused memory back to the device."""

    def wake(self) -> None:
        """Keep the device busy for a moment: an idle one runs on a slow clock."""

    def rest(self, time_s: float) -> None:
        """Give the device nothing to do for this long."""

    def power_meter(self) -> AbstractContextManager[Callable[[], PowerReading]]:
        """A function that reads the power drawn now; NotHereError if nothing reports it."""

    def power_cap(self, share: float) -> AbstractContextManager[float]:
        """A power limit of this share of the default one, in watts; the default is restored after.

        NotHereError if that is not permitted.
        """

    def matmul_float64(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The product of two host arrays in float64, on the host."""


def is_out_of_memory(fault: BaseException) -> bool:
    """Whether an error from any of the libraries says that there was not enough memory.

    >>> is_out_of_memory(MemoryError()), is_out_of_memory(ValueError("out of range"))
    (True, False)
    """
    if isinstance(fault, MemoryError):
        return True
    text = str(fault).lower().replace("_", " ")
    return type(fault).__name__ == "OutOfMemoryError" or "out of memory" in text


def one_line(fault: BaseException) -> str:
    """A fault in one line, with its kind; long ones are cut."""
    text = " ".join(str(fault).split())
    return f"{type(fault).__name__}: {text}"[:300] if text else type(fault).__name__
