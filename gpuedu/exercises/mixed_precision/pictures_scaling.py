"""Pictures of a scale that finds itself, and of what autocast runs in which dtype."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from gpuedu.exercises.mixed_precision.autocast_table import on_this_cpu, write_lists
from gpuedu.exercises.mixed_precision.play_scaling import read_table
from gpuedu.exercises.plain import whole_number
from gpuedu.exercises.training.tensors import as_number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Level, Mark
from gpuedu.figures.training import LossCurve, plot_losses

_STEPS, _INTERVAL, _FIRST_SCALE, _HIDDEN, _BATCH = 350, 25, 2.0**24, 32, 64
_EVERY = 20


def draw_scale(next_scale: Callable[..., Any], scaled_step: Callable[..., Any]) -> Any:
    """The scale of a run that the learner's scaler makes, its skipped steps, and the limit."""
    from gpuedu.exercises.training.quiet import quiet_torch

    with quiet_torch(seed=10):
        run = _Run()
        scale, good, scales, skipped, limits = _FIRST_SCALE, 0, [], [], []
        for step in range(_STEPS):
            loss = run.next_loss()
            if step % _EVERY == 0:
                limits.append((step, run.largest_scale(loss)))
            found_inf = bool(scaled_step(run.weights, loss, scale, 1.0, 10.0))
            scales.append(scale)
            skipped += [step] if found_inf else []
            scale, good = next_scale(scale, good, found_inf, 2.0, 0.5, _INTERVAL)
            scale, good = as_number(scale, "the new scale"), whole_number(good, "good_steps")
        accuracy = run.accuracy()
    return _plot_scale(scales, skipped, limits, accuracy)


class _Run:
    """A small model on digits: float32 weights, all products in fp16."""

    def __init__(self) -> None:
        import torch

        from gpuedu.training import Batches

        inner, outer = torch.randn(64, _HIDDEN) / 8, torch.randn(_HIDDEN, 10) / 8
        self.weights = [inner.requires_grad_(), outer.requires_grad_()]
        self.digits = _digits()
        self.batches = Batches(self.digits.train, _BATCH, ragged=False)
        self.coming = iter(self.batches)

    def scores(self, images: Any) -> Any:
        import torch

        inner, outer = (weight.half() for weight in self.weights)
        return (torch.relu(images.flatten(1).half() @ inner) @ outer).float()

    def next_loss(self) -> Any:
        import torch

        batch = next(self.coming, None)
        if batch is None:
            self.coming = iter(self.batches)
            batch = next(self.coming)
        return torch.nn.functional.cross_entropy(self.scores(batch[0]), batch[1])

    def largest_scale(self, loss: Any) -> float:
        """The largest power of two, up to 2**24, with which every gradient is finite."""
        import torch

        for power in range(24, -1, -1):
            scaled = torch.autograd.grad(loss * 2.0**power, self.weights, retain_graph=True)
            if all(gradient.isfinite().all() for gradient in scaled):
                return 2.0**power
        return 0.0

    def accuracy(self) -> float:
        import torch

        held_out = self.digits.held_out
        with torch.no_grad():
            right = self.scores(held_out.inputs).argmax(dim=1) == held_out.targets
        return float(right.float().mean())


@cache
def _digits() -> Any:
    from gpuedu.training import load_digits

    return load_digits()


def _plot_scale(
    scales: list[float], skipped: list[int], limits: list[tuple[int, float]], accuracy: float
) -> Any:
    steps, limit = zip(*limits, strict=True)
    rule = LossCurve("largest without inf", steps, limit)
    marks = [Mark("", step, scales[step]) for step in skipped if scales[step] > 0]
    first = next((s for s in range(_STEPS) if s not in skipped), _STEPS)
    told = (
        f"{len(skipped)} of {_STEPS} steps were skipped, {first} of them before the first that "
        f"was taken; at the end {accuracy:.0%} of the held-out images are right"
    )
    return plot_losses(
        [LossCurve("your scale", range(_STEPS), scales), rule],
        caption=Caption(
            "The scale finds its place, and tries again",
            f"The scale by step, and the largest that gives no inf. {told[0].upper()}{told[1:]}.",
            f"Trained here, by your functions: an MLP of 64-{_HIDDEN}-10 on digits, products in "
            f"fp16, growth after {_INTERVAL} good steps.\nDashed: of every {_EVERY}th batch. "
            f"Circles: the {len(skipped)} steps of {_STEPS} that were skipped. At the end "
            f"{accuracy:.0%} of the held-out images are right.",
            x="step",
            y="scale",
        ),
        marks=marks,
        log_y=True,
    )


def write_table(runs_in: Mapping[str, Any], safe_loss: Callable[..., Any]) -> str:
    """The learner's table for CUDA beside what this CPU does, as a text."""
    table, here = read_table(runs_in), on_this_cpu()
    rows = [f"{'':26} CUDA, you say   this CPU"]
    for text, dtype in table.items():
        mark = "" if here[text] == dtype else "   other"
        rows.append(f"{text:26} {dtype:15} {here[text]}{mark}")
    count = sum(here[text] != dtype for text, dtype in table.items())
    return "\n".join([*rows, "", f"{count} of {len(table)} differ. The CPU's were computed here."])


_FACTORS = tuple(2.0**power for power in range(14))


def draw_large(half_loss: Callable[..., Any], safe_loss: Callable[..., Any]) -> Any:
    """Both losses under autocast to float16, for inputs that are made larger and larger."""
    import torch

    from gpuedu.exercises.training.quiet import quiet_torch

    with quiet_torch(seed=10):
        x, w1, w2 = torch.randn(32, 16), torch.randn(16, 32) / 4, torch.randn(32, 1) / 2
        w2 -= w2.mean()
        hidden = torch.relu(x @ w1)
        y = (hidden @ w2 > 0).float()
        largest = float(hidden.max())

        def losses(loss: Callable[..., Any]) -> tuple[float, ...]:
            with torch.autocast("cpu", torch.float16):
                return tuple(as_number(loss(f * x, w1, w2, y), "the loss") for f in _FACTORS)

        found = {"as given": losses(half_loss), "yours": losses(safe_loss)}
    sizes = tuple(largest * factor for factor in _FACTORS)
    curves = [LossCurve(name, sizes, told) for name, told in found.items()]
    ends = ", ".join(f"{name} {told[0]:.3g} to {told[-1]:.3g}" for name, told in found.items())
    return plot_losses(
        curves,
        levels=[Level("ln 2: a coin", math.log(2), style.QUIET)],
        caption=Caption(
            "Larger inputs: they should change nothing",
            f"Loss by the largest hidden number. From the smallest to the largest: {ends}.",
            "Computed here, on the CPU, under autocast to float16. No inf or NaN is drawn.",
            x="largest hidden number",
            y="loss (nat)",
        ),
        ceiling=10.0,
        log_x=True,
    )


SCALING_PICTURES = {
    "loss-scaler": draw_scale,
    "mixed-precision/autocast-lists": write_lists,
    "autocast": write_table,
    "mixed-precision/large-inputs": draw_large,
}
