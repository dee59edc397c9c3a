"""Models, clusters and plans that plan is judged on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.exercises.pipelines.parallel_plans import Cluster, Model, Plan, plain
from gpuedu.exercises.pipelines.plan_costs import need_bytes, plans

_GB = 10**9
_GPT2, _GPT2_XL = (124_439_808, 12, 12, 768), (1_557_611_200, 48, 25, 1_600)
_LLAMA_7B, _LLAMA_70B = (6_738_415_616, 32, 32, 4_096), (68_976_648_192, 80, 64, 8_192)
_OPT_13B, _GPT3 = (12_853_473_280, 40, 40, 5_120), (174_600_000_000, 96, 96, 12_288)
_A100, _L4 = (8, 80 * _GB, 156e12, 300e9, 25e9), (4, 24 * _GB, 60e12, 32e9, 12.5e9)
_RTX, _OF_SIX = (8, 24 * _GB, 80e12, 25e9, 1.25e9), (6, 24 * _GB, 80e12, 25e9, 1.25e9)
_BINARY, _JUST_ENOUGH = (2**30, 16, 16, 1_024), (8, 8_187_281_408, 156e12, 300e9, 25e9)
"""GPUs in a node, memory, what products reach, and the links: of a node, and between nodes."""

CHOICES = tuple(
    (Model(*shape, length, batch), Cluster(ranks, *gpus))
    for shape, length, batch, ranks, gpus in (
        (_LLAMA_70B, 8_192, 12, 128, _L4),  # everything at once
        (_GPT2_XL, 8_192, 96, 24, _RTX),  # three stages; stage 2 of ZeRO
        (_OPT_13B, 8_192, 6, 64, _RTX),  # fewer micro-batches than stages
        (_LLAMA_70B, 4_096, 4, 64, _L4),  # a layer on several nodes; stage 3
        (_LLAMA_7B, 1_024, 96, 6, _OF_SIX),  # three times two; stage 3
        (_GPT2_XL, 1_024, 2, 4, _L4),  # a pipeline with a large bubble
        (_OPT_13B, 2_048, 96, 12, _L4),
        (_GPT2, 4_096, 4, 12, _OF_SIX),  # a layer on 3 GPUs: no power of 2
        (_GPT2, 1_024, 8, 1, _A100),  # a single GPU
        (_GPT2, 8_192, 12, 8, _A100),  # more ranks than divide the batch
        (_LLAMA_7B, 4_096, 64, 8, _A100),  # stage 1
        (_BINARY, 4_096, 32, 8, _JUST_ENOUGH),  # all numbers exact; the memory to the byte
        (_GPT3, 2_048, 1_536, 1_536, _A100),
    )
)
HOPELESS = (
    (Model(*_LLAMA_70B, 4_096, 64), Cluster(8, *_A100)),  # 1.1 TB of parameters alone
    (Model(*_LLAMA_7B, 131_072, 1), Cluster(4, *_L4)),  # one long sequence
)

_SHAPES = (_GPT2, _GPT2_XL, _LLAMA_7B, _OPT_13B, _LLAMA_70B)
_RANKS = (4, 6, 8, 12, 16, 24, 32, 48, 64)
_NEAR = 1e-6

_LAYOUTS = (
    (4, Plan(2, 4, 3, 5, 3)),  # layer and gradients within nodes of 8, stages across
    (4, Plan(1, 16, 2, 3, 0)),  # a layer across nodes
    (2, Plan(8, 2, 1, 3, 2)),  # gradients across
    (3, Plan(2, 2, 2, 5, 1)),  # all within a node
    (1, Plan(1, 1, 4, 2, 0)),
    (5, Plan(4, 1, 1, 1, 0)),
    (2, Plan(6, 2, 4, 7, 3)),
    (1, Plan(3, 4, 2, 6, 2)),  # 12 ranks: half of them in a node of 8
    (1, Plan(1, 1, 1, 1, 3)),
    (3, Plan(2, 1, 6, 6, 1)),
    (2, Plan(4, 4, 2, 3, 1)),
)
"""How many layers a stage has, and a plan."""


def costed(rng: np.random.Generator) -> Iterator[tuple[tuple[str, ...], str, dict[str, Any]]]:
    """What each case decides, the call, and its arguments: each plan's memory and its times."""
    for each, plan in _LAYOUTS:
        ranks = plan.data * plan.tensor * plan.pipeline
        sequences = plan.data * plan.micro_batches * int(rng.integers(1, 5))
        width = 128 * plan.tensor * int(rng.integers(3, 20))
        layers = each * plan.pipeline
        model = Model(
            12 * layers * width**2 + 1_000 * int(rng.integers(10, 90)) * width,
            layers,
            plan.tensor * int(rng.integers(1, 6)),
            width,
            256 * int(rng.integers(3, 30)),
            sequences,
        )
        cluster = vary(Cluster(ranks, *_A100), rng)
        given = {"model": plain(model), "plan": plain(plan)}
        yield ("parameters", "activations"), "memory_bytes", given
        given = {"model": given["model"], "cluster": plain(cluster), "plan": given["plan"]}
        yield ("computing", "tensor", "pipeline", "data"), "times_s", given


def draw_choice(rng: np.random.Generator, *, fits: bool) -> tuple[Model, Cluster]:
    """A model and a cluster that nobody has seen before, on which some plan fits, or none does.

    No plan needs the memory to within a millionth, so that no rounding decides.
    """
    while True:
        shape, gpus = _SHAPES[rng.integers(len(_SHAPES))], (_A100, _L4, _RTX)[rng.integers(3)]
        length, batch = 512 * int(rng.integers(1, 25)), 4 * int(rng.integers(1, 25))
        model, cluster = Model(*shape, length, batch), Cluster(int(rng.choice(_RANKS)), *gpus)
        ratios = [need_bytes(model, one) / gpus[1] for one in plans(model, cluster)]
        is_clear = all(abs(ratio - 1) > _NEAR for ratio in ratios)
        if ratios and is_clear and (min(ratios) < 1) == fits:
            return model, vary(cluster, rng)


def vary(cluster: Cluster, rng: np.random.Generator) -> Cluster:
    """The same cluster, faster or slower in everything: so the fastest plan stays the fastest."""
    factor = round(float(rng.uniform(0.7, 1.4)), 3)
    rates = {name: getattr(cluster, name) * factor for name in ("flop_per_s", "within", "across")}
    return replace(cluster, **rates)
