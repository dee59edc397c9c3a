"""occupancy: how many blocks fit on an SM, and how many warps it needs to be busy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gpuedu.exercises.compare import Misconception, is_close, likely_cause, number_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.registers.occupancy.sms import DEVICES, SMS, SUB_PARTITIONS
from gpuedu.hardware.occupancy import Limiter, occupancy

_LAUNCHES = {
    # property: compute capability, threads, registers, shared bytes
    "warps": (((9, 0), 65, 16, 0), ((7, 5), 100, 32, 2048), ((8, 0), 1000, 20, 0)),
    "registers": (
        ((9, 0), 256, 33, 0),
        ((9, 0), 64, 100, 1024),
        ((8, 9), 256, 143, 8192),
        ((8, 0), 128, 129, 4096),
        ((7, 5), 32, 168, 0),
    ),
    "shared": (
        ((8, 0), 128, 32, 16384),
        ((7, 5), 64, 24, 5_041),
        ((7, 5), 64, 24, 0),
        ((8, 6), 64, 32, 16_042),
        ((9, 0), 96, 40, 45_000),
    ),
    "blocks": (((7, 5), 32, 32, 0), ((8, 9), 32, 40, 512), ((8, 6), 64, 24, 0)),
}
_CHAINS = ((4, 1), (4, 2), (4, 16), (4, 3), (30, 1), (30, 16), (5, 4))


def cases(rng: np.random.Generator) -> list[Case]:
    """Launches that one limit decides, launches drawn at random, and chains of results."""
    found = [_case(one, (prop,)) for prop, ones in _LAUNCHES.items() for one in ones]
    found += [_case(_draw(rng, limiter), ("least",)) for limiter in Limiter for _ in range(2)]
    return found + [_chain(*one) for one in _CHAINS]


def _draw(rng: np.random.Generator, limiter: Limiter) -> tuple[tuple[int, int], int, int, int]:
    """A launch that this limit alone decides; of shared memory, every block gets some."""
    while True:
        capability = list(SMS)[rng.integers(len(SMS))]
        threads, registers = 32 * int(rng.integers(1, 17)), int(rng.integers(16, 128))
        shared_bytes = int(rng.integers(1, 120)) * 400
        fits = occupancy(capability, threads, registers, shared_bytes)
        if fits.limiters == (limiter,):
            return capability, threads, registers, shared_bytes


def _case(launch: tuple[Any, ...], decides: tuple[str, ...]) -> Case:
    capability, threads, registers, shared_bytes = launch
    inputs = {
        "ask": "blocks",
        "capability": capability,
        "sm": dict(SMS[capability]),
        "threads": threads,
        "registers": registers,
        "shared_bytes": shared_bytes,
    }
    label = (
        f"an SM of the {DEVICES[capability]}, blocks of {threads} threads, {registers} registers a "
        f"thread, {shared_bytes:,} bytes a block"
    )
    return Case(label, inputs, decides)


def _chain(latency: int, independent: int) -> Case:
    inputs = {"ask": "warps", "latency": latency, "independent": independent}
    return Case(f"{independent} independent, {latency} clocks each", inputs, ("enough",))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The blocks that the rules of the CUDA toolkit give, or the warps by Little's law."""
    given, got = case.inputs, observed["got"]
    if given["ask"] == "warps":
        asked = (given["latency"], given["independent"])
        call = f"warps_needed({asked[0]}, {asked[1]})"
        given = {"clocks": asked[0], "many": asked[1]}
        cause = likely_cause(got, _CHAIN_MISTAKES, given)
        yield from number_fault("enough", call, got, enough(*asked), cause=cause)
        return
    asked = (given["threads"], given["registers"], given["shared_bytes"])
    expected = occupancy(given["capability"], *asked).blocks_per_sm
    name = DEVICES[given["capability"]].replace(" ", "")
    call = f"blocks_per_sm({name}, {', '.join(map(str, asked))})"
    cause = _cause(got, given["sm"], asked)
    yield from number_fault(case.decides[0], call, got, expected, cause=cause)


