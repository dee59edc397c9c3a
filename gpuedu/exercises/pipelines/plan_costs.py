"""What a plan of data, tensor and pipeline parallelism takes: bytes of a rank, seconds of a step.

A plan is how many ranks share what. Nothing that is sent hides behind computing, latencies are left
out, and all products run at the same rate: that is enough to rank plans, and pessimistic about each
of them. Activations are those of a GPT with sequence parallelism (V. Korthikanti et al.,
arXiv:2205.05198, section 4): 34 bytes for each token and number of the width, without attention's
scores.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuedu.exercises.pipelines.parallel_plans import STAGES, Cluster, Model, Plan

TIMES = ("compute", "tensor", "pipeline", "bubble", "data")
MEMORY = ("parameters", "activations")


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


def divisors(n: int) -> list[int]:
    """All whole numbers that divide n, ascending.

    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    return [one for one in range(1, n + 1) if n % one == 0]
