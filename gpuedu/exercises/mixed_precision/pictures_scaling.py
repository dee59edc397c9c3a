"""Pictures of a scale that finds itself, and of what autocast runs in which dtype."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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


def write_table(runs_in: Mapping[str, Any], safe_loss: Callable[..., Any]) -> str:
    """The learner's table for CUDA beside what this CPU does, as a text."""
    table, here = read_table(runs_in), on_this_cpu()
    rows = [f"{'':26} CUDA, you say   this CPU"]
    for text, dtype in table.items():
        mark = "" if here[text] == dtype else "   other"
        rows.append(f"{text:26} {dtype:15} {here[text]}{mark}")
    count = sum(here[text] != dtype for text, dtype in table.items())
    told = f"{count} of {len(table)} differ; a wrong one of yours is counted, too."
    return "\n".join([*rows, "", f"{told} The CPU's were computed here."])


_FACTORS = tuple(2.0**power for power in range(14))
_SURE = tuple(float(score) for score in range(1, 25))


def draw_large(half_loss: Callable[..., Any], safe_loss: Callable[..., Any]) -> Any:
    """Both losses under autocast to float16, for inputs that are made larger and larger."""
    x, w1, w2, yes, largest, _ = _small_model()
    losses = {"as given": half_loss, "yours": safe_loss}
    found = _losses(losses, [(factor * x, w1, w2, yes) for factor in _FACTORS])
    return _plot_both(
        found,
        tuple(largest * factor for factor in _FACTORS),
        Caption(
            "Larger inputs: they should change nothing",
            f"Loss by the largest hidden number. From the smallest to the largest: {_ends(found)}.",
            _COMPUTED,
            x="largest hidden number",
            y="loss (nat)",
        ),
        log_x=True,
    )


def draw_certain(half_loss: Callable[..., Any], safe_loss: Callable[..., Any]) -> Any:
    """Both losses, and a chance in float32, for scores that are farther and farther from 0."""
    x, w1, w2, yes, _, most = _small_model()
    parts = [(x, w1, w2 * (score / most), yes) for score in _SURE]
    losses = {"as given": half_loss, "yours": safe_loss}
    found = _losses({**losses, "chance in float32": _loss_of_chance_in_float32}, parts)
    return _plot_both(
        found,
        _SURE,
        Caption(
            "A model that is more and more certain, and right",
            f"Loss by the largest score. From the smallest to the largest: {_ends(found)}.",
            _COMPUTED,
            x="largest score (z in line 3)",
            y="loss (nat)",
        ),
        log_x=False,
    )


_COMPUTED = (
    "Computed here, on the CPU, under autocast to float16. An inf or a NaN is not drawn: there the "
    "line\nhas a gap, or ends at an x."
)


def _small_model() -> tuple[Any, ...]:
    """Inputs, two weights, right answers; the largest hidden number and the largest score."""
    import torch

    from gpuedu.exercises.training.quiet import quiet_torch

    with quiet_torch(seed=10):
        x, w1, w2 = torch.randn(32, 16), torch.randn(16, 32) / 4, torch.randn(32, 1) / 2
    w2 = w2.mean() - w2  # turned so that the surest score is above 0, where a chance becomes 1
    hidden = torch.relu(x @ w1)
    scores = hidden / hidden.square().mean(dim=1, keepdim=True).sqrt() @ w2
    return x, w1, w2, (scores > 0).float(), float(hidden.max()), float(scores.abs().max())


def _loss_of_chance_in_float32(x: Any, w1: Any, w2: Any, yes: Any) -> Any:
    """The given loss with `.float()` in two places: the chance is still rounded, and 1 in time."""
    import torch

    h = torch.relu(x @ w1).float()
    z = h / ((h * h).mean(dim=1, keepdim=True).sqrt() + 1e-5) @ w2
    p = torch.sigmoid(z.float())
    return -(yes * torch.log(p) + (1 - yes) * torch.log(1 - p)).mean()


_Found = dict[str, tuple[float, ...]]


def _losses(losses: Mapping[str, Callable[..., Any]], parts: Sequence[tuple[Any, ...]]) -> _Found:
    import torch

    from gpuedu.exercises.training.quiet import quiet_torch

    found = {}
    with quiet_torch(seed=10), torch.autocast("cpu", torch.float16):
        for name, loss in losses.items():
            told = [loss(*(one.clone() for one in each)) for each in parts]
            found[name] = tuple(as_number(value, "the loss") for value in told)
    return found


def _ends(found: _Found) -> str:
    return ", ".join(f"{name} {told[0]:.3g} to {told[-1]:.3g}" for name, told in found.items())


def _plot_both(found: _Found, across: Sequence[float], caption: Caption, *, log_x: bool) -> Any:
    no_numbers = [x for told in found.values() for x in told if not math.isfinite(x)]
    return plot_losses(
        [LossCurve(name, across, told) for name, told in found.items()],
        lost="NaN from" if all(map(math.isnan, no_numbers)) else "inf or NaN from",
        levels=[Level("ln 2: a coin", math.log(2), style.QUIET)],
        caption=caption,
        ceiling=10.0,
        log_x=log_x,
    )


SCALING_PICTURES = {
    "loss-scaler": draw_scale,
    "mixed-precision/autocast-lists": write_lists,
    "autocast": write_table,
    "mixed-precision/large-inputs": draw_large,
    "mixed-precision/certain-scores": draw_certain,
}
