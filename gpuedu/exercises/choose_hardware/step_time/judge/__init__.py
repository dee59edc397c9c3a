"""step-time: the four terms of a step, and how they become one time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gpuedu.choosing import memory, steps
from gpuedu.choosing.models import Model
from gpuedu.exercises.choose_hardware.judge.drawn import draw_model
from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.functions import call_case, right_result

TERMS = ("compute", "memory", "link", "launch")
Device = Mapping[str, float]


def flop(model: Mapping[str, int], batch: int, length: int) -> int:
    """Of a training step."""
    return steps.training_flop(Model(**model), batch, length)


def terms(
    flop: float,
    moved_bytes: float,
    gradient_bytes: float,
    launches: int,
    device: Device,
    devices: int,
) -> dict[str, float]:
    """The four times."""
    sent = 2 * (devices - 1) / devices * gradient_bytes
    return {
        "s of compute": flop / device["flop_per_s"],
        "s of memory": moved_bytes / device["bytes_per_s"],
        "s of link": sent / device["link_bytes_per_s"],
        "s of launches": launches * device["launch_s"],
    }


def step_s(**times: float) -> float:
    """Work, launches and exchange together."""
    return steps.training_s(steps.Terms(**times))


def limit(**times: float) -> str:
    """The largest term."""
    return steps.Terms(**times).limit


def decode_s(model: Mapping[str, int], batch: int, length: int, device: Device) -> float:
    """Weights and cache, or arithmetic."""
    read = 2 * model["parameters"] + memory.cache_bytes(Model(**model), batch, length)
    compute = 2 * batch * model["parameters"] / device["flop_per_s"]
    return max(compute, read / device["bytes_per_s"])


def cases(rng: np.random.Generator) -> list[Case]:
    """Drawn models, devices and steps; each term is the largest once, and each way to overlap."""
    drawn = [
        call_case("flop", "training_flop", model=draw_model(rng), batch=batch, length=length)
        for batch, length in ((1, 128 * int(rng.integers(2, 9))), (int(rng.integers(2, 30)), 2048))
    ]
    for devices in (1, 2, int(rng.integers(3, 9))):
        sizes = {"flop": 1e12 * int(rng.integers(5, 90)), "moved_bytes": 1e9 * _few(rng)}
        sizes |= {"gradient_bytes": 1e8 * _few(rng), "launches": int(rng.integers(300, 3000))}
        drawn.append(call_case("terms", "terms", **sizes, device=_device(rng), devices=devices))
    work = float(_few(rng)), float(_few(rng))
    both = sum(work)
    for decides, link, launch in (
        ("work", 0.0, 0.3 * both),
        ("work", 0.0, max(work) + 0.5 * min(work)),
        ("launches", 0.0, 1.5 * both),
        ("exchange", round(0.5 * both, 3), 0.25 * both),
        ("exchange", round(0.9 * both, 3), 0.25 * both),
        ("exchange", round(1.5 * both, 3), 0.25 * both),
        ("exchange", round(1.2 * both, 3), 1.5 * both),
    ):
        times = dict(zip(TERMS, (*work, link, round(launch, 3)), strict=True))
        drawn.append(call_case(decides, "step_s", **times))
    for largest in TERMS:
        times = {name: float(_few(rng)) / 1e3 for name in TERMS} | {largest: 0.1}
        drawn.append(call_case("limit", "limit", **times))
    for batch, length in ((1, 1024), (int(rng.integers(30, 90)), 4096), (4000, 32)):
        given = {"model": draw_model(rng), "batch": batch, "length": length}
        device = _device(rng) | ({"flop_per_s": 5e13, "bytes_per_s": 5e12} if batch == 4000 else {})
        drawn.append(call_case("decode", "decode_s", **given, device=device))
    sizes = {"flop": 7e13, "moved_bytes": 4e10, "gradient_bytes": 1.4e10, "launches": 900}
    drawn.append(call_case("terms", "terms", **sizes, device=_device(rng), devices=64))
    for near in (
        (2.1e-4, 2.4e-4, 1.9e-4, 2.2e-4),
        (2.1e-4, 2.4e-4, 3.1e-4, 1.9e-4),  # less than the work, and longer than either part of it
        (2.4e-4, 2.1e-4, 1.9e-4, 3.1e-4),
    ):
        drawn.append(call_case("limit", "limit", **dict(zip(TERMS, near, strict=True))))
    return drawn


def _few(rng: np.random.Generator) -> int:
    return int(rng.integers(11, 90))


def _device(rng: np.random.Generator) -> dict[str, float]:
    return {
        "flop_per_s": 1e12 * int(rng.integers(50, 700)),
        "bytes_per_s": 1e9 * int(rng.integers(400, 5000)),
        "link_bytes_per_s": 1e9 * int(rng.integers(20, 450)),
        "launch_s": round(1e-7 * int(rng.integers(20, 90)), 7),
    }


JUDGE = Judge(
    title="How long does a step take?",
    properties=(
        right_result(
            "flop",
            "`training_flop`, with attention's part",
            1,
            {"training_flop": flop},
            asks="How many FLOP does one token take: for the parameters, and in attention?",
            unit="FLOP",
        ),
        right_result(
            "terms",
            "`terms`: the four times, on one device or several",
            2,
            {"terms": terms},
            asks="Which rate belongs to which amount? All amounts are those of one device: which "
            "of them depends on how many there are?",
        ),
        right_result(
            "work",
            "`step_s`: arithmetic and memory, one after another",
            1,
            {"step_s": step_s},
            asks="Which of these times come one after another, and which at the same time?",
            unit="s",
        ),
        right_result(
            "launches",
            "`step_s` where the host is the slower one",
            0.5,
            {"step_s": step_s},
            asks="Which of these times come one after another, and which at the same time?",
            unit="s",
            after=("work",),
        ),
        right_result(
            "exchange",
            "`step_s` with an exchange that hides, or does not",
            1,
            {"step_s": step_s},
            asks="How much of the work can the exchange hide behind, and what is left of it then?",
            unit="s",
        ),
        right_result(
            "limit",
            "`limit` names the largest term",
            0.5,
            {"limit": limit},
            asks="Which of the four times is the largest?",
        ),
        right_result(
            "decode",
            "`decode_s`: weights and cache, or arithmetic",
            1,
            {"decode_s": decode_s},
            asks="Which bytes are read for this step, and how many FLOP are done meanwhile?",
            unit="s",
        ),
    ),
    hints=(
        "An amount divided by a rate is a time. Write the units beside each.",
        "`work = compute + memory`. The host runs next to the work, the exchange next to two "
        "thirds of it.",
        "In decoding, weights are read once for the batch; the cache and the FLOP grow with it.",
    ),
    cases=cases,
    predictions={
        "step-time": Prediction(
            "tokens per second of 6.74e9 parameters of 2 bytes on an A100 that reads 2,039 GB/s?",
            truth=2039 / 13.48,
            unit="tokens per second",
            because="13.48 GB at 2,039 GB/s take 6.6 ms. gpt-fast, a program built for this, gets "
            "105. Its arithmetic would take 0.04 ms: in decoding, one text leaves the matrix "
            "units idle, and a batch costs next to nothing.",
        )
    },
)
