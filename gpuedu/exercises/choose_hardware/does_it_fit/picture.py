"""does-it-fit: what takes the memory of GPT-2's training, and which devices hold it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from gpuedu.choosing.models import known_model
from gpuedu.exercises.plain import number
from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts
from gpuedu.hardware.catalog import device
from gpuedu.units import GB

_BATCH, _LENGTH = 16, 1024
_WAYS = (
    ("plain attention", False, False),
    ("fused attention", True, False),
    ("recomputed, plain", False, True),
    ("recomputed, fused", True, True),
)
_DEVICES = ("rtx-4090", "a100-40gb", "h100-sxm")


def draw_memory(
    state_bytes: Callable[..., Any],
    activation_bytes: Callable[..., Any],
    devices_needed: Callable[..., Any],
) -> Any:
    """States and activations of GPT-2, four ways, with devices as lines."""
    model = asdict(known_model("gpt2"))
    states = number(state_bytes(model["parameters"], "mixed", "adam"))
    shown = [device(key) for key in _DEVICES]
    smallest = shown[0]
    bars = []
    for name, fused, recompute in _WAYS:
        saved = number(activation_bytes(model, _BATCH, _LENGTH, fused, recompute))
        count = number(devices_needed(states, saved, smallest.memory_bytes))
        bars.append(
            Parts(
                name,
                {"states": states / GB, "activations": saved / GB},
                f"fits on {count:g}" if math.isfinite(count) else "fits on none",
            )
        )
    told = "; ".join(f"{bar.name} {bar.total:.3g} GB, {bar.text}" for bar in bars)
    caption = Caption(
        title="What a step of GPT-2 (124 M) keeps, and the devices that hold it",
        x="GB",
        source=f"Computed by your functions: mixed precision, Adam, {_BATCH} texts of {_LENGTH:,} "
        'tokens.\nLines: all of a device\'s memory. "Fits on": how many '
        f"{smallest.name} hold it, each with such a batch.",
        alt=f"Stacked bars of states and activations: {told} {smallest.name}.",
    )
    lines = [(one.name, one.memory_bytes / GB) for one in shown]
    return plot_parts(bars, lines, caption=caption)


PICTURE = draw_memory
