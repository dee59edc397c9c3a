"""Pictures of scaling: simulated to 1,024 GPUs, measured on this machine, and to a goal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.ddp_in_practice.scaling.scaling_model import Net, Work
from gpuedu.exercises.plain import number, numbers
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves
from gpuedu.figures.plain_bars import PlainBar, plot_plain_bars
from gpuedu.multi.network import link

COUNTS = tuple(2**k for k in range(11))


RESNET = Work(fixed_s=3e-3, sample_s=0.35e-3, backward=2 / 3, bytes=102.2e6, last_bytes=1e6)
"""Bytes of ResNet-50's gradients; times of computing are made up: 25.4 ms for 64 samples."""


BATCH, STRONG_BATCH, SCALE = 64, 1024, 4096


NETS = {
    "InfiniBand": (Net(8, link("nvlink4"), link("infiniband-ndr")), style.BLUE, style.SKY),
    "Ethernet": (Net(8, link("nvlink4"), link("ethernet10")), style.RED, style.ORANGE),
}


def draw_to_a_goal(step_s: Callable[..., Any], recipe: Callable[..., Any]) -> Any:
    """How many times as fast: in samples per second, and to the same loss."""
    net = NETS["InfiniBand"][0]
    alone = number(step_s(1, BATCH, RESNET, net), "step_s' result")
    samples, goal = [], []
    for n in COUNTS:
        time_s = number(step_s(n, n * BATCH, RESNET, net), "step_s' result")
        _, _, steps = numbers(recipe(n, BATCH, 0.1, 1000, SCALE, "sgd"), 3, "recipe's result")
        samples.append(n * alone / time_s if time_s else float("nan"))
        goal.append(1000 * alone / (steps * time_s) if steps * time_s else float("nan"))
    x = tuple(map(float, COUNTS))
    curves = [
        Curve("one per GPU", x, x, style.QUIET, has_marks=False),
        Curve("samples per second", x, tuple(samples), style.BLUE),
        Curve("to the same loss", x, tuple(goal), style.RED),
    ]
    caption = Caption(
        title=f"{COUNTS[-1]:,} GPUs: {samples[-1]:,.0f}× the samples per second, the same loss "
        f"{goal[-1]:,.0f}× as fast",
        x="GPUs",
        y="speedup over one GPU",
        source="Simulated by your functions: InfiniBand NDR between nodes of 8, 64 samples a GPU,\n"
        "times made up; a noise scale of 4,096 samples.",
        alt=f"Speed-up by number of GPUs, log axes. With {COUNTS[-1]} GPUs {samples[-1]:.0f} times "
        f"the samples per second, and the same loss {goal[-1]:.0f} times as fast.",
    )
    return plot_curves(curves, caption=caption, format_y="{:,g}".format, format_x="{:,g}".format)


def draw_measured(real: Mapping[str, Any]) -> Any:
    """What ``measure("scaling")`` gave: samples per second on one rank and on two."""
    if not isinstance(real, dict) or "alone_s" not in real:
        raise AnswerError("nothing was measured", remedy='`real = measure("scaling")`')
    ranks, batch = real["ranks"], real["batch"]
    runs = {
        f"1 rank, batch {batch:,}": (1, batch, real["alone_s"]),
        f"{ranks} ranks, batch {ranks * batch:,} (weak)": (ranks, ranks * batch, real["weak_s"]),
        f"{ranks} ranks, batch {batch:,} (strong)": (ranks, batch, real["strong_s"]),
    }
    alone = batch / real["alone_s"]
    bars, told = [], []
    for name, (count, samples, time_s) in runs.items():
        rate = samples / time_s
        share = f"{100 * rate / (count * alone):.0f}%"
        said = f"{rate:,.0f}" + (f", efficiency {share}" if count > 1 else "")
        ideal = count * alone if count > 1 else 0.0
        color = style.BLUE if count == 1 else style.GREEN
        bars.append(PlainBar(name, rate, said, color, ideal))
        told.append(f"{name}: {said}")
    caption = Caption(
        title="The same training in real processes",
        x="samples per second",
        source=f"Dashed: {ranks} times one rank, an efficiency of 100%. Measured here, just now: "
        "gloo, one thread a rank;\na network of 0.3 million weights on digits. Anything else that "
        "runs on this machine affects it.",
        alt=f"Bars of samples per second, beside {ranks} times one rank. " + "; ".join(told) + ".",
    )
    return plot_plain_bars(bars, caption=caption)
