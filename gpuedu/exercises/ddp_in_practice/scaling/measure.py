"""scaling: what is measured on the learner's machine."""

from __future__ import annotations

import time
from statistics import median
from typing import Any

from gpuedu.exercises.ranks.launching import launch_ranks

RANKS, BATCH, WIDTH = 2, 512, 512


_WARM, _STEPS = 5, 40


def measure_scaling() -> dict[str, Any]:
    """Seconds of a step on 1 rank, and on 2 with twice the batch (weak) and with the same (strong).

    Returns:
        ``alone_s``, ``weak_s``, ``strong_s`` (medians over the steps, of the slowest rank), and
        ``ranks`` and ``batch``.
    """
    from gpuedu.training import load_digits

    data = load_digits().train
    arguments = data.inputs.reshape(len(data.inputs), -1), data.targets
    alone = launch_ranks(time_steps, 1, *arguments, [BATCH]).results
    both = launch_ranks(time_steps, RANKS, *arguments, [BATCH, BATCH // RANKS]).results
    weak_s, strong_s = (max(found) for found in zip(*both, strict=True))
    return {
        "alone_s": alone[0][0],
        "weak_s": weak_s,
        "strong_s": strong_s,
        "ranks": RANKS,
        "batch": BATCH,
    }


def time_steps(inputs: Any, targets: Any, samples: list[int]) -> list[float]:
    """On a rank: the median seconds of a step with so many samples of its own, for each."""
    import torch
    import torch.distributed as dist

    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Linear(inputs.shape[1], WIDTH),
        torch.nn.ReLU(),
        torch.nn.Linear(WIDTH, WIDTH),
        torch.nn.ReLU(),
        torch.nn.Linear(WIDTH, 10),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(x: Any, y: Any) -> None:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        flat = torch.cat([p.grad.reshape(-1) for p in model.parameters()])
        dist.all_reduce(flat)
        parts = (flat / dist.get_world_size()).split([p.numel() for p in model.parameters()])
        for p, part in zip(model.parameters(), parts, strict=True):
            p.grad = part.view_as(p)
        optimizer.step()

    return [_median_s(step, inputs[:count], targets[:count]) for count in samples]


def _median_s(step: Any, x: Any, y: Any) -> float:
    import torch.distributed as dist

    times = []
    dist.barrier()
    for turn in range(_WARM + _STEPS):
        began_s = time.perf_counter()
        step(x, y)
        if turn >= _WARM:
            times.append(time.perf_counter() - began_s)
    return median(times)


MEASURE = measure_scaling
