"""How many blocks of a launch an SM holds at once, and what keeps it from holding more.

The rules are those of ``cuda_occupancy.h``, the header of the CUDA toolkit (12.9) that answers the
same question, for the default split between L1 cache and shared memory; the limits are from the
CUDA C++ Programming Guide (12.9), "Technical Specifications per Compute Capability".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gpuedu.errors import GpueduError
from gpuedu.units import KIB

WARP_SIZE = 32
MAX_THREADS_PER_BLOCK = 1024
MAX_REGISTERS_PER_THREAD = 255
REGISTERS_PER_SM = 65536
STATIC_SHARED_BYTES = 48 * KIB

_REGISTER_UNIT = 256  # registers are handed to a warp in multiples of this
_SUB_PARTITIONS = 4


class LaunchError(GpueduError):
    """A launch that a device refuses: not one of its blocks fits on an SM."""


class UnknownComputeCapabilityError(GpueduError):
    """A compute capability whose limits the course does not know."""


class Limiter(StrEnum):
    """What an SM has a limited number of."""

    WARPS = "warps"
    BLOCKS = "blocks"
    REGISTERS = "registers"
    SHARED_MEMORY = "shared memory"


@dataclass(frozen=True)
class Occupancy:
    """How full an SM is, for one launch on one compute capability.

    Args:
        compute_capability: (major, minor).
        blocks_per_sm: blocks that are on an SM at the same time, if the grid has that many.
        warps_per_sm: their warps.
        max_warps: warps that the SM has room for.
        blocks_allowed: the blocks that each limit alone would allow; None if the launch uses none
            of it.
        registers_per_block: registers set aside for a block; more than it uses, by rounding.
        shared_bytes_per_block: shared memory set aside for a block, what the driver keeps included.
    """

    compute_capability: tuple[int, int]
    blocks_per_sm: int
    warps_per_sm: int
    max_warps: int
    blocks_allowed: dict[Limiter, int | None]
    registers_per_block: int
    shared_bytes_per_block: int

    @property
    def fraction(self) -> float:
        """Warps on the SM as a share of the warps it has room for."""
        return self.warps_per_sm / self.max_warps

    @property
    def limiters(self) -> tuple[Limiter, ...]:
        """The limits that must all be raised before one more block fits."""
        return tuple(k for k, n in self.blocks_allowed.items() if n == self.blocks_per_sm)


@dataclass(frozen=True)
class _Sm:
    """What an SM has: room for warps and blocks, shared memory, and how that is handed out."""

    warps: int
    blocks: int
    shared_bytes: int
    opt_in_bytes: int
    reserved_bytes: int
    shared_unit_bytes: int


def _sm(warps: int, blocks: int, shared: int, opt_in: int, reserved: int, unit: int) -> _Sm:
    return _Sm(warps, blocks, shared * KIB, opt_in * KIB, reserved * KIB, unit)


_SMS = {
    (7, 0): _sm(64, 32, 96, 96, 0, 256),
    (7, 5): _sm(32, 16, 64, 64, 0, 256),
    (8, 0): _sm(64, 32, 164, 163, 1, 128),
    (8, 6): _sm(48, 16, 100, 99, 1, 128),
    (8, 9): _sm(48, 24, 100, 99, 1, 128),
    (9, 0): _sm(64, 32, 228, 227, 1, 128),
    (10, 0): _sm(64, 32, 228, 227, 1, 128),
    (12, 0): _sm(48, 24, 100, 99, 1, 128),
}

COMPUTE_CAPABILITIES = tuple(_SMS)
"""The compute capabilities whose limits are known, as (major, minor)."""


def occupancy(
    compute_capability: tuple[int, int],
    threads_per_block: int,
    registers_per_thread: int,
    shared_bytes_per_block: int = 0,
    *,
    opt_in: bool = False,
) -> Occupancy:
    """Blocks and warps that an SM holds at once, by warps, blocks, registers and shared memory.

    Simplified: the split between L1 cache and shared memory is left to the driver, named barriers
    and clusters are not counted, and nothing is said about a grid too small to fill the device.

    Args:
        compute_capability: (major, minor), one of ``COMPUTE_CAPABILITIES``.
        threads_per_block: threads, all dimensions multiplied.
        registers_per_thread: as the compiler reports them.
        shared_bytes_per_block: static and dynamic shared memory, in bytes.
        opt_in: whether the host code asks for more than 48 KiB of shared memory.

    Raises:
        UnknownComputeCapabilityError: the course does not know its limits.
        LaunchError: not one block fits; the message says why.

    >>> full = occupancy((9, 0), 256, 32)
    >>> full.blocks_per_sm, full.fraction
    (8, 1.0)
    >>> some = occupancy((9, 0), 256, 64, 16 * 1024)
    >>> some.blocks_per_sm, some.fraction, [str(limiter) for limiter in some.limiters]
    (4, 0.5, ['registers'])
    """
    sm = _find(compute_capability)
    _check_threads(threads_per_block)
    _check_registers(threads_per_block, registers_per_thread)
    _check_shared(sm, shared_bytes_per_block, opt_in)
    warps = -(-threads_per_block // WARP_SIZE)
    registers_per_warp = _round_up(registers_per_thread * WARP_SIZE, _REGISTER_UNIT)
    shared = _round_up(shared_bytes_per_block + sm.reserved_bytes, sm.shared_unit_bytes)
    allowed = {
        Limiter.WARPS: sm.warps // warps,
        Limiter.BLOCKS: sm.blocks,
        Limiter.REGISTERS: _warps_by_registers(registers_per_warp) // warps
        if registers_per_warp
        else None,
        Limiter.SHARED_MEMORY: sm.shared_bytes // shared if shared else None,
    }
    blocks = min(n for n in allowed.values() if n is not None)
    return Occupancy(
        compute_capability=tuple(compute_capability),
        blocks_per_sm=blocks,
        warps_per_sm=blocks * warps,
        max_warps=sm.warps,
        blocks_allowed=allowed,
        registers_per_block=registers_per_warp * warps,
        shared_bytes_per_block=shared,
    )


def _find(compute_capability: tuple[int, int]) -> _Sm:
    try:
        return _SMS[tuple(compute_capability)]
    except (KeyError, TypeError):
        known = ", ".join(f"({major}, {minor})" for major, minor in _SMS)
        raise UnknownComputeCapabilityError(
            f"no limits are known for compute capability {compute_capability!r}",
            remedy=f"one of {known}, as a pair (major, minor)",
        ) from None


def _round_up(amount: int, unit: int) -> int:
    return -(-amount // unit) * unit


def _warps_by_registers(registers_per_warp: int) -> int:
    """Warps of an SM that get their registers: each sub-partition has a quarter and shares none."""
    return REGISTERS_PER_SM // _SUB_PARTITIONS // registers_per_warp * _SUB_PARTITIONS


def _check_threads(threads: int) -> None:
    if not 1 <= threads <= MAX_THREADS_PER_BLOCK:
        raise LaunchError(
            f"a block cannot have {threads:,} threads: it has 1 to 1,024",
            remedy="more blocks of fewer threads; 128 or 256 suit most kernels",
        )


def _check_registers(threads: int, registers: int) -> None:
    if not 0 <= registers <= MAX_REGISTERS_PER_THREAD:
        raise LaunchError(
            f"a thread cannot have {registers} registers: it has at most 255",
            remedy="the number that the compiler reports",
        )
    warps = -(-threads // WARP_SIZE)
    needed = _round_up(registers * WARP_SIZE, _REGISTER_UNIT) * _round_up(warps, _SUB_PARTITIONS)
    if needed > REGISTERS_PER_SM:
        raise LaunchError(
            f"a block of {threads:,} threads with {registers} registers each needs {needed:,} "
            f"registers, and an SM has {REGISTERS_PER_SM:,}",
            remedy="fewer threads a block, or max_registers= in cuda.jit (the rest is spilled)",
        )


def _check_shared(sm: _Sm, shared_bytes: int, opt_in: bool) -> None:
    if shared_bytes < 0:
        raise LaunchError(f"a block cannot have {shared_bytes} bytes of shared memory")
    if shared_bytes > sm.opt_in_bytes:
        raise LaunchError(
            f"a block with {shared_bytes:,} bytes of shared memory fits on no SM of this compute "
            f"capability, which gives a block {sm.opt_in_bytes:,} at most",
            remedy="a smaller tile, or a narrower dtype",
        )
    if shared_bytes > STATIC_SHARED_BYTES and not opt_in:
        raise LaunchError(
            f"a block has {shared_bytes:,} bytes of shared memory; without opting in, it gets "
            f"{STATIC_SHARED_BYTES:,} at most",
            remedy="a smaller tile; Numba cannot opt in, CuPy and CUDA C can (opt_in=True)",
        )
