"""What can go wrong when a step is profiled, or a trace is read."""

from __future__ import annotations

from gpuedu.errors import GpueduError


class ProfileError(GpueduError):
    """A step that cannot be profiled, or a file that is not a trace of PyTorch's profiler."""
