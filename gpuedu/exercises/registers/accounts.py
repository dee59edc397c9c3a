"""What five launches of rungs cost, counted and compiled: the material of ``read-the-ladder``.

An account is a dict of numbers, as the learner's function gets it:

- ``flop``: floating-point operations of the launch;
- ``l1_bytes``: bytes through the SM's data path, of global and of shared memory;
- ``excess_bytes``: those of them that are sectors beyond the least that the same lanes need;
- ``memory_bytes``: each touched sector of global memory once;
- ``spill_bytes``: bytes that a thread stores and fetches because registers ran out, as compiled;
- ``warps``, ``warps_needed``: warps on an SM, and those that keep its arithmetic busy;
- ``flop_per_s``, ``l1_bytes_per_s``, ``memory_bytes_per_s``: what the device can do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gpuedu.hardware.occupancy import occupancy
from gpuedu.hardware.roofline import Roofs, roofs_of
from gpuedu.trace.counts import SECTOR_BYTES

Account = Mapping[str, float]

DEVICE, CAPABILITY = "a100-80gb", (8, 0)
_LATENCY, _SCHEDULERS = 4, 4
KEYS = ("flop", "l1_bytes", "excess_bytes", "memory_bytes", "spill_bytes", "warps", "warps_needed")


@dataclass(frozen=True)
class Entrant:
    """One launch: a rung, the shape (M, N, K) of its product, and a bound for its registers."""

    rung: str
    shape: tuple[int, int, int]
    max_registers: int | None = None


ENTRANTS = {
    "A": Entrant("tiled", (128, 128, 64)),
    "B": Entrant("wide-register-tile", (128, 128, 64), max_registers=64),
    "C": Entrant("wide-register-tile", (128, 128, 8)),
    "D": Entrant("by-columns", (128, 128, 64)),
    "E": Entrant("wide-register-tile", (128, 128, 64)),
}

_COUNTED = {
    "A": (2097152, 8978432, 0, 131072, 0, 64, 16),
    "B": (2097152, 1245184, 0, 131072, 1140, 32, 4),
    "C": (262144, 212992, 0, 73728, 0, 8, 4),
    "D": (2097152, 38273024, 29818880, 131072, 0, 64, 16),
    "E": (2097152, 1245184, 0, 131072, 0, 8, 4),
}
"""What ``count`` gives for each, in the order of ``KEYS``; a test counts again."""


def five() -> dict[str, dict[str, float]]:
    """The five accounts, with the rates of the device."""
    roofs = roofs_of(DEVICE)
    return {
        name: dict(zip(KEYS, counts, strict=True)) | rates(roofs)
        for name, counts in _COUNTED.items()
    }


def rates(roofs: Roofs) -> dict[str, float]:
    """What a device can do, as it stands in an account."""
    return {
        "flop_per_s": roofs.flop_per_s,
        "l1_bytes_per_s": roofs.l1_bytes_per_s,
        "memory_bytes_per_s": roofs.memory_bytes_per_s,
    }


def count(entrant: Entrant) -> dict[str, float]:
    """Launch on the machine and compile: the account of one entrant, without the rates."""
    from gpuedu.compilers import compiled_facts
    from gpuedu.ladder import rung
    from gpuedu.lens import lens
    from gpuedu.lens.roofline import roofline_point

    m, n, k = entrant.shape
    own = rung(entrant.rung)
    a, b, c = (np.ones(shape, np.float32) for shape in ((m, k), (k, n), (m, n)))
    trace = own.simulate(a, b, c, watch=())
    if not entrant.max_registers:
        facts = own.compiled(m, n, k, CAPABILITY)
    else:
        facts = compiled_facts(
            own.kernel_for(m, n, k),
            ("float32[:, ::1]",) * 3,
            compute_capability=CAPABILITY,
            lineinfo=False,
            max_registers=entrant.max_registers,
        )
    point = roofline_point(lens(trace))
    sums = 1 if own.blocking is None else own.blocking.thread_rows * own.blocking.thread_columns
    excess = sum(int(np.maximum(one.sectors - one.ideal_sectors, 0).sum()) for one in trace.sites)
    fits = occupancy(CAPABILITY, own.threads, facts.registers, facts.shared_bytes)
    return {
        "flop": point.flop,
        "l1_bytes": point.l1_bytes,
        "excess_bytes": SECTOR_BYTES * excess,
        "memory_bytes": point.memory_bytes,
        "spill_bytes": facts.spill_stores_bytes + facts.spill_loads_bytes,
        "warps": fits.warps_per_sm,
        "warps_needed": _SCHEDULERS * -(-_LATENCY // sums),
    }
