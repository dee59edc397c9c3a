"""roofline: intensities from counts, what three roofs allow, and the limit of eight kernels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from gpuedu.exercises.compare import number_fault, show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.tiling.kernel_counts import NAMES, LaunchCounts, kernel_counts
from gpuedu.hardware.roofline import ARITHMETIC, DEVICE_MEMORY, L1, LIMITS, limit, roofs_of
from gpuedu.units import GB, TERA

LESSON_DEVICE = "h200-sxm"
"""The device that the lesson has as a dict of its own."""

DEVICES = ("t4", "a100-40gb", LESSON_DEVICE)
"""The lesson's own is last: it is the one on which its dict would do for every device."""

_CLOSE = 0.02
"""Roofs nearer to each other than this share do not decide which is the lower."""

_THREE_NAMES = f'the three names are "{ARITHMETIC}", "{L1}" and "{DEVICE_MEMORY}"'


def cases(rng: np.random.Generator) -> list[Case]:
    """The eight kernels' counts and drawn ones, three devices and drawn ones, then the places."""
    real = [_counts_case(name, work) for name, work in kernel_counts().items()]
    drawn = [_counts_case(f"a launch with drawn counts ({n})", _draw(rng)) for n in range(1, 5)]
    devices = {roofs_of(key).device: in_sheet_units(key) for key in DEVICES}
    asked = [_rates_case(name, device, rng) for name, device in devices.items() for _ in range(3)]
    asked += [_rates_case("a drawn device", _draw_device(rng), rng) for _ in range(3)]
    placed = Case("your dict", {"ask": "placed", "names": list(NAMES)}, ("placed",))
    return [*real, *drawn, *asked, placed]


def _counts_case(label: str, work: LaunchCounts) -> Case:
    return Case(label, {"ask": "counts", "counts": asdict(work)}, ("l1", "memory"))


def _draw(rng: np.random.Generator) -> LaunchCounts:
    """Counts that no kernel has, each unlike the others."""
    return LaunchCounts(*(int(value) for value in rng.integers(1_000, 90_000, 8)))


def in_sheet_units(key: str) -> dict[str, float]:
    """Peak in TFLOP/s, and what L1 and device memory move in GB/s (1e9 bytes).

    >>> in_sheet_units("h200-sxm")["memory_gb_per_s"]
    4800.0
    """
    roofs = roofs_of(key)
    return {
        "tflop_per_s": roofs.flop_per_s / TERA,
        "l1_gb_per_s": roofs.l1_bytes_per_s / GB,
        "memory_gb_per_s": roofs.memory_bytes_per_s / GB,
    }


def _draw_device(rng: np.random.Generator) -> dict[str, float]:
    memory = float(rng.uniform(100, 8_000))
    return {
        "tflop_per_s": float(rng.uniform(2, 90)),
        "l1_gb_per_s": memory * float(rng.uniform(3, 20)),
        "memory_gb_per_s": memory,
    }


def _rates_case(name: str, device: Mapping[str, float], rng: np.random.Generator) -> Case:
    """Intensities at which no two roofs are close, so that the lowest is not in doubt."""
    while True:
        peak = device["tflop_per_s"] * 1e3
        l1 = peak / device["l1_gb_per_s"] * 10 ** rng.uniform(-2, 1.5)
        memory = peak / device["memory_gb_per_s"] * 10 ** rng.uniform(-2, 1.5)
        first, second, _ = sorted(rates_of(l1, memory, device).values())
        if second > first * (1 + _CLOSE):
            break
    inputs = {"ask": "rates", "l1": float(l1), "memory": float(memory), "device": dict(device)}
    return Case(f"{name}, {l1:.3g} and {memory:.3g} FLOP a byte", inputs, ("attainable", "limit"))


