"""What an SM of some compute capabilities has, as the lesson gives it to the learner."""

from __future__ import annotations

from collections.abc import Mapping

from gpuedu.hardware.occupancy import REGISTERS_PER_SM
from gpuedu.units import KIB

SUB_PARTITIONS = 4


def _sm(
    warps: int, blocks: int, shared_kib: int, reserved_bytes: int, unit_bytes: int
) -> dict[str, int]:
    return {
        "warps": warps,
        "blocks": blocks,
        "registers": REGISTERS_PER_SM,
        "shared_bytes": shared_kib * KIB,
        "reserved_bytes": reserved_bytes,
        "unit_bytes": unit_bytes,
    }


SMS: Mapping[tuple[int, int], Mapping[str, int]] = {
    (7, 5): _sm(32, 16, 64, 0, 256),
    (8, 0): _sm(64, 32, 164, 1024, 128),
    (8, 6): _sm(48, 16, 100, 1024, 128),
    (8, 9): _sm(48, 24, 100, 1024, 128),
    (9, 0): _sm(64, 32, 228, 1024, 128),
}
"""By compute capability; ``gpuedu.hardware.occupancy`` has the same limits and their source."""

DEVICES = {(7, 5): "T4", (8, 0): "A100", (8, 6): "RTX 3090", (8, 9): "L4", (9, 0): "H200"}
"""A device that has each."""
