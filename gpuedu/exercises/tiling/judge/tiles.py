"""What the judges of tiled kernels share: who waits for whom, and how often tiles are read."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.contract import Case, Fault, Finding, Level, Plain
from gpuedu.exercises.kernels.costs import conflict_faults
from gpuedu.exercises.kernels.faults import RACE
from gpuedu.exercises.kernels.sightings import Sighting, read_sightings
from gpuedu.exercises.kernels.traffic import Traffic, read_traffic
from gpuedu.exercises.tiling.judge.products import TILE

SECTOR_BYTES = 32
BRING = "Bring a tile of `a` and one of `b` to `cuda.shared.array` first."
_AGAIN = (
    "Each thread brings one element of each tile, and reads the others' from shared memory. Which "
    "line goes to global memory inside of the inner loop?"
)
_BANKS = (
    "Lanes of a warp differ in x. Word k of an array lies in bank k % 32: which index of the tile "
    "has x in it, the first or the last?"
)
_GROWS = "Where does the sum stand while it grows, and when is it written?"
_SOME = 0.4
"""Elements that are read again are a few at an edge below this share."""

_TURNED = "A warp has one `threadIdx.y`. Which index has x in it, the row or the column?"


def ask_about(seen: Sighting) -> str:
    """The question below a hazard of a tiled matmul."""
    if seen.kind in RACE:
        return _ask_about_race(seen)
    if seen.kind == "uninitialised-read":
        return (
            "Which thread should have put that element into the tile, and what stands there where "
            "the matrix has none?"
        )
    if seen.kind == "divergent-barrier":
        return (
            "All threads of a block have to come to each barrier, also those without an element: "
            "keep it out of every `if`, and do not `return` before it."
        )
    if seen.kind == "negative-index":
        return "Blocks, threads and elements count from 0. Whose index comes out below that?"
    if f"({TILE}, {TILE})" in seen.message:
        return "A tile has 32 rows and columns, in every block: its indices are 0 to 31."
    if " writes " in seen.message:
        return "Which threads have no element of `c`, and what keeps them from writing one?"
    return (
        "The load goes past an edge. `a` ends at M and K, `b` at K and N: which of its two indices "
        "is too large, and what should the tile get instead?"
    )


def _ask_about_race(seen: Sighting) -> str:
    if " reads " in seen.message and " wrote " in seen.message:
        return (
            "What stands between the lines that fill the tiles and the loop that reads them? (A "
            "barrier is a call, with parentheses.)"
        )
    if " writes " in seen.message and " read " in seen.message:
        return (
            "One thread fills the next tile while another still reads the old one. Where do they "
            "wait a second time?"
        )
    return "Two threads use one place. Which of them should, and what makes the other wait?"


def unshared_faults(observed: Plain, properties: Iterable[str]) -> Iterable[Fault]:
    """A fault of each property where no thread used shared memory."""
    if not read_traffic(observed["shared_traffic"]).requests:
        for prop in properties:
            told = "no thread used shared memory, so this shows nothing yet"
            yield Fault(prop, told, BRING)


def once_faults(prop: str, case: Case, observed: Plain) -> Iterable[Fault]:
    """A fault where a block reads an element of ``a`` or ``b`` more than once."""
    if any(seen.kind == "negative-index" for seen in read_sightings(observed["sightings"])):
        yield Fault(prop, "an index is negative, so this shows nothing yet")
        return
    for name in ("a", "b"):
        loads = observed[f"{name}_loads"]
        if not loads.any():
            yield Fault(prop, f"`{name}` was never read, so this shows nothing yet")
            continue
        block, element = np.nonzero(loads > 1)
        if not element.size:
            continue
        row, column = divmod(int(element[0]), case.inputs[name].shape[1])
        often = int(loads[block[0], element[0]])
        mean, least = float(loads.sum() / loads.shape[1]), _least(case, name)
        more = f"; the whole launch reads an element of `{name}` {mean:.3g} times, where {least} "
        yield Fault(
            prop,
            f"block {block[0]} reads `{name}[{row}, {column}]` "
            f"{'twice' if often == 2 else f'{often} times'} from global memory"
            f"{f'{more}would do' if mean > least else ''}",
            _ask_about_again(element.size / np.count_nonzero(loads), often, _is_whole(case)),
        )


def _is_whole(case: Case) -> bool:
    """Whether M, N and K are whole tiles, so that there is no edge."""
    return not any(size % TILE for name in ("a", "b") for size in case.inputs[name].shape)


def _ask_about_again(share: float, often: int, is_whole: bool) -> str:
    """A question, by the share of the elements that a block reads again."""
    if share < _SOME and not is_whole:
        return (
            "Only some are read again, those at an edge. What do the threads behind the edge "
            "read, and does anybody need it?"
        )
    if often >= TILE:
        return _AGAIN
    return "Does it come back in a later turn, or do two threads of the block bring it?"


def _least(case: Case, name: str) -> int:
    """Blocks that need an element: those along N for ``a``, along M for ``b``."""
    m, n = case.inputs["c"].shape
    return -(-(n if name == "a" else m) // TILE)


def sector_faults(prop: str, case: Case, observed: Plain, most: float = 1.05) -> Iterable[Fault]:
    """A fault where the loads, or the stores of ``c``, ask for more sectors than whole rows do."""
    (m, k), n = case.inputs["a"].shape, case.inputs["b"].shape[1]
    across, down = -(-n // TILE), -(-m // TILE)
    ideal = {"a": m * k // 8 * across, "b": k * n // 8 * down, "c": m * n // 8}
    for name, best in ideal.items():
        traffic = read_traffic(observed[f"{name}_traffic"])
        if traffic.sectors > most * best:
            worst = traffic.worst
            at = f", most of them at {worst.told}" if worst else ""
            once = "rows that are written once" if name == "c" else "tiles that are read once"
            yield Fault(
                prop,
                f"the launch asks for {traffic.sectors:,} sectors of `{name}`{at}; {once} need "
                f"{best:,}",
                _TURNED if worst else _GROWS if name == "c" else _AGAIN,
            )


def bank_faults(prop: str, observed: Plain) -> Iterable[Fault]:
    """A fault at the access to shared memory that loses the most passes."""
    shared = read_traffic(observed["shared_traffic"])
    yield from conflict_faults(prop, shared, cause=_BANKS, unused=BRING)


def intensity_note(case: Case, observed: Plain) -> Finding:
    """How much arithmetic there is for each byte that the launch asks of global memory."""
    (m, k), n = case.inputs["a"].shape, case.inputs["b"].shape[1]
    asked = sum(_sectors(observed, name) for name in "abc") * SECTOR_BYTES
    flop = 2 * m * n * k
    return Finding(
        Level.NOTE,
        f"{flop / max(asked, 1):.3g} FLOP for each byte asked of global memory at M, N, K = "
        f"{m}, {n}, {k}; a thread for each element without tiles has 0.4.",
    )


def _sectors(observed: Plain, name: str) -> int:
    traffic: Traffic = read_traffic(observed[f"{name}_traffic"])
    return traffic.sectors
