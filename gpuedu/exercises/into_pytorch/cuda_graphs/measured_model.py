"""A small model on a real GPU, as it is and by ``torch.cuda.make_graphed_callables``."""

from __future__ import annotations

from typing import Any

from gpuedu.clock import time_launch
from gpuedu.units import format_time

_LAYERS, _WIDTH, _BATCH, _CALLS = 40, 64, 8, 20


def tell_graphed_model() -> str:
    """A training step's forward and backward pass, timed both ways; a sentence without a GPU."""
    import torch

    if not torch.cuda.is_available():
        return (
            "There is no GPU here, so nothing is timed.\n"
            "On one, this cell times a small model with and without make_graphed_callables."
        )
    x = torch.randn(_BATCH, _WIDTH, device="cuda")
    plain, graphed = _model(), _model()
    graphed = torch.cuda.make_graphed_callables(graphed, (x.clone(),))
    times = [_step_s(model, x) for model in (plain, graphed)]
    told = [f"{format_time(time_s)} for a forward and a backward pass" for time_s in times]
    return (
        f"{_LAYERS} layers of width {_WIDTH}, a batch of {_BATCH}, measured here and now\n"
        f"launched one by one     {told[0]}\n"
        f"make_graphed_callables  {told[1]}"
    )


def _model() -> Any:
    import torch

    layers = [torch.nn.Linear(_WIDTH, _WIDTH), torch.nn.ReLU()]
    return torch.nn.Sequential(*layers * (_LAYERS // 2)).cuda()


def _step_s(model: Any, x: Any) -> float:
    import torch

    def steps() -> None:
        for _ in range(_CALLS):
            model(x).sum().backward()

    return time_launch(steps, torch.cuda.synchronize, warmup=3).median_s / _CALLS
