"""The only device: a machine without silicon, with the limits of a stated one.

Limits: CUDA C++ Programming Guide, "Technical Specifications per Compute Capability", 9.0. The
number of multiprocessors is an H100 SXM's, so that code that sizes its grid by it runs the same.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gpuedu.simt.host import streams
from gpuedu.simt.host.buffers import used_bytes
from gpuedu.simt.host.errors import CudaIndexError

MemoryInfo = namedtuple("MemoryInfo", "free,total")

_TOTAL_BYTES = 80 * 10**9
_LIMITS = {
    "WARP_SIZE": 32,
    "MAX_THREADS_PER_BLOCK": 1024,
    "MAX_BLOCK_DIM_X": 1024,
    "MAX_BLOCK_DIM_Y": 1024,
    "MAX_BLOCK_DIM_Z": 64,
    "MAX_GRID_DIM_X": 2**31 - 1,
    "MAX_GRID_DIM_Y": 65535,
    "MAX_GRID_DIM_Z": 65535,
    "MAX_SHARED_MEMORY_PER_BLOCK": 48 * 1024,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 227 * 1024,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 228 * 1024,
    "MAX_REGISTERS_PER_BLOCK": 64 * 1024,
    "MAX_REGISTERS_PER_MULTIPROCESSOR": 64 * 1024,
    "MAX_THREADS_PER_MULTI_PROCESSOR": 2048,
    "MAX_BLOCKS_PER_MULTIPROCESSOR": 32,
    "TOTAL_CONSTANT_MEMORY": 64 * 1024,
    "MULTIPROCESSOR_COUNT": 132,
    "COMPUTE_CAPABILITY_MAJOR": 9,
    "COMPUTE_CAPABILITY_MINOR": 0,
    "UNIFIED_ADDRESSING": 1,
    "CAN_MAP_HOST_MEMORY": 1,
    "CONCURRENT_KERNELS": 0,
    "ASYNC_ENGINE_COUNT": 0,
    "KERNEL_EXEC_TIMEOUT": 0,
    "TCC_DRIVER": 0,
    "SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO": 2,
    "PCI_DEVICE_ID": 0,
    "PCI_BUS_ID": 0,
    "PCI_DOMAIN_ID": 0,
    "INTEGRATED": 0,
}


class Device:
    """The SIMT machine. Its limits are attributes by CUDA's names (``MAX_THREADS_PER_BLOCK``, ...).

    >>> Device().compute_capability, Device().WARP_SIZE
    ((9, 0), 32)
    """

    id = 0
    name = "gpuedu SIMT machine (limits of compute capability 9.0)"
    compute_capability = (9, 0)
    uuid = "GPU-00000000-0000-0000-0000-000000000000"
    supports_float16 = True
    supports_bfloat16 = False
    supports_fp8 = False

    def __getattr__(self, name: str) -> int:
        if name in _LIMITS:
            return _LIMITS[name]
        raise AttributeError(
            f"the SIMT machine has no attribute {name!r}: it is not a real device; it states "
            f"{', '.join(sorted(_LIMITS))}"
        )

    def __repr__(self) -> str:
        return f"<CUDA device 0 '{self.name}'>"

    def get_primary_context(self) -> Context:
        """The device's context."""
        return _context

    def reset(self) -> None:
        """There is nothing for a reset to clear."""


class Context:
    """The device's one context."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def __enter__(self) -> Context:
        return self

    def __exit__(self, *_fault: object) -> None:
        return None

    def get_memory_info(self) -> MemoryInfo:
        """Bytes of device memory: what is left of a stated 80 GB, and the total."""
        return MemoryInfo(_TOTAL_BYTES - used_bytes(), _TOTAL_BYTES)

    def synchronize(self) -> None:
        """Wait for all work: it is done."""

    def create_stream(self) -> streams.Stream:
        """A new stream."""
        return streams.stream()

    def create_external_stream(self, ptr: int) -> streams.Stream:
        """A stream that another library made."""
        return streams.external_stream(ptr)

    def create_event(self, timing: bool = True) -> streams.Event:
        """A new event."""
        return streams.event(timing)

    def get_default_stream(self) -> streams.Stream:
        """The default stream."""
        return streams.default_stream()

    def get_legacy_default_stream(self) -> streams.Stream:
        """The legacy default stream."""
        return streams.legacy_default_stream()

    def get_per_thread_default_stream(self) -> streams.Stream:
        """The per-thread default stream."""
        return streams.per_thread_default_stream()

    def reset(self) -> None:
        """There is nothing for a reset to clear."""

    def push(self) -> None:
        """The context is always current."""

    def pop(self) -> None:
        """The context stays current."""

    @contextmanager
    def defer_cleanup(self) -> Iterator[None]:
        """Memory is freed when nothing refers to it, inside the block as outside."""
        yield


class DeviceManager:
    """One of ``cuda.gpus``: the device, which ``with`` makes current."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.device = context.device

    def __getattr__(self, name: str) -> Any:
        return getattr(self.device, name)

    def __enter__(self) -> Context:
        return self._context

    def __exit__(self, *_fault: object) -> None:
        return None

    def __repr__(self) -> str:
        return f"<Managed Device {self.device.id}>"


class DeviceList:
    """``cuda.gpus``: the devices, of which there is one."""

    def __init__(self, context: Context) -> None:
        self.lst = [DeviceManager(context)]

    def __getitem__(self, index: int) -> DeviceManager:
        try:
            return self.lst[index]
        except IndexError:
            raise CudaIndexError(
                f"there is no device {index}: this machine has one",
                remedy="device 0; several devices need several GPUs",
            ) from None

    def __len__(self) -> int:
        return len(self.lst)

    def __iter__(self) -> Iterator[DeviceManager]:
        return iter(self.lst)

    def __repr__(self) -> str:
        return ", ".join(map(repr, self.lst))

    @property
    def current(self) -> DeviceManager:
        """The device in use."""
        return self.lst[0]


_context = Context(Device())
gpus = DeviceList(_context)


def current_context(devnum: int | None = None) -> Context:
    """The context in use, or that of device ``devnum``."""
    return _context if devnum is None else gpus[devnum]._context


def get_current_device() -> Device:
    """The device in use."""
    return _context.device


def list_devices() -> DeviceList:
    """The devices."""
    return gpus


def select_device(device_id: int) -> Device:
    """Use device ``device_id``: CudaIndexError for any but 0."""
    return gpus[device_id].device


def close() -> None:
    """Leave the device: arrays on it stay usable here."""


def detect() -> bool:
    """Print the devices; returns True, because there is one."""
    device = _context.device
    print("Found 1 CUDA devices")
    print(f"id {device.id:<4d} {device.name} [SUPPORTED]")
    print(f"{'compute capability':>30}: 9.0 (stated: no GPU is used)")
    print("Summary:\n\t1/1 devices are supported")
    return True
