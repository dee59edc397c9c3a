"""Rates and latencies that the pictures of this lesson compute with, each with where it is from.

Data sheets print bandwidths and peaks; they do not print latencies. The latencies here are round
numbers of the size that published microbenchmarks report (see ``LATENCY_SOURCES``).
"""

from __future__ import annotations

from dataclasses import dataclass

LATENCY_SOURCES = (
    "W. Luo et al., Dissecting the NVIDIA Hopper Architecture through Microbenchmarking and "
    "Multiple Level Analysis, arXiv:2501.12084",
    "Z. Jia et al., Dissecting the NVidia Turing T4 GPU via Microbenchmarking, arXiv:1903.07486",
    "D. Levinthal, Performance Analysis Guide for Intel Core i7 and Xeon 5500 Processors, 2009",
)
CPU_LATENCY_S, GPU_LATENCY_S = 80e-9, 500e-9

CPU_CORES, CPU_UNITS, CPU_LANES, CPU_HZ = 8, 2, 8, 4.5e9
CPU_FLOP_PER_S = CPU_CORES * CPU_UNITS * CPU_LANES * 2 * CPU_HZ
"""A desktop CPU: 8 cores with two multiply-add units of 8 float32 lanes, at 4.5 GHz."""

CPU_BYTES_PER_S = 2 * 8 * 5.2e9
"""Its memory: two channels of 8 bytes, DDR5-5200."""

CORE_BYTES_PER_S = 12 * 64 / CPU_LATENCY_S
"""One core: 12 cache lines of 64 bytes under way at a time, a round number, too."""

PCIE5_BYTES_PER_S = 16 * 32e9 * 128 / 130 / 8
"""PCIe 5.0 with 16 lanes, one way: 32 GT/s a lane, 128 of 130 bits are data."""

LAUNCH_S = 5e-6
"""From the host's call to the kernel's start: a round number."""


@dataclass(frozen=True)
class MemorySpeed:
    """A processor's memory: seconds for one access, bytes a second for many."""

    name: str
    latency_s: float
    bytes_per_s: float


@dataclass(frozen=True)
class Gpu:
    """A GPU by its data sheet: dense peaks and the memory's bandwidth."""

    name: str
    bf16_flop_per_s: float
    fp32_flop_per_s: float
    bytes_per_s: float


def large_gpu() -> Gpu:
    """The GPU that the pictures compare with."""
    from gpuedu.hardware import device

    gpu = device("h100-sxm")
    return Gpu(gpu.name, gpu.flop_per_s["bf16"], gpu.flop_per_s["fp32"], gpu.bandwidth_bytes_per_s)


def memories() -> tuple[MemorySpeed, ...]:
    """A CPU's core, a desktop CPU, and three GPUs with the bandwidth of their data sheets."""
    from gpuedu.hardware import device

    gpus = [device(key) for key in ("t4", "a100-80gb", "h100-sxm")]
    return (
        MemorySpeed("one CPU core", CPU_LATENCY_S, CORE_BYTES_PER_S),
        MemorySpeed("desktop CPU", CPU_LATENCY_S, CPU_BYTES_PER_S),
        *(MemorySpeed(gpu.name, GPU_LATENCY_S, gpu.bandwidth_bytes_per_s) for gpu in gpus),
    )


def elements_per_s(
    flop_per_s: float, bytes_per_s: float, flop_per_element: float, bytes_per_element: float
) -> float:
    """Elements a second at peak: what arithmetic allows or what memory allows, the lesser.

    >>> elements_per_s(1e12, 1e11, 100, 8)
    10000000000.0
    """
    return min(flop_per_s / flop_per_element, bytes_per_s / bytes_per_element)
