"""Other numbers for the same six claims: GPUs of the catalog, and sizes that are drawn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuedu.exercises.why_gpus.check_the_claim.claims import (
    FACTS,
    PAGE,
    Chip,
    Claim,
    Fact,
    Page,
    Source,
)
from gpuedu.hardware.catalog import device

_CHIPS = {
    "a100": "a100-40gb",
    "l40s": "l40s",
    "rtx4090": "rtx-4090",
    "h100_pcie": "h100-pcie",
    "h100": "h100-sxm",
    "t4": "t4",
}
"""GPUs whose SMs and lanes have a source, by the name that stands in the learner's dict."""

_MEMORIES = {"a100": "a100-40gb", "l40s": "l40s", "rtx4090": "rtx-4090", "h200": "h200-sxm"}
"""GPUs that hold a part of GPT-3: other numbers of them than of those with 80 GB."""


def draw_page(rng: np.random.Generator) -> Page:
    """Other devices, models and counts, each unlike the published ones."""
    chips = _draw_chips(rng)
    holder = str(rng.choice(list(_MEMORIES)))
    parameters = PAGE.parameters
    while abs(parameters / PAGE.parameters - 1) < 0.1:
        parameters = float(rng.integers(110, 1900)) * 1e6
    peaks, blocks, tpus = (int(one) for one in rng.integers((2, 2, 2), (33, 9, 17)))
    memory_gb = round(device(_MEMORIES[holder]).memory_bytes / 1e9)
    claims = _claims(chips, parameters, peaks, memory_gb, blocks, tpus)
    facts = tuple(_facts(chips, holder))
    return Page(claims, facts, chips, parameters, peaks, memory_gb, blocks, tpus)


def _draw_chips(rng: np.random.Generator) -> tuple[Chip, Chip]:
    """Two of the catalog, not both of them those of the published page."""
    while True:
        keys = [str(one) for one in rng.choice(list(_CHIPS), 2, replace=False)]
        if set(keys) != {one.key for one in PAGE.chips}:
            return _chip(keys[0]), _chip(keys[1])


def _chip(key: str) -> Chip:
    found = device(_CHIPS[key])
    article = "an" if found.name[0] in "AHLR" else "a"
    return Chip(key, f"{article} {found.name}", found.sms, found.lanes_per_sm)


def _claims(
    chips: tuple[Chip, Chip], parameters: float, peaks: int, memory_gb: int, blocks: int, tpus: int
) -> tuple[Claim, ...]:
    millions = round(parameters / 1e6)
    return (
        Claim(
            PAGE.claims[0].sentence,
            tuple((f"{one.key}_fp32_lanes", f"FP32 lanes of {one.name}") for one in chips),
        ),
        Claim(
            f"A model of {millions} million parameters fits easily: that is "
            f"{millions / 500:.1f} GB.",
            (
                (
                    f"training_bytes_{millions}m",
                    f"bytes to train {millions}e6 parameters in mixed precision with Adam, "
                    "activations aside",
                ),
            ),
        ),
        Claim(
            f"{peaks} H100 compute {1979 * peaks} TFLOP/s in bfloat16.",
            (
                (
                    f"dense_tflop_per_s_of_{peaks}",
                    f"bfloat16 peak of {peaks} H100 SXM together, for dense matrices, in TFLOP/s",
                ),
            ),
        ),
        Claim(
            PAGE.claims[3].sentence,
            (
                (
                    "gpus_to_hold_gpt3",
                    f"GPUs of {memory_gb} GB (1 GB = 1e9 bytes) that hold its 16-bit weights",
                ),
            ),
        ),
        Claim(
            PAGE.claims[4].sentence,
            (
                (
                    "busy_sms_percent",
                    f"percent of the {chips[0].sms} SMs of {chips[0].name} that are busy when one "
                    f"kernel of {blocks} blocks, each on an SM of its own, runs all the time and "
                    "utilization shows 100%",
                ),
            ),
        ),
        Claim(
            PAGE.claims[5].sentence,
            ((f"matrix_units_of_{tpus}_v5p", f"matrix units of {tpus} TPU v5p chips"),),
        ),
    )


def _facts(chips: tuple[Chip, Chip], holder: str) -> Iterator[Fact]:
    """The published page's, with other GPUs in place of its own."""
    for place, chip in enumerate(chips):
        found = device(_CHIPS[chip.key])
        name = ("first", "second")[place]
        says = f"streaming multiprocessors (SMs) of {chip.name}"
        yield Fact(f"{name}_sms", chip.sms, "SMs", says, _source(found.sources["sms"]))
        says = f"FP32 lanes of one SM of {chip.name}"
        source = _source(found.sources["lanes_per_sm"])
        yield Fact(f"{name}_lanes_per_sm", chip.lanes_per_sm, "lanes", says, source)
    for fact in FACTS:
        if fact.name == "h100_memory_gb":
            found = device(_MEMORIES[holder])
            memory_gb = round(found.memory_bytes / 1e9)
            source = _source(found.sources["memory_gb"])
            yield Fact("memory_gb", memory_gb, "GB", f"memory of one {found.name}", source)
        elif not fact.name.startswith(("h100_sms", "h100_fp32", "t4_")):
            yield fact


def _source(document: str) -> Source:
    """A document of the catalog, whose text ends with its address where it has one."""
    title, _, address = document.rpartition(", http")
    return Source(title, f"http{address}") if title else Source(document, "")
