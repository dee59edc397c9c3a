"""Cases of scaling: uneven shards, nodes that are just full, lists in disorder."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuedu.exercises.contract import Case
from gpuedu.exercises.ddp_in_practice.scaling.judge.scaling_truth import efficiency
from gpuedu.exercises.ddp_in_practice.scaling.scaling_model import net_of, work_of

_FREE = {"bytes": 0.0, "last_bytes": 0.0, "backward": 0.0}


def cases(rng: np.random.Generator) -> list[Case]:
    """For each property what separates it from its neighbors."""
    return [
        *_compute_cases(rng),
        *_exchange_cases(rng),
        *_hidden_cases(rng),
        *_efficiency_cases(rng),
        *_most_cases(rng),
        *_recipe_cases(rng),
        _step_case("exchange", 2, 16, _model(rng, backward=0.0)),
        _step_case("exchange", 20, int(rng.integers(3, 9)), _model(rng, backward=0.0)),
    ]


def _model(rng: np.random.Generator, **work: float) -> dict[str, Any]:
    """Numbers of a step and a network; across nodes all is slower."""
    usual = {
        "fixed_s": float(rng.integers(10, 40)) * 1e-4,
        "sample_s": float(rng.integers(20, 60)) * 1e-5,
        "backward": float(rng.integers(55, 75)) / 100,
        "bytes": float(rng.integers(50, 200)) * 1e6,
        "last_bytes": float(rng.integers(10, 50)) * 1e5,
    }
    net = {
        "per_node": int(rng.integers(4, 9)),
        "within": [float(rng.integers(20, 60)) * 1e-7, float(rng.integers(20, 40)) * 1e10],
        "across": [float(rng.integers(80, 300)) * 1e-7, float(rng.integers(10, 60)) * 1e9],
    }
    return {"work": usual | work, "net": net}


def _step_case(prop: str, ranks: int, batch: int, model: dict[str, Any]) -> Case:
    inputs = {"ask": "step", "ranks": ranks, "batch": batch} | model
    said = f"{ranks} rank{'' if ranks == 1 else 's'}, {batch} samples"
    return Case(said, inputs, (prop,))


def _compute_cases(rng: np.random.Generator) -> list[Case]:
    """No bytes and no latency: all that is left is computing."""
    drawn = []
    for ranks in (4, 1, 7):
        model = _model(rng, **_FREE)
        for link in ("within", "across"):
            model["net"][link][0] = 0.0
        batch = ranks * int(rng.integers(5, 20)) + (ranks + 1) // 2 * (ranks > 1)
        drawn.append(_step_case("compute", ranks, batch, model))
    return drawn


def _exchange_cases(rng: np.random.Generator) -> list[Case]:
    """Nothing is hidden; one rank, a node less one, a full one, one more, and many.

    Nodes of fewer GPUs than the usual 8, and of more.
    """
    drawn = []
    for place, least in ((-1, 9), (0, 10), (1, 3), (None, 4), (0, 2), (1, 12), (100, 4)):
        model = _model(rng, backward=0.0)
        per_node = model["net"]["per_node"] = least + int(rng.integers(4))
        ranks = 1 if place is None else per_node + place
        drawn.append(_step_case("exchange", ranks, 8 * ranks, model))
    return drawn


def _hidden_cases(rng: np.random.Generator) -> list[Case]:
    """A backward that hides all but the last bucket, one that hides a part, and a long one."""
    drawn = []
    for samples, size in ((200, 60e6), (4, 900e6), (40, 400e6)):
        model = _model(rng, bytes=size + float(rng.integers(0, 50)) * 1e5)
        ranks = model["net"]["per_node"] * int(rng.integers(2, 6))
        drawn.append(_step_case("hidden", ranks, ranks * samples, model))
    return drawn


def _efficiency_cases(rng: np.random.Generator) -> list[Case]:
    drawn = []
    for scaling, ranks in (("weak", 12), ("strong", 12), ("weak", 3), ("strong", 5), ("strong", 1)):
        inputs = {
            "ask": "efficiency",
            "ranks": ranks,
            "batch": int(rng.integers(30, 60)),
            "scaling": scaling,
        } | _model(rng)
        drawn.append(Case(f"{scaling}, {ranks} ranks", inputs, ("efficiency",)))
    return drawn


def _most_cases(rng: np.random.Generator) -> list[Case]:
    """Counts in disorder: an efficiency that falls, one that rises again, none that will do."""
    weak = _model(rng, bytes=8e8)
    counts = [256, 2, 64, 16, 1024, 4]
    falls = _most_case("weak, unsorted", counts, 64, "weak", weak, place=2)
    samples = int(rng.choice([2, 4]))
    even = _model(rng, fixed_s=0.0, bytes=1e3, last_bytes=1e2)
    for link in ("within", "across"):
        even["net"][link] = [1e-9, 1e12]
    # 8 ranks share 8 s samples evenly; 5, 6 and 7 do not: one of theirs has more than the mean.
    rises = _most_case("strong, uneven shards", [5, 8, 7, 6], 8 * samples, "strong", even)
    # All numbers are powers of two: 16 ranks with 8 samples are half as efficient as one, exactly.
    half = _model(rng, **_FREE, fixed_s=0.0, sample_s=2.0**-10)
    for link in ("within", "across"):
        half["net"][link][0] = 0.0
    just = {"ask": "most", "counts": [8, 32, 16, 4], "least": 0.5, "batch": 8, "scaling": "strong"}
    exact = Case("strong, one that is just efficient enough", just | half, ("most",))
    nothing = _most_case("none will do", [512, 128, 2048], 4, "strong", weak, place=-1)
    return [falls, rises, exact, nothing]


def _most_case(
    label: str,
    counts: list[int],
    batch: int,
    scaling: str,
    model: dict[str, Any],
    place: int = 0,
) -> Case:
    """``place`` counts from the best: the least efficiency lies behind it; -1 is above all."""
    work, net = work_of(model), net_of(model)
    found = sorted((efficiency(n, batch, work, net, scaling) for n in counts), reverse=True)
    least = 1.5 * found[0] if place < 0 else (found[place] + found[place + 1]) / 2
    inputs = {"ask": "most", "counts": counts, "least": least, "batch": batch, "scaling": scaling}
    return Case(label, inputs | model, ("most",))


def _recipe_cases(rng: np.random.Generator) -> list[Case]:
    drawn = []
    for optimizer, scale in (("sgd", 10_000.0), ("adam", 500.0), ("sgd", 20.0)):
        inputs = {
            "ask": "recipe",
            "ranks": int(rng.integers(3, 33)),
            "batch": int(rng.integers(16, 65)),
            "peak": float(rng.integers(1, 50)) / 1000,
            "steps": int(rng.integers(1000, 9000)),
            "scale": scale,
            "optimizer": optimizer,
        }
        drawn.append(Case(f"{optimizer}, noise scale {scale:,.0f}", inputs, ("recipe",)))
    return drawn
