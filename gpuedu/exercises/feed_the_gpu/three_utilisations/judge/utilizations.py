"""Shares of a window of time in which kernels ran."""

from __future__ import annotations

from collections.abc import Sequence

from gpuedu.clock.timeline import length_s, union

Kernel = tuple[float, float, int, float]
"""Start and end in seconds, SMs in use, bytes moved."""


def inside(kernels: Sequence[Kernel], start_s: float, end_s: float) -> list[Kernel]:
    """What of each kernel lies in the window: its bytes flow evenly over its time."""
    kept = []
    for kernel_start_s, kernel_end_s, sms, size_bytes in kernels:
        a, b = max(kernel_start_s, start_s), min(kernel_end_s, end_s)
        if b > a:
            share = (b - a) / (kernel_end_s - kernel_start_s)
            kept.append((a, b, sms, size_bytes * share))
    return kept


def gpu_util(kernels: Sequence[Kernel], start_s: float, end_s: float) -> float:
    """Share of the window in which at least one kernel ran."""
    spans = union((a, b) for a, b, _, _ in inside(kernels, start_s, end_s))
    return length_s(spans) / (end_s - start_s)


def sm_active(kernels: Sequence[Kernel], start_s: float, end_s: float, sms: int) -> float:
    """Mean share of the SMs that were busy."""
    busy_s = sum((b - a) * used for a, b, used, _ in inside(kernels, start_s, end_s))
    return busy_s / (sms * (end_s - start_s))


def memory_share(
    kernels: Sequence[Kernel], start_s: float, end_s: float, peak_bytes_per_s: float
) -> float:
    """Bytes moved, of those that the memory could have moved."""
    moved = sum(size for _, _, _, size in inside(kernels, start_s, end_s))
    return moved / (peak_bytes_per_s * (end_s - start_s))
