"""What a GPU's allocator says of itself."""

from __future__ import annotations

from typing import Protocol

import torch


class Allocator(Protocol):
    """What is asked of an allocator; all in bytes."""

    def live_bytes(self) -> int:
        """What is handed out now."""

    def peak_bytes(self) -> int:
        """The most that was handed out since ``forget_peak``."""

    def forget_peak(self) -> None:
        """Begin to look for the peak anew."""

    def release_workspaces(self) -> int:
        """Have libraries let go of what they keep for themselves; how much that was."""


class CudaAllocator:
    """PyTorch's caching allocator of one GPU.

    It hands out multiples of 512 bytes (PyTorch, c10/cuda/CUDACachingAllocator.cpp, kMinBlockSize),
    so it counts a little more than the tensors have. What it keeps in reserve is in no number here.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device

    def live_bytes(self) -> int:
        """``torch.cuda.memory_allocated``."""
        return torch.cuda.memory_allocated(self._device)

    def peak_bytes(self) -> int:
        """``torch.cuda.max_memory_allocated``."""
        return torch.cuda.max_memory_allocated(self._device)

    def forget_peak(self) -> None:
        """``torch.cuda.reset_peak_memory_stats``."""
        torch.cuda.reset_peak_memory_stats(self._device)

    def release_workspaces(self) -> int:
        """Free cuBLAS's workspaces, one a thread and stream; the next product makes them anew."""
        before = self.live_bytes()
        # PyTorch has no public name for it; without it, workspaces stay among the rest.
        clear = getattr(torch._C, "_cuda_clearCublasWorkspaces", None)
        if clear is not None:
            torch.cuda.synchronize(self._device)
            clear()
        return before - self.live_bytes()


def allocator_of(device: torch.device) -> Allocator | None:
    """The allocator of a GPU; None for the CPU, whose allocator keeps no such account."""
    return CudaAllocator(device) if device.type == "cuda" else None
