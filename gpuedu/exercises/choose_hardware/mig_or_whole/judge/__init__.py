"""mig-or-whole: small jobs on instances of one GPU."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.functions import call_case, right_result

Profile = tuple[str, int, int, int]
PROFILES: tuple[Profile, ...] = (
    ("1g.10gb", 1, 10, 7),
    ("1g.20gb", 1, 20, 4),
    ("2g.20gb", 2, 20, 3),
    ("3g.40gb", 3, 40, 2),
    ("7g.80gb", 7, 80, 1),
)
"""Of an H100 with 80 GB: name, slices, GB, instances. NVIDIA, Multi-Instance GPU User Guide."""


def job_s(host_s: float, work_s: float, width: int, slices: int) -> float:
    """One job on an instance."""
    return host_s + work_s * width / min(width, slices)


def batch_s(
    jobs: int, host_s: float, work_s: float, width: int, slices: int, instances: int
) -> float:
    """All jobs, shared by the instances."""
    return math.ceil(jobs / instances) * job_s(host_s, work_s, width, slices)


def best_profile(
    jobs: int,
    host_s: float,
    work_s: float,
    width: int,
    memory_gb: float,
    profiles: Sequence[Profile],
) -> str:
    """The first of those that are done first."""
    times = {
        name: batch_s(jobs, host_s, work_s, width, slices, instances)
        for name, slices, own_gb, instances in profiles
        if own_gb >= memory_gb
    }
    return min(times, key=lambda name: times[name], default="")


def cases(rng: np.random.Generator) -> list[Case]:
    """Narrow and wide jobs, batches that come out even or not, and memory that decides."""
    drawn = []
    for width in (1, int(rng.integers(3, 6)), 7):
        # The host's part is the longer one, so that it is missed where it is left out.
        host, work = float(rng.integers(20, 40)) / 2, float(rng.integers(3, 16)) / 2
        given = {"host_s": host, "work_s": work, "width": width}
        for slices in (1, 2, 7):
            drawn.append(call_case("job", "job_s", **given, slices=slices))
        instances = int(rng.integers(2, 8))
        if width == 7:
            continue
        batches = (4 * instances, 4 * instances + 1, instances - 1)
        for jobs, slices in zip(batches, rng.permutation((1, 2, 3)).tolist(), strict=True):
            shared = {"slices": slices, "instances": instances}
            drawn.append(call_case("batch", "batch_s", jobs=jobs, **given, **shared))
    profiles = list(PROFILES)
    jobs = 7 * int(rng.integers(6, 30))
    for width, memory_gb, decides in (
        (1, 8, "best"),
        (1, 16, "memory"),
        (1, 20, "memory"),
        (7, 30, "memory"),
        (3, 35, "memory"),
        (7, 100, "none"),
    ):
        host = 0.5 if width < 7 else 0.0
        given = {"host_s": host, "work_s": float(rng.integers(4, 9)), "width": width}
        limits = {"memory_gb": memory_gb, "profiles": profiles}
        drawn.append(call_case(decides, "best_profile", jobs=jobs, **given, **limits))
    wide = {"host_s": 0.0, "work_s": 3.0, "width": 7, "memory_gb": 5}
    drawn.append(call_case("best", "best_profile", jobs=1, **wide, profiles=profiles))
    drawn.append(call_case("best", "best_profile", jobs=42, **wide, profiles=profiles[::-1]))
    drawn += [_made_up(rng, decides) for decides in ("best", "memory") for _ in range(8)]
    return [*drawn, *_apart(profiles)]


def _made_up(rng: np.random.Generator, decides: str) -> Case:
    """Profiles of a GPU that is made up: one is done first by far, with the memory or without."""
    while True:
        numbers = zip(
            rng.integers(1, 9, 5), 4 * rng.integers(2, 20, 5), rng.integers(1, 9, 5), strict=True
        )
        profiles = [(f"made up {place}", *map(int, one)) for place, one in enumerate(numbers)]
        given = {
            "jobs": int(rng.integers(5, 100)),
            "host_s": int(rng.integers(4, 20)) / 4,
            "work_s": float(rng.integers(4, 20)),
            "width": int(rng.integers(1, 9)),
        }
        memory_gb = int(rng.integers(20, 60)) if decides == "memory" else 5
        times = [
            (batch_s(*given.values(), slices, instances), own_gb >= memory_gb)
            for _, slices, own_gb, instances in profiles
        ]
        _, first_fits = min(times)
        fitting = sorted(time for time, fits in times if fits)
        if (
            len(fitting) > 1
            and fitting[1] > 1.01 * fitting[0]
            and first_fits == (decides == "best")
        ):
            limits = {"memory_gb": memory_gb, "profiles": profiles}
            return call_case(decides, "best_profile", **given, **limits)


def _apart(profiles: list[Profile]) -> list[Case]:
    """No job at all; and batches of which one number of a profile alone decides."""
    named = [(f"cut {place}", *one[1:]) for place, one in enumerate(profiles)]
    nothing = {"host_s": 2.0, "work_s": 6.0, "width": 3, "slices": 2, "instances": 3}
    asked = [
        # The shortest job is on 3 slices, the shortest batch on one.
        ("best", 147, 2.0, 6.0, 3, 5, profiles),
        ("best", 30, 0.0, 6.0, 5, 5, named[::-1]),  # ties that are exact in floats
        ("best", 1, 0.0, 0.2, 7, 5, profiles),  # fractions of a second apart
        ("memory", 84, 0.0, 4.0, 2, 16, profiles),  # 1g.20gb has 4 instances, not 7
        ("memory", 1, 0.0, 4.0, 7, 20, profiles),  # more memory than needed, and done first
    ]
    names = ("jobs", "host_s", "work_s", "width", "memory_gb", "profiles")
    return [
        call_case("batch", "batch_s", jobs=0, **nothing),
        *(
            call_case(decides, "best_profile", **dict(zip(names, given, strict=True)))
            for decides, *given in asked
        ),
    ]


JUDGE = Judge(
    title="One GPU for many small jobs",
    properties=(
        right_result(
            "job",
            "`job_s` on few slices and on more than it can use",
            1,
            {"job_s": job_s},
            asks="Which part of the job depends on the slices, and how many can it use?",
            unit="s",
        ),
        right_result(
            "batch",
            "`batch_s`: instances that each run one job after another",
            1,
            {"batch_s": batch_s},
            asks="How long does one job take there, and how many does the busiest instance run?",
            unit="s",
        ),
        right_result(
            "best",
            "`best_profile`: the one done first, and the first in the list among equals",
            1,
            {"best_profile": best_profile},
            asks="How long does the batch take with each profile?",
            after=("batch",),
        ),
        right_result(
            "memory",
            "`best_profile` among those with the memory",
            0.5,
            {"best_profile": best_profile},
            asks="Which profiles have the memory, and how long does the batch take with each of "
            "them?",
            after=("batch",),
        ),
        right_result(
            "none",
            '`best_profile` gives `""` if none has the memory',
            0.5,
            {"best_profile": best_profile},
            asks="Is there a profile with that much memory?",
            after=("best",),
        ),
    ),
    hints=(
        "A job that can use 3 slices and gets 1 takes three times as long on the device.",
        "`math.ceil(jobs / instances)` jobs run one after another on the busiest instance.",
        "Throw out profiles with too little memory first, then take the minimum of the times.",
    ),
    cases=cases,
    predictions={
        "mig-or-whole": Prediction(
            "how many times as fast are seven instances, for 70 jobs of 2 s on the host and 1 s "
            "on one slice?",
            truth=7,
            unit="times",
            because="A job that can use one slice takes 3 s on an instance, just as on the whole "
            "GPU, and seven run at a time: 30 s, not 210 s.",
        )
    },
)
