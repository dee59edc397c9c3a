"""loss-scaler: its picture."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from gpuedu.exercises.plain import whole_number
from gpuedu.exercises.training.tensors import as_number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Mark
from gpuedu.figures.training import LossCurve, plot_losses

_STEPS, _INTERVAL, _FIRST_POWER, _HIDDEN, _BATCH = 350, 25, 24, 32, 64


def draw_scale(next_scale: Callable[..., Any], scaled_step: Callable[..., Any]) -> Any:
    """The scale of a run that the learner's scaler makes, its skipped steps, and the limit."""
    from gpuedu.exercises.training.quiet import quiet_torch

    with quiet_torch(seed=10):
        run = _Run()
        scale, good, scales, skipped, limits = 2.0**_FIRST_POWER, 0, [], [], []
        for step in range(_STEPS):
            loss = run.next_loss()
            limits.append(run.largest_scale(loss))
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
        self.power = _FIRST_POWER

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
        """The largest power of two, up to the first scale, with which every gradient is finite.

        It is looked for from the one of the step before: that is near.
        """
        while self.power < _FIRST_POWER and self._is_finite(loss, self.power + 1):
            self.power += 1
        while self.power > 0 and not self._is_finite(loss, self.power):
            self.power -= 1
        return 2.0**self.power

    def _is_finite(self, loss: Any, power: int) -> bool:
        import torch

        scaled = torch.autograd.grad(loss * 2.0**power, self.weights, retain_graph=True)
        return all(bool(gradient.isfinite().all()) for gradient in scaled)

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
    scales: list[float], skipped: list[int], limits: list[float], accuracy: float
) -> Any:
    marks = [Mark("", step, scales[step]) for step in skipped if scales[step] > 0]
    first = next((s for s in range(_STEPS) if s not in skipped), _STEPS)
    told = (
        f"{len(skipped)} of {_STEPS} steps were skipped, {first} of them before the first that "
        f"was taken; at the end {accuracy:.0%} of the held-out images are right"
    )
    ax = plot_losses(
        [LossCurve("your scale", range(_STEPS), scales)],
        caption=Caption(
            "The scale finds its place, and tries again",
            f"The scale by step, and the largest that gives no inf. {told[0].upper()}{told[1:]}.",
            f"Trained here, by your functions: an MLP of 64-{_HIDDEN}-10 on digits, products in "
            f"fp16, growth after {_INTERVAL} good steps.\nDots: the largest power of 2 with which "
            f"that batch gives no inf. Circles: the {len(skipped)} steps of {_STEPS} that were "
            f"skipped.\nAt the end {accuracy:.0%} of the held-out images are right.",
            x="step",
            y="scale",
        ),
        marks=marks,
        log_y=True,
    )
    look = {"markersize": 5, "color": style.ORANGE, "mew": 0, "zorder": 1.5, "clip_on": False}
    ax.plot(range(_STEPS), limits, "o", **look)
    drawn = [value for value in (*scales, *limits) if 0 < value < math.inf]
    ax.set_ylim(min(drawn) / 1.5, max(drawn) * 1.5)
    ax.set_xlim(left=-_STEPS / 50)  # the first steps are skipped, and their circles are whole
    return ax


PICTURE = draw_scale
