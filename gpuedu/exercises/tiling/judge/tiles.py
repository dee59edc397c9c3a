"""What the judges of tiled kernels share: how often tiles are read, and in whole rows or not."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Finding, Level, Plain, Property, Undecided
from gpuedu.exercises.kernels.properties import BETWEEN_TURNS, all_wait, unless_idle
from gpuedu.exercises.kernels.sightings import read_sightings
from gpuedu.exercises.kernels.traffic import read_traffic
from gpuedu.exercises.tiling.judge.products import TILE
from gpuedu.trace.counts import SECTOR_BYTES

_ROOM = 1.05
"""How many times the sectors of whole rows a launch may ask for."""


def tiles_wait(points: float, says: str) -> Property:
    """No race, no place of a tile read before it is written, barriers that all threads reach."""
    return all_wait(points, says=says, output="c", in_shared=True, asks=BETWEEN_TURNS)


def reads_once(says: str, points: float = 1) -> Property:
    """No block reads an element of ``a`` or ``b`` twice from global memory."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        if any(seen.kind == "negative-index" for seen in read_sightings(observed["sightings"])):
            yield Undecided("once", "an index is negative")
            return
        for name in ("a", "b"):
            loads = observed[f"{name}_loads"]
            if not loads.any():
                yield Undecided("once", f"`{name}` was never read")
            elif (loads > 1).any():
                yield Fault("once", _tell_again(case, name, loads))

    asks = "Which thread brings that element, and in which turn does the block need it?"
    return Property("once", says, points, asks, unless_idle("once", test, "c"))


def _tell_again(case: Case, name: str, loads: np.ndarray) -> str:
    """The first element that a block reads again, and how often the launch reads one."""
    m, n = case.inputs["c"].shape
    block, element = (int(found[0]) for found in np.nonzero(loads > 1))
    row, column = divmod(element, case.inputs[name].shape[1])
    often, mean = int(loads[block, element]), float(loads.sum() / loads.shape[1])
    least = -(-(n if name == "a" else m) // TILE)
    told = (
        f"block {block} reads `{name}[{row}, {column}]` "
        f"{'twice' if often == 2 else f'{often} times'} from global memory"
    )
    if mean <= least:
        return told
    return (
        f"{told}; the whole launch reads an element of `{name}` {mean:.3g} times, where {least} "
        "would do"
    )


def whole_rows(name: str, says: str, points: float, asks: str) -> Property:
    """The loads and the stores of ``c`` ask for no more sectors than whole rows do."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        (m, k), n = case.inputs["a"].shape, case.inputs["b"].shape[1]
        across, down = -(-n // TILE), -(-m // TILE)
        ideal = {"a": m * k // 8 * across, "b": k * n // 8 * down, "c": m * n // 8}
        for one, best in ideal.items():
            traffic = read_traffic(observed[f"{one}.traffic"])
            if not traffic.requests:
                verb = "written" if one == "c" else "read"
                yield Undecided(name, f"`{one}` was never {verb}")
            elif traffic.sectors > _ROOM * best:
                at = f", most of them at {traffic.worst.told}" if traffic.worst else ""
                once = "rows that are written once" if one == "c" else "tiles that are read once"
                asked = f"the launch asks for {traffic.sectors:,} sectors of `{one}`{at}"
                yield Fault(name, f"{asked}; {once} need {best:,}")

    return Property(name, says, points, asks, unless_idle(name, test, "c"))


def intensity_note(case: Case, observed: Plain) -> Finding:
    """How much arithmetic there is for each byte that the launch asks of global memory."""
    (m, k), n = case.inputs["a"].shape, case.inputs["b"].shape[1]
    sectors = sum(read_traffic(observed[f"{name}.traffic"]).sectors for name in "abc")
    flop = 2 * m * n * k
    return Finding(
        Level.NOTE,
        f"{flop / max(sectors * SECTOR_BYTES, 1):.3g} FLOP for each byte asked of global memory at "
        f"M, N, K = {m}, {n}, {k}; a thread for each element without tiles has 0.4.",
    )
