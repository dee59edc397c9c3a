"""tensor-parallel-decode: a GPU's share of a step, its all-reduces, and how many GPUs are best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from gpuedu.choosing.memory import cache_bytes
from gpuedu.choosing.models import Model, count_parameters
from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.functions import arguments_of, call_case, right_result
from gpuedu.exercises.serving.tensor_parallel_decode.play import SHARES
from gpuedu.multi.network.closed_forms import ring_all_reduce_s, tree_all_reduce_s
from gpuedu.multi.network.links import Link
from gpuedu.units import GB

Given = Mapping[str, Any]
_VOCABULARY = 32_000
_OF_A_NODE = 8


def shares(model: Given, batch: int, length: int, gpus: int) -> dict[str, float]:
    """Weights divided by all GPUs, caches by as many of them as there are key-value heads."""
    shape = Model(**model, vocabulary=_VOCABULARY)
    whole = cache_bytes(shape, batch, length)
    sizes = 2 * shape.parameters / gpus, whole / min(gpus, shape.kv_heads)
    return dict(zip(SHARES, sizes, strict=True))


def all_reduce_s(gpus: int, size_bytes: float, alpha_s: float, bytes_per_s: float) -> float:
    """The faster one of ring and tree."""
    link = Link("given", alpha_s, bytes_per_s)
    ring, tree = (one(gpus, size_bytes, link) for one in (ring_all_reduce_s, tree_all_reduce_s))
    return float(min(ring, tree))


def decode_s(model: Given, batch: int, length: int, gpus: int, device: Given) -> float:
    """Reading, and two all-reduces in each layer."""
    read_bytes = sum(shares(model, batch, length, gpus).values())
    size_bytes = 2 * batch * model["width"]
    each_s = all_reduce_s(gpus, size_bytes, device["alpha_s"], device["link_bytes_per_s"])
    return read_bytes / device["bytes_per_s"] + 2 * model["layers"] * each_s


def best_gpus(model: Given, batch: int, length: int, counts: Sequence[int], device: Given) -> int:
    """The fastest number that holds the model; 0 where none does."""
    times = {
        gpus: decode_s(model, batch, length, gpus, device)
        for gpus in counts
        if sum(shares(model, batch, length, gpus).values()) <= device["memory_bytes"]
    }
    return min(times, key=lambda gpus: times[gpus], default=0)


def cases(rng: np.random.Generator) -> list[Case]:
    """Shares with heads to spare and without, small and large messages, steps, and choices."""
    return [*_shares(rng), *_messages(rng), *_steps(rng), *_choices(rng)]


def _draw_model(
    rng: np.random.Generator, kv_heads: int, layers: int = 0, heads: int = 0
) -> dict[str, int]:
    """Heads of 64 to 160 numbers; four of them share a key-value head if nothing is said."""
    heads = heads or 4 * kv_heads
    width, layers = heads * int(rng.choice([64, 96, 160])), layers or int(rng.integers(20, 90))
    parameters = count_parameters(layers, width, _VOCABULARY)
    names = ("parameters", "layers", "width", "heads", "kv_heads")
    return dict(zip(names, (parameters, layers, width, heads, kv_heads), strict=True))


def _draw_device(rng: np.random.Generator, memory_bytes: int) -> dict[str, float]:
    return {
        "memory_bytes": memory_bytes,
        "bytes_per_s": 10 * GB * int(rng.integers(60, 600)),
        "alpha_s": int(rng.integers(30, 90)) / 1e7,
        "link_bytes_per_s": 10 * GB * int(rng.integers(10, 90)),
    }


def _shares(rng: np.random.Generator) -> list[Case]:
    drawn = []
    for decides, kv_heads, gpus in (
        ("shares", 8, 2),
        ("shares", 6, 3),
        ("shares", 4, 4),
        ("shares", 5, 1),
        ("copied", 4, 16),
        ("copied", 1, 4),
        ("copied", 3, 6),
    ):
        given = {"batch": int(rng.integers(2, 40)), "length": int(rng.integers(200, 4000))}
        given |= {"model": _draw_model(rng, kv_heads), "gpus": gpus}
        drawn.append(call_case(decides, "shares", **given))
    return drawn


def _messages(rng: np.random.Generator) -> list[Case]:
    drawn = []
    for decides, gpus, size_bytes in (
        ("small", 8, 8192),
        ("small", 6, 16_384),
        ("small", int(rng.choice([5, 9, 10])), 8192),
        ("small", 16, 4096),
        ("small", 1, 8192),
        ("large", 8, 2**26),
        ("large", 2, 16_384),
        ("large", 3, 2**25),
    ):
        device = _draw_device(rng, 1)
        given = {"gpus": gpus, "size_bytes": size_bytes * int(rng.integers(1, 4))}
        link = {"alpha_s": device["alpha_s"], "bytes_per_s": device["link_bytes_per_s"]}
        drawn.append(call_case(decides, "all_reduce_s", **given, **link))
    for decides, size_bytes, share, rate in (
        ("small", int(rng.integers(3000, 6000)) * 1000, 0.65, int(rng.integers(300, 600))),
        ("large", int(rng.integers(100, 300)) * 1000, 1.6, int(rng.integers(30, 60))),
    ):
        given = {"gpus": _OF_A_NODE, "size_bytes": size_bytes, "bytes_per_s": rate * GB}
        alpha_s = _latency_s(size_bytes / share, rate * GB)
        drawn.append(call_case(decides, "all_reduce_s", **given, alpha_s=alpha_s))
    return drawn


def _latency_s(size_bytes: float, bytes_per_s: float) -> float:
    """Of a link on which a ring and a tree of 8 GPUs take equally long for a message."""
    depth, others = (_OF_A_NODE - 1).bit_length(), _OF_A_NODE - 1
    return round(size_bytes / bytes_per_s * (depth - others / _OF_A_NODE) / (others - depth), 8)


def _steps(rng: np.random.Generator) -> list[Case]:
    drawn = []
    for kv_heads, gpus, batch in (
        (8, _OF_A_NODE, int(rng.integers(35, 50))),
        (2, 8, 1),
        (6, 3, 2),
        (4, 1, 3),
    ):
        given = {"model": _draw_model(rng, kv_heads), "batch": batch}
        given |= {"length": int(rng.integers(200, 4000)), "gpus": gpus}
        drawn.append(call_case("step", "decode_s", **given, device=_draw_device(rng, 200 * 10**9)))
    return [*drawn, _step_of_rings(rng, drawn[0])]


def _step_of_rings(rng: np.random.Generator, of_trees: Case) -> Case:
    """The same step with fewer texts, and a link on which rings are faster for its messages."""
    given, rate = arguments_of(of_trees), GB * int(rng.integers(30, 60))
    batch = int(rng.integers(20, 30))
    alpha_s = _latency_s(2 * batch * given["model"]["width"] / 1.5, rate)
    device = {**given["device"], "alpha_s": alpha_s, "link_bytes_per_s": rate}
    return call_case("step", "decode_s", **{**given, "batch": batch, "device": device})


def _choices(rng: np.random.Generator) -> list[Case]:
    asked = [("best", one) for one in (_draw_choice(rng, "inside"), _rising_twice(rng))]
    asked += [("best", _draw_choice(rng, "fewest"))]
    asked += [("holds", _draw_choice(rng, kind)) for kind in ("memory", "memory", "spare")]
    asked += [("holds", one) for one in _just_so(rng)]
    return [call_case(decides, "best_gpus", **given) for decides, given in asked]


def _draw_choice(rng: np.random.Generator, kind: str) -> dict[str, Any]:
    """Arguments of a choice whose right answer lies inside of the list, or is the fewest.

    With "memory", what would be fastest does not fit. With "spare", it does, and so does half of
    that number, but not the fewest.
    """
    while True:
        model = _draw_model(rng, int(rng.choice([4, 8])), int(rng.integers(12, 50)), heads=32)
        counts = [int(one) for one in rng.permutation([1, 2, 4, 8, 16, 32])]
        given = {"model": model, "batch": int(rng.integers(1, 30)), "length": 128, "counts": counts}
        device = _draw_device(rng, 10**12)
        if kind == "fewest":
            device |= {"alpha_s": 1e-3}
        if kind == "memory":
            device |= {"alpha_s": 2e-4}
        found = best_gpus(**given, device=device)
        if kind == "memory":
            next_one = sum(shares(model, given["batch"], 128, 2 * found).values())
            device["memory_bytes"] = int(1.01 * next_one)
        if kind == "spare":
            half = sum(shares(model, given["batch"], 128, max(found // 2, 1)).values())
            device["memory_bytes"] = int(1.01 * half)
        first, last = {"inside": (2, 16), "spare": (4, 32)}.get(kind, (1, 32))
        if _is_clear(given, device) and first <= found <= last:
            return {**given, "device": device}


def _rising_twice(rng: np.random.Generator) -> dict[str, Any]:
    """Steps that are longer on 6 GPUs than on 4, whose tree is flatter, and shortest on 8."""
    sizes = {"parameters": 10**9, "layers": 32, "width": 3072, "heads": 24, "kv_heads": 24}
    counts = [1, 2, 3, 4, 6, 8, 12, 24]
    faster = int(rng.integers(8, 13)) / 10
    device = {"memory_bytes": 10**12, "bytes_per_s": 3e12 * faster}
    device |= {"alpha_s": 1e-6 / faster, "link_bytes_per_s": 4e11 * faster}
    return {"model": sizes, "batch": 1, "length": 4096, "counts": counts, "device": device}


def _is_clear(given: Given, device: Given) -> bool:
    """No two of the times are within 1% of each other."""
    rest = {name: one for name, one in given.items() if name != "counts"}
    times = sorted(decode_s(**rest, gpus=gpus, device=device) for gpus in given["counts"])
    return all(late > 1.01 * soon for soon, late in pairwise(times))


def _just_so(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Shares that fill the memory of each of 4 GPUs to the last byte; one byte less; nothing."""
    model = _draw_model(rng, 4, 32)
    model["parameters"] = 4 * 10**9
    whole = int(sum(shares(model, 3, 1000, 4).values()))
    given = {"model": model, "batch": 3, "length": 1000, "counts": [4, 1, 2]}
    slow = {"alpha_s": 1e-3}
    return [
        given | {"device": _draw_device(rng, memory) | slow, "counts": counts}
        for memory, counts in ((whole, [4, 1, 2]), (whole - 1, [8, 2, 4]), (10**9, [2, 4, 1]))
    ]