def enough(latency: int, independent: int) -> int:
    """Warps of an SM that keep its four schedulers busy with dependent chains.

    >>> enough(4, 1), enough(4, 16)
    (16, 4)
    """
    return SUB_PARTITIONS * -(-latency // independent)


def _cause(got: float, sm: dict[str, int], launch: tuple[int, int, int]) -> str:
    """Each rule that, left out, gives this number: a single launch often cannot tell which."""
    found = [says for name, says in _SAYS.items() if is_close(got, _blocks(sm, launch, name), 0.0)]
    if len(found) < 2:
        return "".join(found)
    return " ".join(["More than one slip gives this number.", *found])


def _blocks(sm: dict[str, int], launch: tuple[int, int, int], without: str) -> int:
    """Blocks on an SM by somebody who leaves out one rule."""
    threads, registers, shared = launch
    warps = threads // 32 if without == "warps up" else -(-threads // 32)
    unit = 1 if without == "registers up" else 256
    of_warp = -(-registers * 32 // unit) * unit
    parts = 1 if without == "sub-partitions" else SUB_PARTITIONS
    by_registers = sm["registers"] // parts // of_warp * parts // warps
    if without != "reserved":
        shared += sm["reserved_bytes"]
    unit = 1 if without == "shared up" else sm["unit_bytes"]
    shared = -(-shared // unit) * unit
    allowed = {
        "warps": sm["warps"] // warps,
        "blocks": sm["blocks"],
        "registers": by_registers,
        "shared": sm["shared_bytes"] // shared if shared else sm["blocks"],
    }
    return min(n for name, n in allowed.items() if name != without)


_SAYS = {
    "warps up": "A block of 65 threads has three warps: the last one is begun, and takes a place.",
    "registers up": "A warp gets registers in units of 256. What does 33 * 32 become?",
    "sub-partitions": "No warp has registers of two sub-partitions: how many warps fit into one, "
    "with its quarter of the registers? Then times 4.",
    "reserved": "What the system keeps for itself in each block is missing.",
    "shared up": "Shared memory is handed out in units, too.",
    "warps": "The room for warps is no limit in that.",
    "blocks": "The room for blocks is no limit in that: however small they are, there are at most "
    '`sm["blocks"]` of them.',
    "registers": "The registers are no limit in that.",
    "shared": "Shared memory is no limit in that.",
}
_CHAIN_MISTAKES = (
    Misconception(
        lambda clocks, many: -(-clocks // many),
        "That is enough for one scheduler. An SM has four, and each needs warps of its own.",
    ),
    Misconception(
        lambda clocks, many: SUB_PARTITIONS * clocks,
        "The independent instructions are not in it: one warp can have several on their way.",
    ),
    Misconception(
        lambda clocks, many: SUB_PARTITIONS * max(1, clocks // many),
        "That leaves clocks in which nobody has anything ready: round up.",
    ),
    Misconception(
        lambda clocks, many: -(-SUB_PARTITIONS * clocks // many),
        "Each scheduler needs its own whole warps: round up for one, then times 4.",
    ),
    Misconception(
        lambda clocks, many: SUB_PARTITIONS * clocks * many,
        "More independent instructions in a warp, fewer warps: is that a product?",
    ),
)

JUDGE = Judge(
    title="What fits on an SM, and what is enough",
    properties=(
        Property("warps", "a begun warp counts as a whole one", 1),
        Property("registers", "registers by the warp, in units, a quarter of the SM each", 1),
        Property("shared", "shared memory with what is reserved, in units; none is no limit", 1),
        Property("blocks", "there is room for so many blocks, however small they are", 1),
        Property("least", "the smallest of the four limits counts", 1),
        Property("enough", "warps that keep four schedulers busy", 1),
    ),
    hints=(
        "Compute four numbers of blocks, each as if it were the only limit. Which of them counts?",
        "`-(-n // unit) * unit` rounds n up to a multiple. Registers: of a warp, rounded up; warps "
        "in a quarter of the registers, times 4; then blocks. For `warps_needed`: while one result "
        "is on its way, a scheduler wants `latency` instructions, and a warp has `independent`.",
        "`warps = -(-threads // 32)`, `of_warp = -(-registers * 32 // 256) * 256`, "
        '`sm["registers"] // 4 // of_warp * 4 // warps`. Shared: `shared_bytes + '
        'sm["reserved_bytes"]` rounded up, and if that is 0, no limit. `min` of these, of '
        '`sm["warps"] // warps` and of `sm["blocks"]`. Needed: `4 * -(-latency // independent)`.',
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "occupancy": Prediction(
            "256 threads a block, 150 registers a thread, an SM of the H200: how many warps are on "
            "it at the same time?",
            truth=8,
            unit="warps",
            because="A warp gets 4,864 registers, so 3 warps fit into a quarter, 12 on the SM: one "
            "block of 8 warps, an eighth of the room.",
        ),
        "occupancy-enough": Prediction(
            "each thread has 16 sums that do not depend on each other, a result comes after 4 "
            "clocks: how many warps keep an SM's arithmetic busy?",
            truth=4,
            unit="warps",
            because="A warp has 16 multiply-adds ready, and its scheduler needs 4 at a time. One "
            "warp for each of the four schedulers will do.",
        ),
    },
)
