"""The lesson's first picture: what each GPU keeps, with copies and with pieces."""

from __future__ import annotations

from typing import Any

from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts
from gpuedu.hardware.catalog import device
from gpuedu.units import GB

_PARAMETERS = 7_500_000_000
_BYTES = {"weights": 2, "gradients": 2, "optimizer": 12}
_DEVICE = "h100-sxm"
_WAYS = (
    ("1 GPU", 1),
    ("64 GPUs, each a copy", 1),
    ("8 GPUs, each a piece", 8),
    ("64 GPUs, each a piece", 64),
)


def draw_copies() -> Any:
    """Bytes of one GPU when all keep everything, and when nothing is kept twice."""
    bars = []
    for name, pieces in _WAYS:
        parts = {kind: _PARAMETERS * size / pieces / GB for kind, size in _BYTES.items()}
        bar = Parts(name, parts)
        bars.append(Parts(name, parts, f"{bar.total:.3g} GB"))
    shown = device(_DEVICE)
    told = "; ".join(f"{bar.name} {bar.text}" for bar in bars)
    caption = Caption(
        title="What each GPU keeps of a model of 7.5 billion parameters",
        x="GB",
        source="16 bytes for each parameter: mixed precision with Adam, without activations.\n"
        "Line: all of a device's memory.",
        alt=f"Stacked bars of weights, gradients and optimizer: {told}.",
    )
    return plot_parts(bars, [(shown.name, shown.memory_bytes / GB)], caption=caption)
