"""step-time: the learner's terms of a step of GPT-2 on a few devices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.choosing.models import known_model
from gpuedu.choosing.recorded import Training
from gpuedu.exercises.choose_hardware.step_pictures import times_of
from gpuedu.exercises.plain import number
from gpuedu.figures.caption import Caption
from gpuedu.figures.shares import Parts, plot_parts
from gpuedu.hardware.catalog import device
from gpuedu.units import MS

NAMES = ("compute", "memory", "link", "launch")
_BATCH, _LENGTH = 8, 1024
_PLACES = (("rtx-4090", 1), ("l4", 1), ("a100-80gb", 1), ("h100-sxm", 1), ("h100-sxm", 8))
Answer = Callable[..., Any]


def draw_steps(training_flop: Answer, terms: Answer, step_s: Answer, limit: Answer) -> Any:
    """A bar for each device: its four terms, the step's time, and the largest."""
    model, bars = known_model("gpt2"), []
    for key, count in _PLACES:
        job = Training("", model, _BATCH, _LENGTH, True, "mixed", key, 0.0)
        found = times_of(training_flop, terms, job, count)
        named = dict(zip(NAMES, found, strict=True))
        time_s = number(step_s(**named))
        name = device(key).name if count == 1 else f"{count} x {device(key).name}"
        parts = {one: time / MS for one, time in named.items()}
        bars.append(Parts(name, parts, f"step {time_s / MS:.0f} ms: {limit(**named)}"))
    told = "; ".join(f"{bar.name} {bar.text}" for bar in bars)
    caption = Caption(
        title="A training step of GPT-2: four terms, not all of which add up",
        x="ms",
        source=f"Computed by your functions: mixed precision, Adam, fused attention, {_BATCH} "
        f"texts of {_LENGTH:,} tokens on each device.\nDevices at 70% of their matrix peak and 85% "
        "of their bandwidth.",
        alt=f"Stacked bars of the four terms on {len(bars)} devices. {told}.",
    )
    return plot_parts(bars, caption=caption)


PICTURE = draw_steps
