"""throughput-knee: what is measured on the learner's machine."""

from __future__ import annotations

from typing import Any

from gpuedu.clock import time_launch
from gpuedu.exercises.batch_and_learning_rate.step_costs import SHARE, Run
from gpuedu.exercises.plain import whole_number
from gpuedu.exercises.training.quiet import quiet_torch

_BATCHES = (1, 4, 16, 64, 128, 256, 512, 1024, 2048, 4096)


_ON_GPU = (*_BATCHES, 8192, 16384, 32768)


_INPUTS, _HIDDEN, _CLASSES = 64, (256, 256), 10


_BUDGET_S, _MOST = 0.15, 15


def measure_throughput(measured_knee: Any) -> dict[str, Any]:
    """Time steps of a small MLP by batch, and find the knee with the learner's function.

    Returns:
        ``runs`` as (batch, seconds), the learner's ``knee``, ``model`` and ``device``.
    """
    import torch

    on_gpu = torch.cuda.is_available()
    with quiet_torch():
        runs = time_steps(_ON_GPU if on_gpu else _BATCHES, "cuda" if on_gpu else "cpu")
    knee = whole_number(measured_knee(list(runs), SHARE), "the batch")
    device = torch.cuda.get_device_name() if on_gpu else "one core of this machine"
    return {"runs": runs, "knee": knee, "model": "A small MLP", "device": device}


def time_steps(batches: tuple[int, ...], device: str) -> list[Run]:
    """Several times of a step (forward, backward, Adam) for each batch."""
    import torch
    from torch.nn.functional import cross_entropy

    from gpuedu.training import MLP

    model = MLP(_INPUTS, _CLASSES, hidden=_HIDDEN).to(device)
    adam = torch.optim.Adam(model.parameters())
    sync = torch.cuda.synchronize if device == "cuda" else lambda: None
    runs = []
    for batch in batches:
        x = torch.rand(batch, _INPUTS, device=device)
        y = torch.randint(_CLASSES, (batch,), device=device)

        def step(x: Any = x, y: Any = y) -> None:
            adam.zero_grad()
            cross_entropy(model(x), y).backward()
            adam.step()

        timing = time_launch(step, sync, warmup=2, budget_s=_BUDGET_S, most=_MOST)
        runs += [(batch, time_s) for time_s in _odd(timing.times_s)]
    return runs


def _odd(times_s: tuple[float, ...]) -> tuple[float, ...]:
    """Without the last of an even number: then the median is one of them, by any library."""
    return times_s[: len(times_s) - (len(times_s) + 1) % 2]


MEASURE = measure_throughput
