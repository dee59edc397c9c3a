"""feature-gate: compiled kernels and formats against architectures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.choosing import binaries
from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.functions import call_case, right_result

_MINORS = {7: (0, 5), 8: (0, 6, 9), 9: (0,), 10: (0, 3), 12: (0, 1)}
_TURING = ["fp16"]
_AMPERE = ["fp16", "bf16", "tf32"]
_HOPPER = [*_AMPERE, "fp8"]
_BLACKWELL = [*_HOPPER, "fp4"]
_ASKING = ((8, 9), (7, 0), (6, 1), (3, 5))
_DEVICES = ((7, 5), _TURING), ((9, 0), _HOPPER), ((12, 0), _BLACKWELL)

_BY_FORMATS = (
    ((6, 1), [], "fp16"),
    ((6, 1), [], "fp32"),
    ((8, 7), ["fp16"], "bf16"),
    ((8, 7), ["bf16"], "tf32"),
    ((9, 0), ["fp16", "bf16"], "fp8"),
    ((7, 5), ["fp8"], "fp8"),
)
"""Devices, most of them made up, whose formats do not follow from the capability."""


def outcome(device: Mapping[str, Any], job: Mapping[str, Any]) -> str:
    """Of a device and a job as the learner gets them."""
    return binaries.outcome(device["capability"], device["formats"], job["built"], job["format"])


def cases(rng: np.random.Generator) -> list[Case]:
    """A list for each rule, on an early and a late device; wheels; and all formats."""
    every = [f"{major}{minor}" for major, minors in _MINORS.items() for minor in minors]
    lists = {
        "binaries": [f"sm_{number}" for number in every],
        "ptx": [f"compute_{number}" for number in every],
        "exact": [f"{kind}_{number}a" for number in every[4:] for kind in ("sm", "compute")],
    }
    drawn = []
    for decides, names in lists.items():
        first = (10, 0) if decides == "exact" else (8, 6)
        others = [int(one) for one in rng.choice([9, 10, 12], 2, replace=False)]
        for capability in (first, *((one, int(rng.choice(_MINORS[one]))) for one in others)):
            built = [str(one) for one in rng.permutation(names)]
            drawn.append(call_case(decides, "running", capability=capability, built=built))
    drawn += [call_case("wheels", "wheel_for", capability=one, wheels=_wheels()) for one in _ASKING]
    drawn += [
        call_case("wheels", "wheel_for", capability=one, wheels=wheels)
        for one, wheels in (
            ((9, 0), _unsorted_wheels()),
            ((12, 0), _unsorted_wheels()),
            ((9, 0), {}),
        )
    ]
    for capability, formats, wanted in _BY_FORMATS:
        device = {"capability": capability, "formats": formats}
        job = {"built": ["compute_60"], "format": wanted}
        decides = "silent" if outcome(device, job) == "falls back" else "outcomes"
        drawn.append(call_case(decides, "outcome", device=device, job=job))
    for capability, formats in _DEVICES:
        own = [str(one) for one in rng.permutation(formats)]
        device = {"capability": capability, "formats": own}
        slow = ("tf32", "bf16", "fp16") if capability < (12, 0) else ()
        for wanted in (*(["fp32"] if capability == (7, 5) else []), *slow, "fp8", "fp4"):
            job = {"built": ["sm_75", "sm_80", "compute_80"], "format": wanted}
            decides = "silent" if outcome(device, job) == "falls back" else "outcomes"
            drawn.append(call_case(decides, "outcome", device=device, job=job))
    for wanted in ("fp32", "fp8"):
        device = {"capability": (7, 5), "formats": _TURING}
        job = {"built": ["sm_80", "compute_90"], "format": wanted}
        drawn.append(call_case("outcomes", "outcome", device=device, job=job))
    # Of the others just one, which runs: who takes another one for running loses `binaries` alone.
    names = [str(one) for one in rng.permutation(["sm_120", *lists["exact"]])]
    drawn.append(call_case("exact", "running", capability=(12, 0), built=names[::-1]))
    drawn.append(call_case("exact", "running", capability=(12, 0), built=names))
    drawn += [call_case("wheels", "wheel_for", **_draw_wheels(rng, every)) for _ in range(4)]
    return drawn + [one for _ in range(3) for one in _draw_jobs(rng)]


def _draw_capability(rng: np.random.Generator) -> tuple[int, int]:
    major = int(rng.choice(list(_MINORS)))
    return major, int(rng.choice(_MINORS[major]))


def _draw_wheels(rng: np.random.Generator, every: Sequence[str]) -> dict[str, Any]:
    """A device, and wheels of which several run on it, but not the first one."""
    targets = [f"{kind}_{number}" for number in every for kind in ("sm", "compute")]
    while True:
        capability, built = _draw_capability(rng), rng.permutation(targets)[:15].reshape(5, 3)
        names = (f"cu{number}" for number in 100 + rng.permutation(50)[:5])
        wheels = dict(zip(names, built.tolist(), strict=True))
        runs = [binaries.has_kernel(capability, one) for one in wheels.values()]
        if not runs[0] and sum(runs) > 1:
            return {"capability": capability, "wheels": wheels}


def _draw_jobs(rng: np.random.Generator) -> list[Case]:
    """Jobs on a device that is made up, whose matrix units know two formats: all, and no kernel."""
    formats, capability = [str(one) for one in rng.permutation(_BLACKWELL)], _draw_capability(rng)
    device = {"capability": capability, "formats": formats[:2]}
    own, others = "sm_{}{}".format(*capability), ["sm_60", "compute_130"]
    drawn = []
    for built, wanted in (*(([own, *others], one) for one in formats), (others, formats[0])):
        job = {"built": built, "format": wanted}
        decides = "silent" if outcome(device, job) == "falls back" else "outcomes"
        drawn.append(call_case(decides, "outcome", device=device, job=job))
    return drawn


def _unsorted_wheels() -> dict[str, list[str]]:
    """The first runs through PTX alone; others have more kernels, and come first by name."""
    return {
        "stable": ["sm_80", "compute_80"],
        "lts": ["sm_75", "sm_80", "sm_86", "sm_90", "sm_120", "compute_90"],
        "nightly": ["sm_90", "sm_100", "sm_120", "compute_120"],
        "zero": ["sm_90", "sm_120"],
    }


def _wheels() -> dict[str, list[str]]:
    """Three, the newest first; together they lack Maxwell."""
    return {
        "cu130": ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120", "compute_120"],
        "cu128": ["sm_70", "sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"],
        "cu126": ["sm_50", "sm_60", "sm_70", "sm_75", "sm_80", "sm_86", "sm_90"],
    }


JUDGE = Judge(
    title="Does it run at all?",
    properties=(
        right_result(
            "binaries",
            "`running`: a binary runs on its major version, from its minor one on",
            1,
            {"running": binaries.running},
            asks="Which major version is each binary for, and from which minor version on? In "
            "which order are they asked for?",
        ),
        right_result(
            "ptx",
            "`running`: PTX runs on its capability and everything later",
            1,
            {"running": binaries.running},
            asks="Which capability is the PTX for? Is the device's the same, or later? In which "
            "order are the names asked for?",
        ),
        right_result(
            "exact",
            "`running`: names that end with `a` run on just their capability",
            1,
            {"running": binaries.running},
            asks="What does the name end with, and on which devices does that run? In which order "
            "are the names asked for?",
        ),
        right_result(
            "wheels",
            "`wheel_for`: the first wheel that runs",
            1,
            {"wheel_for": binaries.wheel_for},
            asks="Go through the wheels in their order: which is the first with a kernel?",
        ),
        right_result(
            "outcomes",
            "`outcome`: no kernel, runs, refused",
            1,
            {"outcome": outcome},
            asks="Is there a kernel? If so, do the device's matrix units know the format?",
        ),
        right_result(
            "silent",
            "`outcome`: falls back, silently",
            1,
            {"outcome": outcome},
            asks="Which formats does PyTorch compute without matrix units, and which does it "
            "refuse?",
            after=("outcomes",),
        ),
    ),
    hints=(
        "Take `sm_86` apart: the kind, the major version 8, the minor version 6. And `sm_120`?",
        "Tuples compare as versions do: `(8, 6) <= (9, 0)` is `True`.",
        "In `outcome`, ask for a kernel first. Without one, the format makes no difference.",
    ),
    cases=cases,
    predictions={
        "feature-gate": Prediction(
            "a wheel with kernels for sm_75, sm_80, sm_86, sm_90, sm_100 and sm_120 on an L4 "
            "(8.9)?",
            truth="yes",
            choices=("yes", "no", "only through PTX"),
            because="8.9 runs what was compiled for 8.0 or 8.6: the same major version, and an "
            "earlier minor one. That is why no wheel of PyTorch has an sm_89.",
        )
    },
)