def rates_of(l1: float, memory: float, device: Mapping[str, float]) -> dict[str, float]:
    """FLOP/s that each roof of a device allows at these intensities (FLOP a byte)."""
    return {
        ARITHMETIC: device["tflop_per_s"] * 1e12,
        L1: l1 * device["l1_gb_per_s"] * 1e9,
        DEVICE_MEMORY: memory * device["memory_gb_per_s"] * 1e9,
    }


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Intensities, a rate with its limit, or the eight places."""
    ask = case.inputs["ask"]
    if ask == "counts":
        yield from _intensities(LaunchCounts(**case.inputs["counts"]), observed["pair"])
        yield from _changed("l1", "intensities(counts)", "counts", observed)
    elif ask == "rates":
        yield from _rate(case.inputs, observed)
        yield from _changed("attainable", "attainable(...)", "device", observed)
    else:
        yield from _places(observed)


def _changed(prop: str, call: str, argument: str, observed: Plain) -> Iterable[Fault]:
    """A fault where a call has changed its dict."""
    if not observed["kept"]:
        told = f"after `{call}`, the dict `{argument}` is not what it was before"
        yield Fault(prop, told, "The caller needs it again. Where else can a result be kept?")


def _intensities(work: LaunchCounts, pair: list[float]) -> Iterable[Fault]:
    told = ", ".join(f"{name} {value:,}" for name, value in asdict(work).items())
    for place, (prop, size) in enumerate(
        (("l1", work.l1_bytes), ("memory", work.memory_bytes)),
    ):
        call = f"intensities(counts)[{place}]"
        for fault in number_fault(prop, call, pair[place], work.flop / size, unit="FLOP a byte"):
            yield replace(fault, message=f"{fault.message}. The counts were {told}")


def _rate(inputs: Mapping[str, Any], observed: Plain) -> Iterable[Fault]:
    l1, memory = inputs["l1"], inputs["memory"]
    rates = rates_of(l1, memory, inputs["device"])
    lowest = min(rates, key=lambda name: rates[name])
    call = f"attainable({show(l1)}, {show(memory)}, device)"
    yield from number_fault("attainable", call, observed["rate"], rates[lowest], unit="FLOP/s")
    said = observed["name"]
    if said not in LIMITS:
        yield Fault("limit", f'`{call}` names "{said}"; {_THREE_NAMES}')
    elif said != lowest:
        allowed = ", ".join(f"{name} allows {value:.3g} FLOP/s" for name, value in rates.items())
        yield Fault("limit", f'`{call}` names "{said}", expected "{lowest}": {allowed}')


def _places(observed: Plain) -> Iterable[Fault]:
    roofs = roofs_of(LESSON_DEVICE)
    for name, work in kernel_counts().items():
        l1, memory = work.flop / work.l1_bytes, work.flop / work.memory_bytes
        said = observed[name]
        if said not in LIMITS:
            yield Fault("placed", f'`limits["{name}"]` is "{said}"; {_THREE_NAMES}')
        elif said != limit(roofs, l1, memory):
            yield Fault(
                "placed",
                f'`limits["{name}"]` is "{said}". On the {roofs.device} it does {l1:.3g} FLOP for '
                f"each byte through L1, {memory:.3g} for each from device memory, and that is not "
                "what stops it",
            )


JUDGE = Judge(
    title="Three roofs, eight kernels",
    properties=(
        Property(
            "l1",
            "FLOP per byte through the data path; `counts` is left alone",
            1,
            "How many FLOP is that, and how many bytes go through the data path?",
        ),
        Property(
            "memory",
            "FLOP per byte of device memory, every sector once",
            1,
            "How many FLOP is that, and how many bytes does device memory give and take?",
        ),
        Property(
            "attainable",
            "the FLOP/s that all three roofs allow; `device` is left alone",
            1,
            "How many FLOP/s does each of the three roofs allow, on this device?",
        ),
        Property(
            "limit",
            "the name of the roof that is lowest",
            1,
            "Which of the three roofs stops the kernel first, and what is its name?",
        ),
        Property(
            "placed",
            "the limit of each of the eight kernels on the H200",
            2,
            "What is each intensity, times the bandwidth that goes with it? Which of the two, and "
            "the peak, is lowest?",
        ),
    ),
    hints=(
        "A kernel that does 2 FLOP for each byte, on a memory that gives 100 GB/s: how many FLOP a "
        "second at most? And if the arithmetic can do only half of that?",
        "FLOP: 2 for each multiply-add, plus the others. A pass moves 128 bytes; device memory "
        "moves what is read and what is written. That gives three rates: the peak, and for each of "
        "the two memories its FLOP a byte times its bytes a second. The lowest one counts.",
        "`rates = {'arithmetic': device['tflop_per_s'] * 1e12, 'L1': per_l1_byte * "
        "device['l1_gb_per_s'] * 1e9, ...}`, then `name = min(rates, key=rates.get)`. For "
        "`limits`, let your functions say it: `attainable(*intensities(counts[name]), H200)[1]`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "roofline": Prediction(
            "how many of the eight kernels can reach the peak of the arithmetic?",
            truth=1,
            unit="of 8",
            exact=True,
            because="Only the power series does enough with what it fetches: 400 FLOP for 8 bytes.",
        )
    },
)
