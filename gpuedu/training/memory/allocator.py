"""What a GPU's allocator reports."""

from __future__ import annotations

from typing import Protocol

import torch


class Allocator(Protocol):
    """What an allocator must provide; all in bytes."""

    def live_bytes(self) -> int:
        """What is handed out now."""

    def peak_bytes(self) -> int:
        """The most that was handed out since ``forget_peak``."""

    def forget_peak(self) -> None:
        """Start looking for the peak again."""

    def release_workspaces(self) -> int:
        """Make libraries release what they keep for themselves; returns how much that was."""


class CudaAllocator:
    """PyTorch's caching allocator of one GPU.

    It hands out multiples of 512 bytes (PyTorch, c10/cuda/CUDACachingAllocator.cpp, kMinBlockSize),
    so it counts a little more than the tensors' bytes. What it keeps in reserve is not in any
    number here.
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
        """Free cuBLAS's workspaces, one per thread and stream; the next product recreates them."""
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
