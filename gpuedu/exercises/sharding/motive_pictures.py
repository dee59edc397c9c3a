"""First pictures: what each GPU keeps with copies and with pieces, and how low each stage goes."""

from __future__ import annotations

from typing import Any

from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, plot_curves
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
_LARGE = 70_000_000_000
_COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_STAGES = (
    ("copies", (), style.QUIET),
    ("+ optimizer", ("optimizer",), style.PINK),
    ("+ gradients", ("optimizer", "gradients"), style.ORANGE),
    ("+ weights", ("optimizer", "gradients", "weights"), style.BLUE),
)
"""What is sharded at each stage, and in what color the stage is drawn."""


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
        source="16 bytes per parameter: mixed precision with Adam, without activations.\n"
        "Line: all of a device's memory.",
        alt=f"Stacked bars of weights, gradients and optimizer: {told}.",
    )
    return plot_parts(bars, [(shown.name, shown.memory_bytes / GB)], caption=caption)


def draw_floor() -> Any:
    """Bytes of one GPU by the number of GPUs: each stage but the last levels off."""
    shown = device(_DEVICE)
    curves = [
        Curve(name, _COUNTS, tuple(_kept_gb(n, sharded) for n in _COUNTS), color)
        for name, sharded, color in _STAGES
    ]
    told = "; ".join(f"{one.name}: {_short(one.y[0])} to {_short(one.y[-1])} GB" for one in curves)
    caption = Caption(
        title="Only sharded weights bring 70 billion parameters below one GPU's memory",
        x="GPUs",
        y="GB that each GPU keeps",
        source="16 bytes per parameter: mixed precision with Adam, without activations. From top "
        "to bottom: full\ncopies, then the optimizer, the gradients and the weights are sharded, "
        f"too. Dashed: memory of an {shown.name}.",
        alt=f"Curves of the GB that each of 1 to 1,024 GPUs keeps. {told}. Memory of an "
        f"{shown.name}: {shown.memory_bytes / GB:.0f} GB.",
    )
    level = Level(shown.name, shown.memory_bytes / GB, style.INK)
    return plot_curves(curves, [level], caption=caption)


def _kept_gb(gpus: int, sharded: tuple[str, ...]) -> float:
    """What each GPU keeps of the large model."""
    each = sum(size / (gpus if kind in sharded else 1) for kind, size in _BYTES.items())
    return _LARGE * each / GB


def _short(value: float) -> str:
    """Three digits, without an exponent."""
    return f"{float(f'{value:.3g}'):,g}"
