"""The one device, with the limits that ``gpuedu.simt.host.devices`` states."""

from __future__ import annotations

from typing import Any

from gpuedu.arrays.errors import CudaRuntimeError
from gpuedu.arrays.lists import missing
from gpuedu.arrays.pool import kept_bytes
from gpuedu.simt.host import devices

_STATED = """
WARP_SIZE MAX_THREADS_PER_BLOCK MAX_BLOCK_DIM_X MAX_BLOCK_DIM_Y MAX_BLOCK_DIM_Z MAX_GRID_DIM_X
MAX_GRID_DIM_Y MAX_GRID_DIM_Z MAX_SHARED_MEMORY_PER_BLOCK MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
MAX_SHARED_MEMORY_PER_MULTIPROCESSOR MAX_REGISTERS_PER_BLOCK MAX_REGISTERS_PER_MULTIPROCESSOR
MAX_THREADS_PER_MULTI_PROCESSOR MAX_BLOCKS_PER_MULTIPROCESSOR TOTAL_CONSTANT_MEMORY
MULTIPROCESSOR_COUNT
"""
_NAMES = {"MULTIPROCESSOR_COUNT": "MultiProcessorCount"}


class Device:
    """A device by its number; there is only device 0.

    >>> Device().compute_capability, Device(0) == Device()
    ('90', True)
    """

    def __init__(self, device: int | Device | None = None) -> None:
        self.id = device.id if isinstance(device, Device) else int(device or 0)

    def __getattr__(self, name: str) -> Any:
        raise missing("cupy.cuda.Device", name)

    def __int__(self) -> int:
        return self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}>"

    def __enter__(self) -> Device:
        self.use()
        return self

    def __exit__(self, *_fault: object) -> None:
        return None

    def use(self) -> Device:
        """Make the device current.

        Raises:
            CudaRuntimeError: It is not device 0.
        """
        require_device(self.id)
        return self

    def synchronize(self) -> None:
        """Wait for all work: it is done."""
        require_device(self.id)

    @property
    def compute_capability(self) -> str:
        """The stated compute capability, as two digits."""
        return "".join(map(str, devices.get_current_device().compute_capability))

    @property
    def attributes(self) -> dict[str, int]:
        """The stated limits, by CUDA's names."""
        device = devices.get_current_device()
        return {_NAMES.get(name) or _camel(name): getattr(device, name) for name in _STATED.split()}

    @property
    def mem_info(self) -> tuple[int, int]:
        """Bytes that are free and all bytes; what pools keep for reuse is not free."""
        require_device(self.id)
        info = devices.current_context().get_memory_info()
        return info.free - kept_bytes(), info.total

    @property
    def pci_bus_id(self) -> str:
        """A bus number, made up: there is no bus."""
        return "0000:00:00.0"


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def require_device(device_id: int) -> None:
    """Refuse devices that do not exist.

    Raises:
        CudaRuntimeError: It is not device 0.
    """
    if device_id != 0:
        raise CudaRuntimeError(
            f"cudaErrorInvalidDevice: invalid device ordinal {device_id}",
            remedy="device 0: there is one device here",
        )


def get_device_id() -> int:
    """The current device's number."""
    return 0


def is_available() -> bool:
    """True if arrays can be made and kernels run: always, on gpuedu's machine."""
    return True
