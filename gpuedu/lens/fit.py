"""How much of a launch fits on one multiprocessor of each device, and what keeps more out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gpuedu.errors import UnknownNameError
from gpuedu.hardware.catalog import Device, device
from gpuedu.trace.records import Launch, Trace

if TYPE_CHECKING:
    from gpuedu.hardware.occupancy import Occupancy

DEVICES = ("t4", "a100-80gb", "h100-sxm")
"""Shown by default: what a free notebook service has, and what clusters have."""


@dataclass(frozen=True)
class Fit:
    """One launch on one device; ``occupancy`` is None if the device refuses it, with the reason."""

    device: str
    threads_per_block: int
    registers_per_thread: int
    shared_bytes_per_block: int
    occupancy: Occupancy | None
    refusal: str = ""

    def __str__(self) -> str:
        if self.occupancy is None:
            return f"{self.device}: refused: {self.refusal}"
        own = self.occupancy
        blocks = "1 block" if own.blocks_per_sm == 1 else f"{own.blocks_per_sm} blocks"
        return (
            f"{self.device}: {own.warps_per_sm} of {own.max_warps} warps on an SM "
            f"({blocks}, {self.registers_per_thread} registers a thread), limited by {self.limits}"
        )

    @property
    def limits(self) -> str:
        """Everything that must be raised before one more block fits, in words."""
        *first, last = [str(limiter) for limiter in self.occupancy.limiters]
        return f"{', '.join(first)} and {last}" if first else last


def occupancy_by_device(
    trace: Trace,
    registers_per_thread: int,
    devices: Iterable[str] = DEVICES,
    *,
    shared_bytes: int = 0,
) -> tuple[Fit, ...]:
    """Occupancy of the launch on devices of the catalog.

    When a class is graded there is none: an exercise asks for these rules, so they are not there.

    Args:
        trace: The account of a launch; its block and shared memory are read.
        registers_per_thread: As the compiler reports them for the kernel.
        devices: Keys of the catalog.
        shared_bytes: As the compiler reports it for a block, if the source does not say it, as in
            Triton.

    Raises:
        UnknownNameError: A key that the catalog does not have, or a device without CUDA.
    """
    found = [device(key) for key in devices]
    if not hasattr(_rules(), "occupancy"):
        return ()
    stated = max(trace.launch.shared_bytes, shared_bytes)
    launch = replace(trace.launch, shared_bytes=stated)
    return tuple(_fit(launch, registers_per_thread, one) for one in found)


def _rules() -> Any:
    return import_module("gpuedu.hardware.occupancy")


def _fit(launch: Launch, registers: int, on: Device) -> Fit:
    if on.compute_capability is None:
        raise UnknownNameError(
            f"{on.name} has no compute capability, so no kernel of CUDA runs on it",
            remedy="a device of NVIDIA",
        )
    shared_bytes = launch.shared_bytes + launch.dynamic_shared_bytes
    asked = (launch.threads_per_block, registers, shared_bytes)
    try:
        return Fit(on.name, *asked, _rules().occupancy(on.compute_capability, *asked))
    except _rules().LaunchError as fault:
        return Fit(on.name, *asked, None, fault.message)


@dataclass(frozen=True)
class FitCurve:
    """Share of an SM's warps that are in use, 0 to 1, for each value of one quantity.

    A value at which the device refuses the launch has a share of 0.
    """

    name: str
    values: tuple[int, ...]
    shares: tuple[float, ...]
