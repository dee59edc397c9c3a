"""What the judge of roofline computes with, and the slips that it knows: what each would give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gpuedu.exercises.compare import Misconception
from gpuedu.exercises.tiling.devices import in_sheet_units
from gpuedu.hardware.roofline import ARITHMETIC, DEVICE_MEMORY, L1
from gpuedu.lens.report import PASS_BYTES

LIMITS = (ARITHMETIC, L1, DEVICE_MEMORY)
THREE_NAMES = f'The three names are "{ARITHMETIC}", "{L1}" and "{DEVICE_MEMORY}".'

LESSON_DEVICE = "h200-sxm"
"""The device that the lesson has as a dict of its own."""

Counts = Mapping[str, int]


def rates_of(l1: float, memory: float, device: Mapping[str, float]) -> dict[str, float]:
    """FLOP/s that each roof of a device allows at these intensities (FLOP a byte)."""
    return {
        ARITHMETIC: device["tflop_per_s"] * 1e12,
        L1: l1 * device["l1_gb_per_s"] * 1e9,
        DEVICE_MEMORY: memory * device["memory_gb_per_s"] * 1e9,
    }


def flop_of(counts: Counts) -> int:
    """Floating-point operations; a multiply-add is two."""
    return 2 * counts["multiply_adds"] + counts["other_flop"]


def l1_bytes_of(counts: Counts) -> int:
    """Bytes through the data path of L1 and shared memory."""
    return PASS_BYTES * counts["passes"]


def memory_bytes_of(counts: Counts) -> int:
    """The least traffic with device memory, in bytes."""
    return counts["read_bytes"] + counts["written_bytes"]


_ONE_FLOP = "A multiply-add is a product and a sum: how many floating-point operations is that?"


def _known(flop: Any, size: Any, swapped: Any) -> tuple[Misconception, ...]:
    """Slips that concern the FLOP, the order of the two results, or which way round it divides."""
    return (
        Misconception(lambda **c: (c["multiply_adds"] + c["other_flop"]) / size(c), _ONE_FLOP),
        Misconception(
            lambda **c: 2 * c["multiply_adds"] / size(c), "What of the other FLOP, `other_flop`?"
        ),
        Misconception(
            lambda **c: 2 * (c["multiply_adds"] + c["other_flop"]) / size(c),
            "Only multiply-adds are two FLOP each; `other_flop` are counted already.",
        ),
        Misconception(
            lambda **c: flop(c) / swapped(c), "L1 comes first, then device memory: see the order."
        ),
        Misconception(lambda **c: size(c) / flop(c), "That is bytes a FLOP. Which way round?"),
    )


_SECTORS_NOT_PASSES = (
    "Sectors are what is asked for. The data path is busy for whole passes: a single sector takes "
    "one, as four do."
)
KNOWN_L1 = (
    *_known(flop_of, l1_bytes_of, memory_bytes_of),
    Misconception(lambda **c: flop_of(c) / (32 * c["sectors"]), _SECTORS_NOT_PASSES),
    Misconception(
        lambda **c: flop_of(c) / (32 * c["sectors"] + 128 * c["wavefronts"]), _SECTORS_NOT_PASSES
    ),
    Misconception(
        lambda **c: flop_of(c) / c["lane_bytes"],
        "Those are the bytes that lanes ask global memory for. What does the data path do?",
    ),
    Misconception(
        lambda **c: flop_of(c) / (c["lane_bytes"] + 128 * c["wavefronts"]),
        "A request takes whole passes, however few bytes its lanes ask for.",
    ),
    Misconception(
        lambda **c: flop_of(c) / (128 * c["wavefronts"]),
        "Wavefronts are the passes of shared memory alone; `passes` has those of L1, too.",
    ),
    Misconception(
        lambda **c: flop_of(c) / (128 * (c["passes"] + c["wavefronts"])),
        "The wavefronts are among the passes already.",
    ),
    Misconception(
        lambda **c: flop_of(c) / (32 * c["passes"]), "A pass has 32 banks of 4 bytes each."
    ),
    Misconception(
        lambda **c: flop_of(c) / c["passes"],
        "That is FLOP for each pass; how many bytes does one have?",
    ),
)
KNOWN_MEMORY = (
    Misconception(
        lambda **c: flop_of(c) / (32 * c["sectors"]),
        "Sectors are what L1 is asked for. Device memory gives, at best, each of them once.",
    ),
    *_known(flop_of, memory_bytes_of, l1_bytes_of),
    Misconception(
        lambda **c: flop_of(c) / c["read_bytes"], "What is written goes to device memory, too."
    ),
    Misconception(
        lambda **c: flop_of(c) / c["lane_bytes"],
        "Those are the bytes that lanes ask for; many of them come from a cache.",
    ),
)
_KNOWN_RATES = (
    (max, 1e9, "That is the highest roof. A kernel has to stay below all three."),
    (min, 2**30, "A GB of a data sheet is 1e9 bytes, not 2**30."),
)


def _of_the_lesson_s_device(got: float, l1: float, memory: float) -> bool:
    """Whether the rate is what the global `H200` allows, whatever device was asked about."""
    return bool(np.isclose(got, min(rates_of(l1, memory, in_sheet_units(LESSON_DEVICE)).values())))


def name_cause(name: str, shown: str) -> str:
    """What is asked where a limit has the wrong name; ``shown`` says what each roof allows."""
    if name not in LIMITS:
        return THREE_NAMES
    return f"There {shown}. Which of them stops the kernel first?"


def rate_cause(got: float, l1: float, memory: float, device: Mapping[str, float]) -> str:
    """What is said about a rate (FLOP/s) that is wrong, by the slip that gives it."""
    rates = rates_of(l1, memory, device)
    if np.isclose(got, min(device["tflop_per_s"], rates[L1], rates[DEVICE_MEMORY]), rtol=1e-6):
        return "The peak is in TFLOP/s, and a TFLOP is 1e12. The bandwidths are in GB/s, 1e9 bytes."
    if _of_the_lesson_s_device(got, l1, memory):
        return "That is what the H200 allows. Which device does `attainable` get?"
    for choose, gb, says in _KNOWN_RATES:
        scaled = {ARITHMETIC: rates[ARITHMETIC]} | {
            name: rates[name] * gb / 1e9 for name in (L1, DEVICE_MEMORY)
        }
        if np.isclose(got, choose(scaled.values()), rtol=1e-6):
            return says
    for left_out in rates:
        if np.isclose(got, min(v for n, v in rates.items() if n != left_out), rtol=1e-6):
            return f"One roof was forgotten: {left_out}."
    right = min(rates.values())
    power = np.log10(got / right) if got > 0 else 0.5
    if abs(power - round(power)) < 1e-6 and round(power) % 3 == 0:
        return "The digits are right. GB are 1e9 bytes, TFLOP 1e12; the result is in FLOP/s."
    return "Bytes a second times FLOP a byte is FLOP a second; the peak is there already."
