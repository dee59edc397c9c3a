"""The real GPU: Numba's, CuPy's and PyTorch's arrays on it, and its clock."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

from gpuedu import backend
from gpuedu.compilers.numba_cuda import name_toolkit
from gpuedu.errors import GpueduError
from gpuedu.recording.bench import PowerReading, one_line
from gpuedu.recording.power_cap import capped
from gpuedu.recording.power_meter import open_meter
from gpuedu.recording.versions import find_versions

_HOLD = r"""
extern "C" __global__ void hold(long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles) { }
}"""
_AWAKE_S = 0.1
_LONGEST_HOLD_S = 0.05


class NoGpuError(GpueduError):
    """This machine has nothing to record on; the message says what is missing."""


def why_no_gpu() -> tuple[str, str]:
    """What is missing to measure here and what to try; empty strings if nothing is."""
    if os.environ.get("GPUEDU_TIER", "").strip().lower() == "cpu":
        return "GPUEDU_TIER=cpu is set", "unset it"
    if os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0"):
        return "Numba's simulator is on (NUMBA_ENABLE_CUDASIM)", "unset it"
    library = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        ctypes.CDLL(library)
    except OSError:
        return f"no NVIDIA driver ({library} cannot be loaded)", "a machine with an NVIDIA GPU"
    name_toolkit()
    doctor = "`gpuedu doctor` says what is missing"
    for name, package in (("numba.cuda", "numba-cuda"), ("cupy", "cupy-cuda12x or cupy-cuda13x")):
        try:
            module = import_module(name)
            if not module.is_available():
                return f"{name} cannot use a GPU", doctor
        except Exception as fault:  # whatever a library raises when it meets half an installation
            return f"{name} cannot be used ({one_line(fault)})", f"install {package}"
    return "", ""


def open_gpu() -> Gpu:
    """The first GPU of this machine.

    Raises:
        NoGpuError: There is none that Numba and CuPy can use.
    """
    missing, remedy = why_no_gpu()
    if missing:
        raise NoGpuError(f"there is nothing to record on: {missing}", remedy=remedy)
    try:
        return Gpu(backend.cuda, backend.cp, _torch_of_gpu())
    except Exception as fault:  # whatever a driver raises that cannot be worked with
        raise NoGpuError(
            f"there is nothing to record on: the GPU cannot be used ({one_line(fault)})",
            remedy="`gpuedu doctor` says what is missing",
        ) from fault


def _torch_of_gpu() -> ModuleType | None:
    """PyTorch, where it sees the GPU."""
    try:
        torch = import_module("torch")
        return torch if torch.cuda.is_available() else None
    except Exception:
        return None


class Gpu:
    """A GPU with the interface of ``gpuedu.recording.bench.Bench``."""

    torch_device = "cuda"

    def __init__(self, cuda: ModuleType, cp: ModuleType, torch: ModuleType | None) -> None:
        self.cuda, self.cp, self.torch = cuda, cp, torch
        attributes: Mapping[str, int] = cp.cuda.Device().attributes
        properties = cp.cuda.runtime.getDeviceProperties(cp.cuda.Device().id)
        name = properties["name"]
        self.name = name.decode() if isinstance(name, bytes) else str(name)
        self.memory_bytes = int(properties["totalGlobalMem"])
        self.l2_bytes = int(attributes.get("L2CacheSize", 0))
        # In kHz; where it is not told, a clock that no GPU of today has: a longer wait harms not.
        self._clock_hz = 1e3 * float(attributes.get("ClockRate", 0)) or 3e9
        self.versions = find_versions(cp)
        self._hold = cp.RawKernel(_HOLD, "hold")
        self._enqueue_s = 1e-4
        if torch is not None:
            torch.set_float32_matmul_precision("highest")

    def now_s(self) -> float:
        """Seconds on a clock of the host that never goes back."""
        return time.perf_counter()

    def time_s(self, run: Callable[[], object], times: int) -> float:
        """Seconds by two events around the runs.

        A kernel that only waits goes before the first event, for as long as it takes the host to
        queue the runs: without it, a short kernel's time would be the host's.
        """
        start, end = self.cp.cuda.Event(), self.cp.cuda.Event()
        self._wait(min(1.5 * times * self._enqueue_s + 5e-5, _LONGEST_HOLD_S))
        start.record()
        begun_s = self.now_s()
        for _ in range(times):
            run()
        self._enqueue_s = (self.now_s() - begun_s) / times
        end.record()
        end.synchronize()
        return self.cp.cuda.get_elapsed_time(start, end) / 1e3 / times

    def host_time_s(self, run: Callable[[], object], times: int) -> float:
        """Seconds by the host's clock, from the first call until the device has finished."""
        self.sync()
        begun_s = self.now_s()
        for _ in range(times):
            run()
        self.sync()
        return (self.now_s() - begun_s) / times

    def sync(self) -> None:
        """Wait for the device, whichever library asked it for work."""
        self.cuda.synchronize()

    def free(self) -> None:
        """Give back what Numba still has to free, and empty the pools of CuPy and PyTorch."""
        gc.collect()
        self.cuda.current_context().deallocations.clear()
        self.cp.get_default_memory_pool().free_all_blocks()
        self.cp.get_default_pinned_memory_pool().free_all_blocks()
        if self.torch is not None:
            self.torch.cuda.empty_cache()

    def wake(self) -> None:
        """Keep the device busy for a tenth of a second."""
        self._wait(_AWAKE_S)
        self.sync()

    def rest(self, time_s: float) -> None:
        """Wait for the device, and then for this long."""
        self.sync()
        time.sleep(time_s)

    def power_meter(self) -> AbstractContextManager[Callable[[], PowerReading]]:
        """By NVML, or else by nvidia-smi."""
        return open_meter(self._bus())

    def power_cap(self, share: float) -> AbstractContextManager[float]:
        """By nvidia-smi."""
        return capped(self._bus(), share)

    def matmul_float64(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """By PyTorch on the GPU, in float64; or else by NumPy."""
        if self.torch is None:
            return a.astype(np.float64) @ b.astype(np.float64)
        left, right = (
            self.torch.from_numpy(x).to(self.torch_device, self.torch.float64) for x in (a, b)
        )
        return (left @ right).cpu().numpy()

    def _bus(self) -> str:
        """The PCI bus that the driver's tools know it by; numbers may differ from CUDA's."""
        bus = self.cp.cuda.runtime.deviceGetPCIBusId(self.cp.cuda.Device().id)
        return bus.decode() if isinstance(bus, bytes) else str(bus)

    def _wait(self, time_s: float) -> None:
        self._hold((1,), (1,), (np.int64(time_s * self._clock_hz),))


def describe_gpu(bench: Any) -> str:
    """The device and its versions in a line."""
    return f"{bench.name}: " + ", ".join(f"{k} {v}" for k, v in bench.versions.items())
