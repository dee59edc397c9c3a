"""What the host API raises and warns of.

Where ``numba.cuda`` raises a ValueError, TypeError or the like, these have that class too, so code
that catches one keeps working.
"""

from __future__ import annotations

from gpuedu.errors import GpueduError
from gpuedu.trace import Finding, Trace


class CudaValueError(GpueduError, ValueError):
    """An argument with a value that ``numba.cuda`` refuses."""


class CudaTypeError(GpueduError, TypeError):
    """An argument of a type that ``numba.cuda`` refuses."""


class CudaIndexError(GpueduError, IndexError):
    """An index outside a device array, given on the host."""


class CudaNotImplementedError(GpueduError, NotImplementedError):
    """Something that ``numba.cuda`` does not have, or that this machine does not model."""


class OutsideKernelError(GpueduError, RuntimeError):
    """A name for kernels, called on the host."""


class LaunchError(GpueduError):
    """A launch that no device accepts: zero grids, too many threads, too much shared memory.

    It names the CUDA driver's error, so that it can be recognized on a GPU.
    """

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(f"{message} (CUDA_ERROR_INVALID_VALUE)", remedy=remedy)


class KernelHazardError(GpueduError):
    """A kernel that a GPU would stop, or that would never end: it was stopped here.

    ``trace`` holds what ran until then, ``finding`` is the reason.
    """

    def __init__(self, finding: Finding, trace: Trace, message: str) -> None:
        self.finding = finding
        self.trace = trace
        super().__init__(message, remedy=finding.remedy)

    def __reduce__(self) -> tuple[type, tuple[Finding, Trace, str]]:
        return KernelHazardError, (self.finding, self.trace, self.message)


class KernelHazardWarning(UserWarning):
    """A kernel that ran to its end, with a result that a GPU does not promise."""


class CudaPerformanceWarning(UserWarning):
    """Something slow that ``numba.cuda`` warns of with its NumbaPerformanceWarning."""


class SimulatedTimeWarning(UserWarning):
    """A time that is this machine's own and says nothing about a GPU."""
