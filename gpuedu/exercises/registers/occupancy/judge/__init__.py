"""occupancy: how many blocks fit on an SM, and how many warps it needs to be busy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.exercises.compare import number_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.registers.occupancy.sms import DEVICES, SMS, SUB_PARTITIONS
from gpuedu.hardware.occupancy import Limiter, occupancy

_LAUNCHES = {
    # property: compute capability, threads, registers, shared bytes
    "warps": (((9, 0), 65, 16, 0), ((7, 5), 100, 32, 2048), ((8, 0), 1000, 20, 0)),
    "registers": (
        ((9, 0), 256, 33, 0),
        ((9, 0), 256, 64, 0),
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
        ((9, 0), 96, 40, 45_578),
        ((7, 5), 32, 24, 9_300),
    ),
    "blocks": (((7, 5), 32, 32, 0), ((8, 9), 32, 40, 512), ((8, 6), 64, 24, 0)),
}
_OTHER_SMS = (
    # reserved bytes, unit, bytes of a block, and how many such blocks 4 KiB are enough for
    (512, 128, 0, 8),
    (100, 256, 412, 8),
)
"""SMs of no device: the first limits blocks that have no shared memory of their own.

On the second, 412 bytes and 100 reserved are two units; rounded before they are added, 612 bytes.
"""
_SLIPS = (
    # property, its limit, and blocks where one of its rules is left out, of an SM and a launch
    ("warps", Limiter.WARPS, lambda sm, threads, *_: sm["warps"] * 32 // threads),
    (
        "registers",
        Limiter.REGISTERS,
        lambda sm, threads, registers, _: sm["registers"] // (registers * threads),
    ),
    (
        "registers",
        Limiter.REGISTERS,
        lambda sm, threads, registers, _: sm["registers"] // (-(-registers // 8) * 8 * threads),
    ),
    (
        "shared",
        Limiter.SHARED_MEMORY,
        lambda sm, _threads, _registers, own: sm["shared_bytes"] // (own + sm["reserved_bytes"]),
    ),
    ("blocks", Limiter.BLOCKS, lambda sm, *_: sm["warps"]),
)
_CHAINS = ((4, 1), (4, 2), (4, 16), (4, 3), (30, 1), (30, 16), (5, 4))


_TOO_FEW = "Which of the four limits allows so few here, and do its rules ask for that much?"


def cases(rng: np.random.Generator) -> list[Case]:
    """Launches that one limit decides, launches drawn at random, and chains of results."""
    found = [_case(one, (prop,)) for prop, ones in _LAUNCHES.items() for one in ones]
    found += [_other(*one) for one in _OTHER_SMS]
    found += [_case(_draw(rng, limiter), ("least",)) for limiter in Limiter for _ in range(2)]
    return found + [_chain(*one) for one in _CHAINS] + _drawn(rng)


def _drawn(rng: np.random.Generator) -> list[Case]:
    """Launches on which a property's own limit and rules decide, one of another SM, and chains."""
    found = [_case(_draw_telling(rng, *rest), (prop,)) for prop, *rest in _SLIPS for _ in range(2)]
    reserved_bytes, shared_bytes = (int(one) for one in rng.integers(100, 1000, 2))
    unit_bytes = int(rng.choice([128, 256, 512]))
    takes = -(-(reserved_bytes + shared_bytes) // unit_bytes) * unit_bytes
    found.append(_other(reserved_bytes, unit_bytes, shared_bytes, 4096 // takes))
    return found + [_chain(*map(int, rng.integers((5, 1), (40, 20)))) for _ in range(4)]


def _draw_telling(
    rng: np.random.Generator, limiter: Limiter, slip: Callable[..., int]
) -> tuple[tuple[int, int], int, int, int]:
    """A launch that this limit alone decides, and that a slip makes another number of."""
    while True:
        capability, threads, *rest = _draw(rng, limiter)
        threads -= int(rng.integers(32)) if limiter == Limiter.WARPS else 0
        right = occupancy(capability, threads, *rest).blocks_per_sm
        if slip(SMS[capability], threads, *rest) != right:
            return capability, threads, *rest


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


def _other(reserved_bytes: int, unit_bytes: int, shared_bytes: int, blocks: int) -> Case:
    """A launch of one-warp blocks on an SM that only its dict describes."""
    sm = dict(SMS[(9, 0)]) | {"shared_bytes": 4096}
    sm |= {"reserved_bytes": reserved_bytes, "unit_bytes": unit_bytes}
    inputs = {"ask": "blocks", "sm": sm, "threads": 32, "registers": 16}
    label = (
        f"an SM with 4 KiB of shared memory in units of {unit_bytes} bytes, {reserved_bytes} bytes "
        f"reserved for each block, blocks of 32 threads, 16 registers a thread, {shared_bytes} "
        "bytes a block"
    )
    return Case(label, {**inputs, "shared_bytes": shared_bytes, "blocks": blocks}, ("shared",))


def _chain(latency: int, independent: int) -> Case:
    inputs = {"ask": "warps", "latency": latency, "independent": independent}
    return Case(f"{independent} independent, {latency} clocks each", inputs, ("enough",))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The blocks that the rules of the CUDA toolkit give, or the warps by Little's law."""
    given, got = case.inputs, observed["got"]
    if given["ask"] == "warps":
        asked = (given["latency"], given["independent"])
        call = f"warps_needed({asked[0]}, {asked[1]})"
        yield from number_fault("enough", call, got, enough(*asked))
        return
    asked = (given["threads"], given["registers"], given["shared_bytes"])
    if "capability" in given:
        expected = occupancy(given["capability"], *asked).blocks_per_sm
        name = DEVICES[given["capability"]].replace(" ", "")
    else:
        expected, name = given["blocks"], "sm"
    call = f"blocks_per_sm({name}, {', '.join(map(str, asked))})"
    asks = _TOO_FEW if "blocks" in case.decides and got < expected else ""
    for fault in number_fault(case.decides[0], call, got, expected):
        yield replace(fault, cause=asks) if asks else fault
    if "warps" in case.decides and not observed["kept"]:
        yield Fault("warps", f"after `{call}`, the dict of the SM is not what it was before")


def enough(latency: int, independent: int) -> int:
    """Warps of an SM that keep its four schedulers busy with dependent chains.

    >>> enough(4, 1), enough(4, 16)
    (16, 4)
    """
    return SUB_PARTITIONS * -(-latency // independent)


JUDGE = Judge(
    title="What fits on an SM, and what is enough",
    properties=(
        Property(
            "warps",
            "a partly filled warp counts as a whole one; `sm` is left alone",
            1,
            "How many warps does such a block have, and do they limit the number of blocks?",
        ),
        Property(
            "registers",
            "registers by the warp, in units, a quarter of the SM each",
            1,
            "How many registers does a warp get, and how many such warps fit into a quarter of "
            "the SM?",
        ),
        Property(
            "shared",
            "shared memory with what is reserved, in units; none is no limit",
            1,
            "How many bytes does a block take, with all that is added to them, and how many "
            "blocks is that?",
        ),
        Property(
            "blocks",
            "only so many blocks fit, however small they are",
            1,
            "Which of the SM's limits does not depend on the size of a block?",
        ),
        Property(
            "least",
            "the smallest of the four limits counts",
            1,
            "How many blocks does each of the four limits allow here, and which of them counts?",
        ),
        Property(
            "enough",
            "warps that keep four schedulers busy",
            1,
            "How many results does a scheduler want on their way, how many can one warp have, "
            "and how many schedulers are there?",
        ),
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
            "256 threads per block, 150 registers per thread, an SM of an H200: how many warps are "
            "on it at the same time?",
            truth=8,
            unit="warps",
            exact=True,
            because="A warp gets 4,864 registers, so 3 warps fit into a quarter, 12 on the SM: one "
            "block of 8 warps, an eighth of the room.",
        ),
        "occupancy-enough": Prediction(
            "each thread has 16 sums that do not depend on each other, a result comes after 4 "
            "clocks: how many warps keep an SM's arithmetic busy?",
            truth=4,
            unit="warps",
            exact=True,
            because="A warp has 16 multiply-adds ready, and its scheduler needs 4 at a time. One "
            "warp for each of the four schedulers will do.",
        ),
    },
)
