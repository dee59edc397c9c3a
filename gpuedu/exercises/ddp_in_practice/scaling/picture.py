"""scaling: its picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.ddp_in_practice.scaling.scaling_pictures import (
    BATCH,
    COUNTS,
    NETS,
    RESNET,
    STRONG_BATCH,
)
from gpuedu.exercises.plain import number
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves


def draw_efficiencies(step_s: Callable[..., Any], efficiency: Callable[..., Any]) -> Any:
    """The learner's efficiencies by ranks, weak and strong, on two networks."""
    curves = []
    for name, (net, *colors) in NETS.items():
        for scaling, color in zip(("weak", "strong"), colors, strict=True):
            batch = BATCH if scaling == "weak" else STRONG_BATCH
            found = [efficiency(n, batch, RESNET, net, scaling) for n in COUNTS]
            shares = tuple(100 * number(one, "efficiency's result") for one in found)
            label = f"{name}, {scaling}"
            curves.append(Curve(label, tuple(map(float, COUNTS)), shares, color))
    told = "; ".join(
        f"{one.name}: " + ", ".join(f"{y:.3g}% on {x:g}" for x, y in one.drawn[::3])
        for one in curves
    )
    caption = Caption(
        title="Efficiency: what each GPU contributes, compared with one alone",
        x="GPUs",
        y="efficiency (%)",
        source="Simulated by your functions: 102.2 MB of gradients, 25.4 ms for 64 samples "
        "(made up); 8 GPUs a node,\nNVLink 4 within; InfiniBand NDR or 10 Gb Ethernet across. "
        "Weak: 64 samples a GPU; strong: 1,024 on all.",
        alt=f"Efficiency by number of GPUs. {told}.",
    )
    return plot_curves(curves, caption=caption, format_y="{:g}".format, format_x="{:,g}".format)


PICTURE = draw_efficiencies
