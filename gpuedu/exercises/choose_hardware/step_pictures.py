"""The learner's times against measured ones, and decoding by batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from gpuedu.choosing import memory, steps
from gpuedu.choosing.models import known_model
from gpuedu.choosing.recorded import (
    PUBLISHED_DECODINGS,
    PUBLISHED_TRAININGS,
    Training,
    recorded_trainings,
)
from gpuedu.exercises.choose_hardware.rates import reachable
from gpuedu.exercises.plain import number, numbers
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, plot_curves
from gpuedu.figures.plain_bars import PlainBar, plot_plain_bars
from gpuedu.hardware.catalog import device
from gpuedu.units import MS

_DECODERS = ("rtx-4090", "a100-80gb", "h100-sxm", "mi300x")
_COLORS = (style.ORANGE, style.GREEN, style.BLUE, style.RED)
_BATCHES = tuple(float(2**k) for k in range(11))
_LENGTH = 2048
Answer = Callable[..., Any]


def times_of(
    training_flop: Answer, terms: Answer, training: Training, devices: int = 1
) -> list[float]:
    """The learner's four terms of a step without torch.compile."""
    model, batch, length = training.model, training.batch, training.length
    flop = number(training_flop(asdict(model), batch, length))
    saved = memory.activation_bytes(
        model, batch, length, training.precision, fused=training.is_fused
    )
    moved = steps.MOVES * saved
    moved += steps.update_bytes(model.parameters, training.precision, "adam")
    launches = steps.LAUNCHES_PER_LAYER * model.layers
    rates = reachable(device(training.key), memory.PRECISIONS[training.precision].compute)
    return numbers(terms(flop, moved, 4 * model.parameters, launches, rates, devices), 4)


def draw_recorded_steps(
    training_flop: Answer, terms: Answer, step_s: Answer, decode_s: Answer
) -> Any:
    """Recorded and published times, and what the learner's functions predict for them."""
    bars = []
    for one in (*recorded_trainings(), *PUBLISHED_TRAININGS):
        predicted = number(step_s(*times_of(training_flop, terms, one)))
        bars.append(_compared(one.name, one.time_s, predicted, style.BLUE))
    for one in PUBLISHED_DECODINGS[:2]:
        rates = {name: rate * one.share for name, rate in reachable(device(one.key)).items()}
        predicted = number(decode_s(asdict(one.model), 1, one.length, rates))
        bars.append(_compared(one.name, 1 / one.tokens_per_s, predicted, style.ORANGE))
    told = "; ".join(f"{bar.name}: {bar.text}" for bar in bars)
    caption = Caption(
        title="Measured by others, and predicted by you (dashed)",
        x="ms for a step",
        source="H100: recorded, a GPT of 4 layers with plain attention. GPT-2: nanoGPT's README. "
        "Llama: gpt-fast's README.\nBlue: a step of training. Orange: of decoding. All the sources "
        "are at the end of this lesson.",
        alt=f"Measured and predicted times of a step. {told}.",
    )
    return plot_plain_bars(bars, caption=caption)


def _compared(name: str, time_s: float, predicted_s: float, color: str) -> PlainBar:
    ratio = predicted_s / time_s
    text = f"{time_s / MS:.3g} ms, you {predicted_s / MS:.3g} ms (x {ratio:.2g})"
    return PlainBar(name, time_s / MS, text, color, ideal=predicted_s / MS)


def draw_decoding(decode_s: Answer) -> Any:
    """Tokens per second against the batch, on a few devices."""
    model, curves = known_model("llama3-8b"), []
    for key, color in zip(_DECODERS, _COLORS, strict=True):
        times = [
            number(decode_s(asdict(model), int(batch), _LENGTH, reachable(device(key))))
            for batch in _BATCHES
        ]
        rates = tuple(b / t if t else 0.0 for b, t in zip(_BATCHES, times, strict=True))
        curves.append(Curve(device(key).name, _BATCHES, rates, color))
    told = "; ".join(f"{one.name} {one.y[0]:,.0f} to {one.y[-1]:,.0f}" for one in curves)
    caption = Caption(
        title="A batch is nearly free in decoding, until arithmetic or the cache takes over",
        x=f"texts in the batch, {_LENGTH:,} tokens each",
        y="tokens per second, all texts together",
        source="Computed by your `decode_s`: Llama 3 8B in 16 bits. Whether the cache fits is "
        "another question.",
        alt=f"Tokens per second by batch, from 1 to {_BATCHES[-1]:.0f} texts: {told}.",
    )
    return plot_curves(
        curves, caption=caption, format_x=lambda x: f"{x:,g}", format_y=lambda y: f"{y:,g}"
    )
