"""overlap: what is measured on the learner's machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gpuedu.profiles import Profile, Span, profile

RANKS, LAYERS, WIDTH, BATCH = 2, 6, 512, 256


_FORWARD, _BACKWARD, _EXCHANGE = "aten::linear", "AddmmBackward0", "gloo:all_reduce"


def measure_overlap(attach: Callable[..., Any]) -> dict[str, Any]:
    """Run a step in two processes on this machine, joined by gloo, and look at rank 0.

    Returns:
        By name, begin and end in seconds of each ``forward`` and ``backward`` of a layer, of each
        ``all_reduce``, and of the ``step``.
    """
    from gpuedu.multi.launch import launch

    run = launch(profile_step, RANKS, attach, backend="gloo", show=_drop)
    return run.results[0]


def _drop(rank: int, text: str) -> None:
    """What ranks print is not shown beside the figure."""


def profile_step(attach: Callable[..., Any]) -> dict[str, Any]:
    """On a rank: the third step of a chain of layers, each of which is a bucket."""
    import torch

    torch.set_num_threads(1)
    model = torch.nn.Sequential(*[torch.nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS)])
    finish = attach([[layer.bias, layer.weight] for layer in reversed(model)])
    x = torch.randn(BATCH, WIDTH)

    def step() -> None:
        model.zero_grad()
        model(x).sum().backward()
        finish()

    return spans_of(profile(step, steps=1, warmup=2))


def spans_of(seen: Profile) -> dict[str, Any]:
    """What of a profile of one step is drawn."""
    host = seen.on("host")
    return {
        "forward": _times(host, _FORWARD),
        "backward": _times(host, _BACKWARD),
        "all_reduce": _times(seen.ranges, _EXCHANGE),
        "step": [seen.steps[0].start_s, seen.steps[0].end_s],
    }


def _times(spans: Sequence[Span], name: str) -> list[list[float]]:
    return sorted([one.start_s, one.end_s] for one in spans if one.name == name)


MEASURE = measure_overlap
