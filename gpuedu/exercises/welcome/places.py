"""Where a machine keeps its numbers: sizes of caches and memories, of a CPU and of a GPU."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gpuedu import backend
from gpuedu.figures import style
from gpuedu.figures.bars import Bar, plot_bars
from gpuedu.figures.caption import Caption
from gpuedu.hardware import device
from gpuedu.hardware.caches import Cache
from gpuedu.hardware.machine import look
from gpuedu.units import KIB, MIB, format_quantity, format_size

_REGISTER_BYTES = 4
_DOCUMENTED = "h100-sxm"
_DOCUMENTED_BYTES = {"registers": 256 * KIB, "shared": 228 * KIB, "l2": 50 * MIB}
"""Of an SM, and of the chip: NVIDIA, Hopper Tuning Guide, and Hopper Architecture In-Depth."""


@dataclass(frozen=True)
class Sizes:
    """A GPU's SMs, and the bytes of all their registers, of shared memory, L2 and memory."""

    name: str
    sms: int
    registers_bytes: float
    shared_bytes: float
    l2_bytes: float
    memory_bytes: float
    is_own: bool = False


def documented_sizes() -> Sizes:
    """An H100, as NVIDIA documents it.

    >>> sizes = documented_sizes()
    >>> sizes.sms, round(sizes.registers_bytes / 2**20, 1)
    (132, 33.0)
    """
    gpu = device(_DOCUMENTED)
    each = _DOCUMENTED_BYTES
    sms = int(gpu.sms or 0)
    registers, shared = sms * each["registers"], sms * each["shared"]
    return Sizes(gpu.name, sms, registers, shared, each["l2"], gpu.memory_bytes)


def own_sizes() -> Sizes:
    """What the driver says of the GPU at hand."""
    cuda = backend.cuda
    gpu, memory = cuda.get_current_device(), cuda.current_context().get_memory_info()
    sms = int(gpu.MULTIPROCESSOR_COUNT)
    name = gpu.name.decode() if isinstance(gpu.name, bytes) else str(gpu.name)
    return Sizes(
        name,
        sms,
        sms * int(gpu.MAX_REGISTERS_PER_MULTIPROCESSOR) * _REGISTER_BYTES,
        sms * int(gpu.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR),
        int(gpu.L2_CACHE_SIZE),
        int(memory.total),
        is_own=True,
    )


def _sizes() -> Sizes:
    """The GPU at hand where its driver tells all of it, else a documented one."""
    if backend.has_gpu():
        with contextlib.suppress(Exception):
            return own_sizes()
    return documented_sizes()


def draw_places() -> Any:
    """Sizes of this machine's caches and memory, and of a GPU's: yours, or a documented one."""
    gpu = _sizes()
    bars = [*_cpu_bars(), *_gpu_bars(gpu)]
    told = "as its driver reports" if gpu.is_own else "hollow, from NVIDIA's documents"
    caption = Caption(
        title="Where a machine keeps its numbers",
        x="bytes, all copies together (each step is a factor of ten)",
        source=f"GPU: {gpu.name}, {gpu.sms} SMs, {told}. CPU: this machine's, as far as the system "
        "reports it;\na virtual machine may report caches that it shares with others.",
        alt="Sizes of the places for data, on a logarithmic axis: "
        + ", ".join(f"{bar.name} {bar.text}" for bar in bars)
        + ".",
    )
    return plot_bars(bars, caption=caption, row_in=0.34)


def _cpu_bars() -> Sequence[Bar]:
    machine = look()
    bars = [
        Bar(f"CPU: L{cache.level} cache", cache.size_bytes, _copies(cache), style.ORANGE)
        for cache in machine.caches
    ]
    memory_bytes = machine.usable_memory_bytes
    if memory_bytes:
        bars.append(Bar("CPU: memory", memory_bytes, format_size(memory_bytes), style.ORANGE))
    return bars


def _copies(cache: Cache) -> str:
    each = format_size(cache.size_bytes / cache.copies)
    return each if cache.copies == 1 else f"{cache.copies} x {each}"


def _gpu_bars(gpu: Sizes) -> Sequence[Bar]:
    shared, registers = (
        f"{format_size(size / gpu.sms)} in each SM, {format_size(size)} in all"
        for size in (gpu.shared_bytes, gpu.registers_bytes)
    )
    places = (
        ("GPU: shared memory", gpu.shared_bytes, shared),
        ("GPU: registers", gpu.registers_bytes, registers),
        ("GPU: L2 cache", gpu.l2_bytes, format_size(gpu.l2_bytes)),
        ("GPU: memory", gpu.memory_bytes, format_quantity(gpu.memory_bytes, "B")),
    )
    hatch = "" if gpu.is_own else "///"
    return [Bar(name, size, text, style.BLUE, hatch) for name, size, text in places]
