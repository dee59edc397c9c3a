"""What the stand-in for CuPy raises. Each error also has the class that CuPy raises there."""

from __future__ import annotations

from gpuedu.errors import GpueduError


class NotInStandInError(GpueduError, NotImplementedError):
    """Something that CuPy has on a GPU and gpuedu's stand-in for it lacks."""


class DeviceArrayTypeError(GpueduError, TypeError):
    """An argument of a type that CuPy refuses: a host array, a list, text."""


class DeviceArrayValueError(GpueduError, ValueError):
    """An argument with a value that CuPy refuses."""


class DeviceArrayIndexError(GpueduError, IndexError):
    """An index that CuPy refuses."""


class OutOfMemoryError(GpueduError, MemoryError):
    """More device memory was asked for than the pool's limit, or the device, allows."""

    def __init__(self, size_bytes: int, total_bytes: int, limit_bytes: int = 0) -> None:
        self.size_bytes, self.total_bytes, self.limit_bytes = size_bytes, total_bytes, limit_bytes
        limit = f", limit set to: {limit_bytes:,} bytes" if limit_bytes else ""
        super().__init__(
            f"Out of memory allocating {size_bytes:,} bytes "
            f"(allocated so far: {total_bytes:,} bytes{limit})",
            remedy="free arrays with `del` and call free_all_blocks(), or work on smaller parts",
        )

    def __reduce__(self) -> tuple[type, tuple[int, int, int]]:
        return OutOfMemoryError, (self.size_bytes, self.total_bytes, self.limit_bytes)


class HostTooSmallError(GpueduError, MemoryError):
    """The stated device could hold the array; this computer, which stands in for it, cannot."""


class CudaRuntimeError(GpueduError, RuntimeError):
    """What CUDA's runtime refuses: a device that does not exist."""
