"""check-the-claim: what articles print, computed from sourced facts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from gpuedu.exercises.compare import Misconception, likely_cause, show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Property
from gpuedu.exercises.why_gpus.claims import FACTS, PAGE, Chip, Page

_TOLERANCE = 0.01
_F = {fact.name: fact.value for fact in FACTS}
_BYTES_TO_TRAIN = sum(
    _F[f"{part}_bytes"] for part in ("weight", "gradient", "master", "momentum", "variance")
)


def _wrong(value: float, says: str) -> Misconception:
    """A misconception without inputs: the number that somebody who holds it arrives at."""
    return Misconception(lambda: value, says)


@dataclass(frozen=True)
class Truth:
    """The number, the property it decides, its unit, and known ways to miss it."""

    value: float
    property: str
    unit: str
    known: tuple[Misconception, ...]


_ONE_COPY = "That is one copy of the weights. What else does Adam keep for each parameter?"
_TWO_PARTS = (
    "That is 4 bytes a parameter: one 32-bit copy, or weights and gradients. Add up all five."
)
_SPARSE = "That is the number with sparsity. What does the footnote say about dense matrices?"


def truths_of(page: Page) -> Mapping[str, Truth]:
    """What the facts of a page give, by the key that it asks for."""
    first, second = page.chips
    found = (
        _lanes(first, second),
        _lanes(second, first),
        _training(page.parameters),
        _dense(page.peaks),
        _weights(page.memory_gb),
        _busy(first.sms, page.blocks),
        _units(page.tpus),
    )
    return dict(zip(page.keys, found, strict=True))


def _lanes(chip: Chip, other: Chip) -> Truth:
    sms, lanes = chip.sms, chip.lanes_per_sm
    known = [
        _wrong(sms, "That counts SMs. How many FP32 lanes does each have?"),
        _wrong(sms * 32, "That takes 32 lanes for each SM: one warp. What do the facts say?"),
    ]
    if other.lanes_per_sm != lanes:
        says = f"That takes the {other.lanes_per_sm} lanes of {other.name}'s SM. What do the "
        known.append(_wrong(sms * other.lanes_per_sm, says + "facts say here?"))
    if chip.key == "h100":
        says = f"That is the full chip. An H100 SXM has {sms} of its SMs enabled."
        known.append(_wrong(144 * 128, says))
    return Truth(sms * lanes, "cores", "lanes", tuple(known))


def _training(parameters: float) -> Truth:
    whole = parameters * _BYTES_TO_TRAIN
    known = (
        _wrong(parameters * 2, _ONE_COPY),
        _wrong(parameters * 4, _TWO_PARTS),
        _wrong(parameters * 8, "That has two 32-bit numbers a parameter. Add up all five."),
        _wrong(parameters * 12, "That is 12 bytes a parameter. Which of the five is missing?"),
        _wrong(parameters * 14, "One of the five parts is missing. Is it the gradient?"),
        _wrong(parameters * 18, "That has a 32-bit gradient. In the facts it has 16 bits."),
        _wrong(whole / 1e9, "That is in GB. The answer is in bytes."),
        _wrong(whole / 1e6, "That is in MB. The answer is in bytes."),
        _wrong(whole / 2**20, "That is in MiB. The answer is in bytes."),
        _wrong(whole / 2**30, "That is in GiB. The answer is in bytes."),
        _wrong(_BYTES_TO_TRAIN, "That is for one parameter. How many are there?"),
    )
    return Truth(whole, "training", "bytes", known)


def _dense(peaks: int) -> Truth:
    sparse = _F["h100_bf16_tflop_per_s"] * peaks
    known = [
        _wrong(sparse, _SPARSE),
        _wrong(sparse / 4, "Half of the weights are zero, so the peak doubles. Why a quarter?"),
        _wrong(
            sparse * 2, f"{sparse:g} is the number with sparsity, the larger one. Why twice that?"
        ),
        _wrong(sparse * 1e12 / 2, "That is in FLOP/s. The answer is in TFLOP/s."),
        _wrong(sparse * 1e3 / 2, "That is in GFLOP/s. The answer is in TFLOP/s."),
        _wrong(sparse / 2e3, "That is in PFLOP/s. The answer is in TFLOP/s."),
    ]
    if peaks > 1:
        known.insert(0, _wrong(sparse / peaks / 2, "That is for one of them. How many are there?"))
    return Truth(sparse / 2, "dense", "TFLOP/s", tuple(known))


def _weights(memory_gb: int) -> Truth:
    parameters = _F["gpt3_parameters"]
    exact = parameters * _F["weight_bytes"] / (memory_gb * 1e9)
    needed = math.ceil(exact)
    known = (
        _wrong(
            needed - 1,
            f"{_COUNT.get(needed - 1, needed - 1)} GPUs hold {memory_gb * (needed - 1)} GB. How "
            "many bytes are the weights?",
        ),
        _wrong(exact, f"Can you buy {exact % 1:.3g} of a GPU?"),
        _wrong(
            math.ceil(exact / 2),
            "That is a byte for each parameter. How many bytes is a 16-bit weight?",
        ),
        _wrong(
            math.ceil(exact * 2),
            "That is 4 bytes for each parameter. How many bytes is a 16-bit weight?",
        ),
        _wrong(
            math.ceil(exact * 8),
            "That is the memory to train it. The question is for the weights alone.",
        ),
    )
    return Truth(needed, "weights", "GPUs", known)


_COUNT = {2: "Two", 4: "Four"}


def _busy(sms: int, blocks: int) -> Truth:
    runs = "one block runs" if blocks == 1 else f"{blocks} blocks run"
    known = (
        _wrong(100, f"That is what the tool shows. How many SMs does {runs} on?"),
        _wrong(
            1e4 * blocks / sms,
            f"That is per cent of a per cent. What is {blocks} of {sms}, times 100?",
        ),
        _wrong(blocks / sms, "That is a share of 1. The answer is in per cent."),
        _wrong(blocks, f"That is the number of busy SMs. What share of all {sms} is it?"),
    )
    return Truth(100 * blocks / sms, "utilisation", "per cent", known)


def _units(tpus: int) -> Truth:
    cores, units = _F["v5p_tensor_cores"], _F["v5p_matrix_units_per_core"]
    known = [
        _wrong(cores * tpus, "That counts TensorCores. How many matrix units does each have?"),
        _wrong(units * tpus, "That is for one TensorCore. How many does a chip have?"),
        _wrong((cores + units) * tpus, "Two TensorCores with four units each: is that 2 + 4?"),
    ]
    if tpus > 1:
        known.insert(0, _wrong(cores * units, "That is for one chip. How many are there?"))
    return Truth(cores * units * tpus, "tpu", "units", tuple(known))


TRUTHS: Mapping[str, Truth] = truths_of(PAGE)


def cases(rng: np.random.Generator) -> list[Case]:
    """A case for each number."""
    return [Case(f"`{key}`", {"key": key}, (truth.property,)) for key, truth in TRUTHS.items()]


def verdict(case: Case, observed: Plain, truths: Mapping[str, Truth] = TRUTHS) -> Iterable[Fault]:
    """Within one per cent; the right number is not told, since it would be the answer."""
    key, got = case.inputs["key"], observed["got"]
    truth = truths[key]
    if math.isclose(got, truth.value, rel_tol=_TOLERANCE):
        return
    cause = likely_cause(got, truth.known, {}, rel=_TOLERANCE)
    if not cause and math.isfinite(got) and got > 0:
        off = max(got / truth.value, truth.value / got)
        side = "too large" if got > truth.value else "too small"
        times = f"{off:,.0f}" if 100 <= off < 1e6 else f"{off:.3g}"
        cause = f"That is {times} times {side}. Which facts did you multiply, and in which units?"
    unit = truth.unit.removesuffix("s") if got == 1 and "/" not in truth.unit else truth.unit
    message = f"you give {show(got)} {unit}; the facts give another number"
    yield Fault(truth.property, message, cause)


JUDGE = Judge(
    title="Is that what the source says?",
    properties=(
        Property("cores", '"A GPU has 3000-4000 cores": the FP32 lanes of two devices', 1),
        Property("training", '"354 million parameters fit easily": bytes to train them', 1),
        Property("dense", '"1979 TFLOP/s": the peak for dense matrices', 1),
        Property("weights", '"GPT-3 runs on a good GPU": GPUs to hold its weights', 1),
        Property("utilisation", '"utilisation 100%": the share of SMs that are busy', 1),
        Property("tpu", '"a TPU has thousands of cores": matrix units of a chip', 1),
    ),
    hints=(
        "Each number is a product, a quotient or a sum of one to five facts on the page; read each "
        "fact to its end. Which belong to the device or the model that is named?",
        "Lanes: SMs times lanes of an SM. Training: five numbers of 2 or 4 bytes for each "
        "parameter. Weights: bytes over the memory of one GPU, rounded up. Utilisation: busy SMs "
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