JUDGE = Judge(
    title="Many GPUs for one token",
    properties=(
        right_result(
            "shares",
            "`shares`: a GPU's weights and caches",
            0.5,
            {"shares": shares},
            asks="How many bytes do all weights take, and all caches? How many GPUs share each?",
        ),
        right_result(
            "copied",
            "`shares` with more GPUs than key-value heads",
            0.5,
            {"shares": shares},
            asks="How many key-value heads does a GPU have here, and what does it read of them?",
            after=("shares",),
        ),
        right_result(
            "small",
            "`all_reduce_s` of small messages",
            0.5,
            {"all_reduce_s": all_reduce_s},
            asks="How many messages come one after another in a ring, and how many in a tree? "
            "Which is faster here?",
            unit="s",
        ),
        right_result(
            "large",
            "`all_reduce_s` where the ring is faster",
            0.5,
            {"all_reduce_s": all_reduce_s},
            asks="How many bytes does a message of a ring have, and one of a tree? Which is faster "
            "here?",
            unit="s",
        ),
        right_result(
            "step",
            "`decode_s`: reading and all-reduces",
            1,
            {"decode_s": decode_s},
            asks="How long does one GPU read its share, how large is one message, and how many "
            "all-reduces are there in all layers?",
            unit="s",
        ),
        right_result(
            "best",
            "`best_gpus`: the fastest number of GPUs",
            0.5,
            {"best_gpus": best_gpus},
            asks="How long is a step for each of these counts?",
        ),
        right_result(
            "holds",
            "`best_gpus` where not every number holds the model",
            0.5,
            {"best_gpus": best_gpus},
            asks="Which of these counts leave each GPU a share that fits into its memory? Which "
            "of those is fastest?",
            after=("best",),
        ),
    ),
    hints=(
        "Take one GPU of `gpus`. What does it keep, and so read in each step? For what does it "
        "wait?",
        "It has `max(1, kv_heads // gpus)` key-value heads, each of `width // heads` numbers for a "
        "key and as many for a value. A tree on g GPUs has a depth of `(g - 1).bit_length()`.",
        "A step: `sum(shares(...)) / bytes_per_s + 2 * layers * all_reduce_s(gpus, 2 * batch * "
        "width, ...)`. `min(fitting, key=..., default=0)` picks the best one.",
    ),
    cases=cases,
    predictions={
        "tensor-parallel-decode": Prediction(
            "16 GB of weights, 3,200 GB/s, 32 layers, 10 µs for an all-reduce: how many times as "
            "fast as one GPU are 8?",
            truth=5 / 1.265,
            unit="times",
            because="One GPU reads for 5 ms. Each of 8 reads for 0.625 ms, and waits for 64 "
            "all-reduces, 0.64 ms. Half of the step is latency, and 16 GPUs would not change that "
            "half.",
        )
    },
)
