"""Steps of training of a GPT as large as the smallest that were published."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from gpuedu.recording.bench import GpuBench
from gpuedu.recording.points import NotHereError, Point, PreparedPoint, Series
from gpuedu.recording.sizes import GptSizes, Sizes
from gpuedu.recording.training_models import Trained, make_gpt, make_texts, shape_of
from gpuedu.recording.training_steps import PrecisionStep, gradient_fault, require_torch

PRECISION = "bf16"


def steps(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """Each batch with texts of each length."""
    return [
        Point(
            {"model": "gpt", "precision": PRECISION, "batch": batch, "length": length},
            lambda b=batch, n=length: _work(bench, sizes.trained, b, n),
            group="gpt",
            units=batch * length,
        )
        for length in sizes.trained.lengths
        for batch in sizes.trained.batches
    ]


def make_large(sizes: GptSizes, batch: int, length: int, device: str) -> Trained:
    """The GPT with a batch of random texts, the same each time."""
    from gpuedu.training import character_loss

    texts = make_texts(sizes, batch, length + 1, device)
    model = make_gpt(sizes, length, device)
    return Trained(model, texts[:, :-1].contiguous(), texts[:, 1:].contiguous(), character_loss)


def _work(bench: GpuBench, sizes: GptSizes, batch: int, length: int) -> PreparedPoint:
    require_torch(bench)
    from gpuedu.profiles import profile
    from gpuedu.training.precisions import why_not

    device = bench.torch_device
    if missing := why_not(PRECISION, device):
        raise NotHereError(missing)
    watched = PrecisionStep(make_large(sizes, batch, length, device), PRECISION, device)
    fields = {
        "parameters": sum(p.numel() for p in watched.model.parameters()),
        "memory_bytes": watched.peak_bytes(),
        "kernels": profile(watched.run, steps=2, warmup=1).kernels_per_step,
        **shape_of(sizes),
    }
    del watched
    trained = make_large(sizes, batch, length, device)
    exact = [Trained(copy.deepcopy(trained.model), trained.inputs, trained.targets, trained.loss)]
    step = PrecisionStep(trained, PRECISION, device)

    def check() -> str:
        # In float32, and one text at a time: all of them at once would not fit beside the step.
        # Taken out of the list, so that the timed runs have the memory.
        return gradient_fault(step, exact.pop(), pieces=batch)

    return PreparedPoint(step.run, check, fields=fields)


SERIES = (
    Series(
        "training-step-large",
        "training.json",
        "s",
        "One step of training (forward, backward, AdamW) of a GPT with fused attention on `batch` "
        "texts of `length` tokens that are on the device, in bfloat16 by autocast, by PyTorch: the "
        "device's time, with the kernels that it launches and the memory that it takes at most "
        "(the allocator's, without the libraries' workspaces).",
        steps,
        3.0,
    ),
)
