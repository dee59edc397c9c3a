"""``cp.cuda.runtime``: the few calls of CUDA's runtime that make sense without one."""

from __future__ import annotations

from typing import Any

from gpuedu.arrays.device import Device, require_device
from gpuedu.arrays.errors import CudaRuntimeError
from gpuedu.arrays.lists import missing
from gpuedu.simt.host import devices

CUDARuntimeError = CudaRuntimeError
is_hip = False
memcpyHostToHost, memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice = range(4)  # noqa: N816


def getDeviceCount() -> int:  # noqa: N802
    """How many devices there are: one."""
    return 1


def getDevice() -> int:  # noqa: N802
    """The current device."""
    return 0


def setDevice(device: int) -> None:  # noqa: N802
    """Make a device current; CudaRuntimeError for any but 0."""
    require_device(device)


def deviceSynchronize() -> None:  # noqa: N802
    """Wait for all work: it is done."""


def streamSynchronize(stream: int) -> None:  # noqa: N802
    """Wait for a stream's work: it is done."""


def memGetInfo() -> tuple[int, int]:  # noqa: N802
    """Bytes of the device: free, and in total."""
    return Device(0).mem_info


def getDeviceProperties(device: int) -> dict[str, Any]:  # noqa: N802
    """What is stated about the device, without the many fields that no program here can need."""
    require_device(device)
    found = devices.get_current_device()
    return {
        "name": found.name.encode(),
        "totalGlobalMem": Device(0).mem_info[1],
        "major": found.compute_capability[0],
        "minor": found.compute_capability[1],
        "multiProcessorCount": found.MULTIPROCESSOR_COUNT,
        "warpSize": found.WARP_SIZE,
        "maxThreadsPerBlock": found.MAX_THREADS_PER_BLOCK,
        "maxThreadsPerMultiProcessor": found.MAX_THREADS_PER_MULTI_PROCESSOR,
        "sharedMemPerBlock": found.MAX_SHARED_MEMORY_PER_BLOCK,
        "sharedMemPerMultiprocessor": found.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
        "regsPerBlock": found.MAX_REGISTERS_PER_BLOCK,
        "regsPerMultiprocessor": found.MAX_REGISTERS_PER_MULTIPROCESSOR,
    }


def __getattr__(name: str) -> Any:
    raise missing("cupy.cuda.runtime", name)
