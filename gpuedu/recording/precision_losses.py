"""Curves of losses by precision: the same training with fewer bits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from gpuedu.recording.bench import GpuBench
from gpuedu.recording.points import NotHereError, Point, PreparedPoint, Series
from gpuedu.recording.sizes import Sizes, TrainingSizes

PURE_FP16 = "pure fp16"
"""Weights, gradients and the optimizer's state in fp16, and no scaler."""

POINTS = 12
_CONTEXT, _RATE = 64, 3e-3


def curves(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """Each precision at some steps: the mean loss of the steps since the one before."""
    precisions, batch = ["fp32", "bf16", "fp16", PURE_FP16], sizes.training.curve_batch
    if bench.torch_device == "cuda":
        precisions.insert(1, "tf32")
    steps = sizes.training.curve_steps
    ends = sorted({max(1, round(steps * (k + 1) / POINTS)) for k in range(POINTS)})

    @cache
    def losses_of(precision: str) -> tuple[tuple[float, ...], ...]:
        seeds = range(sizes.training.curve_seeds)
        return tuple(train(bench, precision, seed, sizes.training) for seed in seeds)

    def work(precision: str, start: int, end: int) -> PreparedPoint:
        if bench.torch is None:
            raise NotHereError("there is no PyTorch that sees the GPU")
        return _work(losses_of(precision), start, end)

    return [
        Point(
            {
                "precision": precision,
                "step": end,
                "model": "gpt",
                "batch": batch,
            },
            lambda p=precision, s=start, e=end: work(p, s, e),
        )
        for precision in precisions
        for start, end in zip([0, *ends], ends, strict=False)
    ]


def _work(losses: Sequence[Sequence[float]], start: int, end: int) -> PreparedPoint:
    means = [sum(run[start:end]) / (end - start) for run in losses]
    if not all(map(math.isfinite, means)):
        first = next(i for run in losses for i, loss in enumerate(run) if not math.isfinite(loss))
        raise NotHereError(f"the loss is not a number from step {first} on")
    # There is nothing more to run: the values are what was trained.
    return PreparedPoint(lambda: None, lambda: "", values=means)


def train(bench: GpuBench, precision: str, seed: int, sizes: TrainingSizes) -> tuple[float, ...]:
    """Losses of a small character GPT on the text of the Python library, step by step, in nats.

    Raises:
        NotHereError: The device does not compute in this precision.
    """
    import torch

    from gpuedu.training import CharacterGPT, character_loss, load_library
    from gpuedu.training.precisions import computing_in, scaler_for, why_not
    from gpuedu.training.seeds import generator, kept_random_state, seed_all

    is_pure, device = precision == PURE_FP16, bench.torch_device
    computed = "fp32" if is_pure else precision
    if missing := why_not(computed, device):
        raise NotHereError(missing)
    text = load_library(context=_CONTEXT).train
    chance = generator(seed)
    with kept_random_state():
        seed_all(seed)
        model = CharacterGPT(97, context=_CONTEXT, width=64, layers=2)
    model = model.to(device, torch.float16 if is_pure else torch.float32)
    optimizer = torch.optim.AdamW(model.parameters(), lr=_RATE)
    scaler, losses = scaler_for(computed, device), []
    for _ in range(sizes.curve_steps):
        chosen = torch.randint(len(text.targets), (sizes.curve_batch,), generator=chance)
        inputs, targets = (part[chosen].to(device) for part in (text.inputs, text.targets))
        optimizer.zero_grad(set_to_none=True)
        with computing_in(computed, device):
            loss = character_loss(model(inputs), targets)
        with computing_in("tf32" if computed == "tf32" else "fp32", device):
            scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        losses.append(loss.detach().float())
    return tuple(torch.stack(losses).tolist())


SERIES = (
    Series(
        "precision-losses",
        "training.json",
        "nat",
        "Losses of a character GPT on the text of the Python library, the same batches in each "
        "precision: the mean of the steps up to this one, the median of several seeds.",
        curves,
        2.0,
    ),
)
