"""Launch configurations: read as by ``numba.cuda``, and checked against what devices accept."""

from __future__ import annotations

import numbers
from typing import Any

from gpuedu.simt.host.devices import get_current_device
from gpuedu.simt.host.errors import CudaTypeError, CudaValueError, LaunchError

Dim3 = tuple[int, int, int]

MISSING_CONFIGURATION = (
    "Kernel launch configuration was not specified. Use the syntax: "
    "kernel_function[blockspergrid, threadsperblock](arg0, arg1, ..., argn)"
)


def dimensions(value: Any, name: str) -> Dim3:
    """Three extents from an int or one to three of them; the missing ones are 1.

    >>> dimensions((4, 2), "griddim")
    (4, 2, 1)
    """
    if value is None:
        raise CudaValueError(MISSING_CONFIGURATION)
    given = list(value) if isinstance(value, (tuple, list)) else [value]
    if not 1 <= len(given) <= 3:
        raise CudaValueError(f"{name} must be a sequence of 1, 2 or 3 integers, got {given!r}")
    for extent in given:
        if not isinstance(extent, numbers.Integral):
            raise CudaTypeError(
                f"{name} must be a sequence of integers, got {given!r}",
                remedy="round up with (n + threads - 1) // threads",
            )
    x, y, z = [int(extent) for extent in given] + [1] * (3 - len(given))
    return x, y, z


def require_launchable(name: str, grid: Dim3, block: Dim3, dynamic_shared_bytes: int) -> None:
    """Refuse a launch that no device accepts, as ``cuLaunchKernel`` does: LaunchError."""
    device = get_current_device()
    for what, extents, limit in (
        ("grid", grid, "MAX_GRID_DIM"),
        ("block", block, "MAX_BLOCK_DIM"),
    ):
        for axis, extent in zip("xyz", extents, strict=True):
            most = getattr(device, f"{limit}_{axis.upper()}")
            if not 1 <= extent <= most:
                raise LaunchError(
                    f"launch of `{name}`: the {what} is {extents}, and its {axis} extent must be "
                    f"1 to {most}",
                    remedy="a launch needs at least one block of one thread"
                    if extent < 1
                    else "let each thread do more, or use another axis",
                )
    threads, most = block[0] * block[1] * block[2], device.MAX_THREADS_PER_BLOCK
    if threads > most:
        raise LaunchError(
            f"launch of `{name}`: a block of {block} is {threads} threads; a block has at most "
            f"{most}",
            remedy="smaller blocks and more of them",
        )
    most = device.MAX_SHARED_MEMORY_PER_BLOCK
    if not 0 <= dynamic_shared_bytes <= most:
        raise LaunchError(
            f"launch of `{name}`: {dynamic_shared_bytes} bytes of dynamic shared memory; a block "
            f"has at most {most}",
            remedy="smaller tiles",
        )


def most_cooperative_blocks(block: Dim3) -> int:
    """How many blocks of this size the device holds at once, as far as threads limit it."""
    device = get_current_device()
    warps = -(-block[0] * block[1] * block[2] // device.WARP_SIZE)
    of_threads = device.MAX_THREADS_PER_MULTI_PROCESSOR // (warps * device.WARP_SIZE)
    each = min(of_threads, device.MAX_BLOCKS_PER_MULTIPROCESSOR)
    return int(device.MULTIPROCESSOR_COUNT * each)


def require_cooperative(name: str, grid: Dim3, block: Dim3, *, asked: bool) -> None:
    """Refuse blocks that cannot meet, as ``cuLaunchCooperativeKernel`` does: LaunchError."""
    if not asked:
        raise LaunchError(
            f"launch of `{name}`: its blocks wait for each other, which needs a cooperative launch",
            remedy="`enable_cooperative_groups=True` where the kernel is made",
        )
    blocks, most = grid[0] * grid[1] * grid[2], most_cooperative_blocks(block)
    if blocks > most:
        raise LaunchError(
            f"launch of `{name}`: its {blocks} blocks wait for each other, but the device "
            f"holds only {most} of {block[0] * block[1] * block[2]} threads at once",
            remedy="fewer blocks, and a grid-stride loop",
        )


def require_shared_memory(name: str, static_bytes: int, dynamic_bytes: int) -> None:
    """Refuse a launch whose static and dynamic shared memory exceeds a block's: LaunchError."""
    most = get_current_device().MAX_SHARED_MEMORY_PER_BLOCK
    if static_bytes > most:
        raise LaunchError(
            f"`{name}` declares {static_bytes:,} bytes of static shared memory; a block has at "
            f"most {most:,}",
            remedy="smaller tiles, a smaller type, or dynamic shared memory",
        )
    if static_bytes + dynamic_bytes > most:
        raise LaunchError(
            f"launch of `{name}`: {static_bytes:,} bytes of static and {dynamic_bytes:,} of "
            f"dynamic shared memory make {static_bytes + dynamic_bytes:,}; a block has at most "
            f"{most:,}",
            remedy="smaller tiles, or a smaller type",
        )


def require_bounds(name: str, block: Dim3, bounds: int | tuple[int, ...] | None) -> None:
    """Refuse blocks larger than ``launch_bounds`` of ``cuda.jit`` allows: LaunchError."""
    most = bounds[0] if isinstance(bounds, tuple) else bounds
    threads = block[0] * block[1] * block[2]
    if most is not None and threads > most:
        raise LaunchError(
            f"launch of `{name}`: a block of {block} is {threads} threads; its launch_bounds "
            f"allow {most}",
            remedy="smaller blocks, or larger launch_bounds",
        )
