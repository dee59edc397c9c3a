"""check-the-claim: what articles print, computed from sourced facts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Property
from gpuedu.exercises.why_gpus.check_the_claim.claims import FACTS, PAGE, Page

_TOLERANCE = 0.005  # a number of three digits is no further off
_NEAR = 0.02  # mostly a right number that was rounded too far
_F = {fact.name: fact.value for fact in FACTS}
_BYTES_TO_TRAIN = sum(
    _F[f"{part}_bytes"] for part in ("weight", "gradient", "master", "momentum", "variance")
)


@dataclass(frozen=True)
class Truth:
    """The number, the property it decides, and its unit."""

    value: float
    property: str
    unit: str


def truths_of(page: Page) -> Mapping[str, Truth]:
    """The numbers that follow from the facts of a page, by the keys that it asks for."""
    first, second = page.chips
    weight_bytes = _F["gpt3_parameters"] * _F["weight_bytes"]
    units = _F["v5p_tensor_cores"] * _F["v5p_matrix_units_per_core"]
    found = (
        Truth(first.sms * first.lanes_per_sm, "cores", "lanes"),
        Truth(second.sms * second.lanes_per_sm, "cores", "lanes"),
        Truth(page.parameters * _BYTES_TO_TRAIN, "training", "bytes"),
        Truth(_F["h100_bf16_tflop_per_s"] * page.peaks / 2, "dense", "TFLOP/s"),
        Truth(math.ceil(weight_bytes / (page.memory_gb * 1e9)), "weights", "GPUs"),
        Truth(100 * page.blocks / first.sms, "utilization", "percent"),
        Truth(units * page.tpus, "tpu", "units"),
    )
    return dict(zip(page.keys, found, strict=True))


TRUTHS: Mapping[str, Truth] = truths_of(PAGE)


def cases(rng: np.random.Generator) -> list[Case]:
    """A case for each number."""
    return [Case(f"`{key}`", {"key": key}, (truth.property,)) for key, truth in TRUTHS.items()]


def verdict(case: Case, observed: Plain, truths: Mapping[str, Truth] = TRUTHS) -> Iterable[Fault]:
    """Right to three digits; the right number is not told, since it would be the answer."""
    got, truth = observed["value"], truths[case.inputs["key"]]
    if not math.isclose(got, truth.value, rel_tol=_TOLERANCE):
        unit = truth.unit.removesuffix("s") if got == 1 and "/" not in truth.unit else truth.unit
        other = "a larger" if got < truth.value else "a smaller" if got > truth.value else "another"
        near = math.isclose(got, truth.value, rel_tol=_NEAR)
        cause = "That is close. If you rounded it: three digits are needed." if near else ""
        message = f"you give {show(got)} {unit}; the facts give {other} number"
        yield Fault(truth.property, message, cause)


JUDGE = Judge(
    title="Is that what the source says?",
    properties=(
        Property(
            "cores",
            '"A GPU has 3000-4000 cores": the FP32 lanes of two devices',
            1,
            "Which facts are about that device, and how do its lanes follow from them?",
        ),
        Property(
            "training",
            '"354 million parameters fit easily": bytes to train them',
            1,
            "What is kept for each parameter, and how many bytes is that together?",
        ),
        Property(
            "dense",
            '"1979 TFLOP/s": the peak for dense matrices',
            1,
            "For which matrices is the number that is printed, and what does its footnote say of "
            "dense ones?",
        ),
        Property(
            "weights",
            '"GPT-3 runs on a good GPU": GPUs to hold its weights',
            1,
            "How many bytes are the weights, and how many GPUs have room for all of them?",
        ),
        Property(
            "utilization",
            '"utilization 100%": the share of SMs that are busy',
            1,
            "How many SMs are busy, and what percentage of all of them is that?",
        ),
        Property(
            "tpu",
            '"a TPU has thousands of cores": matrix units of a chip',
            1,
            "How many TensorCores are there, and how many matrix units in each?",
        ),
    ),
    hints=(
        "Each number is a product, a quotient or a sum of one to five facts on the page; read each "
        "fact to its end. Which belong to the device or the model that is named?",
        "Lanes: SMs times lanes of an SM. Training: five numbers of 2 or 4 bytes for each "
        "parameter. Weights: bytes over the memory of one GPU, rounded up. Utilization: busy SMs "
        "over all SMs.",
        "For each parameter 2 + 2 + 4 + 4 + 4 bytes; dense is half of the number with sparsity; "
        "GPT-3 has 175e9 parameters of 2 bytes; one block is 1 SM of 132; a v5p chip has 2 "
        "TensorCores of 4 units.",
    ),
    cases=cases,
    verdict=verdict,
)


def judge_of(page: Page) -> Judge:
    """The judge where the page has other numbers."""
    truths = truths_of(page)

    def asked(rng: np.random.Generator) -> list[Case]:
        inputs = {"keys": list(truths)}
        return [
            Case(f"`{key}`", {"key": key, **inputs}, (truth.property,))
            for key, truth in truths.items()
        ]

    says = {
        "training": f'"{page.parameters / 1e6:.0f} million parameters fit easily": bytes to train '
        "them",
        "dense": f'"{1979 * page.peaks} TFLOP/s": the peak for dense matrices',
        "tpu": f'"a TPU has thousands of cores": matrix units of {page.tpus} chips',
    }
    last = (
        "For each parameter 2 + 2 + 4 + 4 + 4 bytes; dense is half of the number with sparsity; "
        f"GPT-3 has 175e9 parameters of 2 bytes; {page.blocks} blocks are {page.blocks} SMs of "
        f"{page.chips[0].sms}; a v5p chip has 2 TensorCores of 4 units."
    )
    return replace(
        JUDGE,
        properties=tuple(
            replace(one, says=says.get(one.name, one.says)) for one in JUDGE.properties
        ),
        hints=(*JUDGE.hints[:2], last),
        cases=asked,
        verdict=partial(verdict, truths=truths),
    )
