"""What a plan of data, tensor and pipeline parallelism takes: bytes of a rank, seconds of a step.

A plan is how many ranks share what. Nothing that is sent hides behind computing, latencies are left
out, and all products run at the same rate: that is enough to rank plans, and pessimistic about each
of them. Activations are those of a GPT with sequence parallelism (V. Korthikanti et al.,
arXiv:2205.05198, section 4): 34 bytes for each token and number of the width, without attention's
scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

NAMES = ("data", "tensor", "pipeline", "micro_batches", "zero")
TIMES = ("compute", "tensor", "pipeline", "bubble", "data")
MEMORY = ("parameters", "activations")
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
            f"data {self.data} x tensor {self.tensor} x pipeline {self.pipeline}, "
            f"{self.micro_batches} micro-batch{'es' * (self.micro_batches > 1)}, ZeRO {self.zero}"
        )


def kept_bytes(model: Model, plan: Plan) -> dict[str, float]:
    """What the first stage keeps: weights, gradients, states; and activations of 1F1B."""
    own = model.parameters / (plan.tensor * plan.pipeline)
    kept = sum(
        size * own / (plan.data if plan.zero >= stage else 1)
        for size, stage in ((12, 1), (2, 2), (2, 3))
    )
    tokens = model.batch * model.length / (plan.data * plan.micro_batches)
    layer = 34 * tokens * model.width / plan.tensor
    in_flight = min(plan.pipeline, plan.micro_batches)
    return dict(zip(MEMORY, (kept, layer * model.layers / plan.pipeline * in_flight), strict=True))


def times_s(model: Model, cluster: Cluster, plan: Plan) -> dict[str, float]:
    """The five parts of a step's time, in seconds."""
    tokens = model.batch * model.length
    compute = 6 * model.parameters * tokens / cluster.ranks / cluster.flop_per_s
    sent = 2 * model.width * tokens / plan.data
    ring = 2 * (plan.tensor - 1) / plan.tensor / cluster.rate(plan.tensor)
    tensor = 4 * model.layers / plan.pipeline * sent * ring
    between = 2 * sent / plan.tensor / cluster.rate(cluster.ranks) if plan.pipeline > 1 else 0.0
    idle = (plan.pipeline - 1) / plan.micro_batches
    own = 2 * model.parameters / (plan.tensor * plan.pipeline)
    halves = (2, 2, 1 + plan.micro_batches, 3 * plan.micro_batches)[plan.zero]
    half = (plan.data - 1) / plan.data * own / cluster.rate(plan.data * plan.tensor)
    bubble = idle * (compute + tensor + between)
    return dict(zip(TIMES, (compute, tensor, between, bubble, halves * half), strict=True))


def need_bytes(model: Model, plan: Plan) -> float:
    """All that a rank keeps."""
    return sum(kept_bytes(model, plan).values())


def step_s(model: Model, cluster: Cluster, plan: Plan) -> float:
    """How long a step takes."""
    return sum(times_s(model, cluster, plan).values())


def plans(model: Model, cluster: Cluster) -> Iterator[Plan]:
    """All that are possible, whether they fit or not."""
    for tensor in divisors(model.heads):
        for pipeline in divisors(model.layers):
            data, rest = divmod(cluster.ranks, tensor * pipeline)
            if rest or model.batch % data:
                continue
            for micro_batches in divisors(model.batch // data):
                for zero in STAGES:
                    yield Plan(data, tensor, pipeline, micro_batches, zero)


def fastest(model: Model, cluster: Cluster) -> Plan | None:
    """The first of the fastest plans that fit; None where none fits."""
    fitting = (one for one in plans(model, cluster) if fits(model, cluster, one))
    return min(fitting, key=lambda one: step_s(model, cluster, one), default=None)


def fits(model: Model, cluster: Cluster, plan: Plan) -> bool:
    """Whether a rank's memory suffices; the last digits of a sum don't count."""
    return need_bytes(model, plan) <= cluster.memory_bytes * (1 + 1e-9)


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


def divisors(n: int) -> list[int]:
    """All whole numbers that divide n, ascending.

    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    return [one for one in range(1, n + 1) if n % one == 0]


def plain(one: Model | Cluster | Plan) -> dict[str, Any]:
    """As the learner's functions get it."""
    return asdict(one)


def as_model(given: Mapping[str, Any]) -> Model:
    """From what the learner's functions get."""
    return Model(**given)


def as_cluster(given: Mapping[str, Any]) -> Cluster:
    """From what the learner's functions get."""
    return Cluster(**given)
