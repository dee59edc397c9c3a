"""check-the-claim: what articles print, computed from sourced facts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from gpuedu.exercises.compare import Misconception, likely_cause, show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Property
from gpuedu.exercises.why_gpus.claims import FACTS

_TOLERANCE = 0.01
_F = {fact.name: fact.value for fact in FACTS}
_BYTES_TO_TRAIN = sum(
    _F[f"{part}_bytes"] for part in ("weight", "gradient", "master", "momentum", "variance")
)
_PARAMETERS = 354e6


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

TRUTHS: Mapping[str, Truth] = {
    "h100_fp32_lanes": Truth(
        _F["h100_sms"] * _F["h100_fp32_lanes_per_sm"],
        "cores",
        "lanes",
        (
            _wrong(132, "That counts SMs. How many FP32 lanes does each have?"),
            _wrong(144 * 128, "That is the full chip. An H100 SXM has 132 of its SMs enabled."),
            _wrong(132 * 64, "That takes the 64 lanes of a T4's SM. What do the facts say here?"),
            _wrong(132 * 32, "That takes 32 lanes for each SM: one warp. What do the facts say?"),
        ),
    ),
    "t4_fp32_lanes": Truth(
        _F["t4_sms"] * _F["t4_fp32_lanes_per_sm"],
        "cores",
        "lanes",
        (
            _wrong(40, "That counts SMs. How many FP32 lanes does each have?"),
            _wrong(40 * 128, "An SM of a T4 has 64 FP32 lanes, not 128 as one of an H100."),
        ),
    ),
    "training_bytes_354m": Truth(
        _PARAMETERS * _BYTES_TO_TRAIN,
        "training",
        "bytes",
        (
            _wrong(_PARAMETERS * 2, _ONE_COPY),
            _wrong(_PARAMETERS * 4, _TWO_PARTS),
            _wrong(_PARAMETERS * 8, "That has two 32-bit numbers a parameter. Add up all five."),
            _wrong(_PARAMETERS * 12, "That is 12 bytes a parameter. Which of the five is missing?"),
            _wrong(_PARAMETERS * 14, "One of the five parts is missing. Is it the gradient?"),
            _wrong(_PARAMETERS * 18, "That has a 32-bit gradient. In the facts it has 16 bits."),
            _wrong(_PARAMETERS * 16 / 1e9, "That is in GB. The answer is in bytes."),
            _wrong(_PARAMETERS * 16 / 1e6, "That is in MB. The answer is in bytes."),
            _wrong(_PARAMETERS * 16 / 2**20, "That is in MiB. The answer is in bytes."),
            _wrong(_PARAMETERS * 16 / 2**30, "That is in GiB. The answer is in bytes."),
            _wrong(16, "That is for one parameter. How many are there?"),
        ),
    ),
    "h100_dense_tflop_per_s": Truth(
        _F["h100_bf16_tflop_per_s"] / 2,
        "dense",
        "TFLOP/s",
        (
            _wrong(1979, _SPARSE),
            _wrong(1979 / 4, "Half of the weights are zero, so the peak doubles. Why a quarter?"),
            _wrong(1979 * 2, "1979 is the number with sparsity, the larger one. Why twice that?"),
            _wrong(1979e12 / 2, "That is in FLOP/s. The answer is in TFLOP/s."),
            _wrong(1979e3 / 2, "That is in GFLOP/s. The answer is in TFLOP/s."),
            _wrong(1979 / 2e3, "That is in PFLOP/s. The answer is in TFLOP/s."),
        ),
    ),
    "gpus_to_hold_gpt3": Truth(
        math.ceil(_F["gpt3_parameters"] * _F["weight_bytes"] / (_F["h100_memory_gb"] * 1e9)),
        "weights",
        "GPUs",
        (
            _wrong(4, "Four GPUs hold 320 GB. How many bytes are the weights?"),
            _wrong(4.375, "Can you buy 0.375 of a GPU?"),
            _wrong(3, "That is a byte for each parameter. How many bytes is a 16-bit weight?"),
            _wrong(9, "That is 4 bytes for each parameter. How many bytes is a 16-bit weight?"),
            _wrong(35, "That is the memory to train it. The question is for the weights alone."),
        ),
    ),
    "busy_sms_percent": Truth(
        100 / _F["h100_sms"],
        "utilisation",
        "per cent",
        (
            _wrong(100, "That is what the tool shows. How many SMs does one block run on?"),
            _wrong(1e4 / 132, "That is per cent of a per cent. What is 1 of 132, times 100?"),
            _wrong(1 / 132, "That is a share of 1. The answer is in per cent."),
            _wrong(1, "That is the number of busy SMs. What share of all 132 is it?"),
        ),
    ),
    "v5p_matrix_units": Truth(
        _F["v5p_tensor_cores"] * _F["v5p_matrix_units_per_core"],
        "tpu",
        "units",
        (
            _wrong(2, "That counts TensorCores. How many matrix units does each have?"),
            _wrong(4, "That is for one TensorCore. How many does a chip have?"),
            _wrong(6, "Two TensorCores with four units each: is that 2 + 4?"),
        ),
    ),
}


def cases(rng: np.random.Generator) -> list[Case]:
    """A case for each number."""
    return [Case(f"`{key}`", {"key": key}, (truth.property,)) for key, truth in TRUTHS.items()]


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Within one per cent; the right number is not told, since it would be the answer."""
    key, got = case.inputs["key"], observed["got"]
    truth = TRUTHS[key]
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
