"""Models, clusters, and plans of data, tensor and pipeline parallelism for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

NAMES = ("data", "tensor", "pipeline", "micro_batches", "zero")
STAGES = (0, 1, 2, 3)
"""Of ZeRO."""


@dataclass(frozen=True)
class Model:
    """A transformer, and its batch: how many sequences of ``length`` tokens go into a step."""

    parameters: int
    layers: int
    heads: int
    width: int
    length: int
    batch: int


@dataclass(frozen=True)
class Cluster:
    """Equal GPUs in nodes; ``within`` and ``across`` are bytes per second of a rank's links."""

    ranks: int
    per_node: int
    memory_bytes: float
    flop_per_s: float
    within: float
    across: float

    def rate(self, span: int) -> float:
        """Between ranks of a group that lies within so many consecutive ranks."""
        return self.across if self.per_node % span else self.within


@dataclass(frozen=True)
class Plan:
    """How many ranks share the batch, a layer, and the layers; micro-batches; a stage of ZeRO."""

    data: int
    tensor: int
    pipeline: int
    micro_batches: int
    zero: int

    def __str__(self) -> str:
        """As the pictures and messages say it."""
        return (
            f"data {self.data:,} x tensor {self.tensor} x pipeline {self.pipeline}, "
            f"{self.micro_batches} micro-batch{'es' * (self.micro_batches > 1)}, ZeRO {self.zero}"
        )


def why_impossible(model: Model, cluster: Cluster, plan: Plan) -> str:
    """Which rule a plan breaks, memory aside; "" where it breaks none.

    >>> model, cluster = Model(10**9, 12, 12, 768, 1024, 8), Cluster(8, 8, 8e10, 1e14, 3e11, 3e10)
    >>> why_impossible(model, cluster, Plan(2, 2, 1, 1, 0))
    '2 x 2 x 1 ranks are 4, and there are 8'
    >>> why_impossible(model, cluster, Plan(1, 8, 1, 1, 0))
    'tensor 8 does not divide 12 heads'
    """
    ranks = plan.data * plan.tensor * plan.pipeline
    if ranks != cluster.ranks:
        return (
            f"{plan.data} x {plan.tensor} x {plan.pipeline} ranks are {ranks}, and there are "
            f"{cluster.ranks}"
        )
    if plan.zero not in STAGES:
        return f"there is no stage {plan.zero} of ZeRO"
    for name, count, what, whole in (
        ("tensor", plan.tensor, "heads", model.heads),
        ("pipeline", plan.pipeline, "layers", model.layers),
        ("data", plan.data, "sequences", model.batch),
        ("micro_batches", plan.data * plan.micro_batches, "sequences", model.batch),
    ):
        if whole % count:
            said = f"data x micro_batches {count}" if name == "micro_batches" else f"{name} {count}"
            return f"{said} does not divide {whole} {what}"
    return ""


def plain(one: Model | Cluster | Plan) -> dict[str, Any]:
    """As the learner's functions get it."""
    return asdict(one)


def as_model(given: Mapping[str, Any]) -> Model:
    """From what the learner's functions get."""
    return Model(**given)


def as_cluster(given: Mapping[str, Any]) -> Cluster:
    """From what the learner's functions get."""
    return Cluster(**given)
