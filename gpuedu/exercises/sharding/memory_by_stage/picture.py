"""memory-by-stage: what a rank keeps at each stage, and what comes and goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.plain import number, numbers
from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts
from gpuedu.hardware.catalog import device
from gpuedu.units import GB

_PARAMETERS, _LAYERS = 7_500_000_000, 36
_KINDS = ("weights", "gradients", "states")
_DEVICE = "h100-sxm"


def draw_stages(
    kept_bytes: Callable[..., Any], peak_bytes: Callable[..., Any], ranks: int = 64
) -> Any:
    """Bars of the four stages, with a device's memory as a line."""
    layers = [_PARAMETERS // _LAYERS] * _LAYERS
    bars = []
    for stage in range(4):
        given = numbers(kept_bytes(list(layers), ranks, stage), 3, "the result of `kept_bytes`")
        kept = dict(zip(_KINDS, given, strict=True))
        most = number(peak_bytes(list(layers), ranks, stage), "the result of `peak_bytes`")
        parts = {name: value / GB for name, value in kept.items()}
        parts["comes and goes"] = (most - sum(given)) / GB
        bars.append(Parts(f"stage {stage}", parts, f"{most / GB:.4g} GB"))
    shown = device(_DEVICE)
    told = "; ".join(f"{bar.name} {bar.text}" for bar in bars)
    caption = Caption(
        title=f"What one of {ranks:,} ranks has at its peak, without activations",
        x="GB",
        source="Computed by your functions: 7.5 billion parameters in 36 equal layers,\n"
        "mixed precision, Adam. Line: all of a device's memory.",
        alt=f"Stacked bars of weights, gradients, states and what comes and goes: {told}.",
    )
    return plot_parts(bars, [(shown.name, shown.memory_bytes / GB)], caption=caption)


PICTURE = draw_stages
