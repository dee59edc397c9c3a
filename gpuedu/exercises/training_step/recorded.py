"""Recorded times of training steps, with what PyTorch offers to make them cheaper."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.kernels.recorded import draw_recorded
from gpuedu.exercises.kernels.recorded_panels import Bars

_VARIANTS = {
    "as it is": "plain",
    "fused optimizer": "fused-optimizer",
    "torch.compile": "compile",
}
_MODELS = {"mlp": "An MLP", "resnet": "A small ResNet", "gpt": "A small GPT"}


def draw_recorded_steps() -> Any:
    """Steps of the course's models on GPUs; a sentence where none was recorded."""
    wanted = [
        Bars(
            "training-variants",
            f"{title}, a step",
            f"steps of {title.lower()}",
            {name: {"model": model, "variant": variant} for name, variant in _VARIANTS.items()},
        )
        for model, title in _MODELS.items()
    ]
    return draw_recorded("Training steps", "training steps", wanted)


_DEVICE = "NVIDIA H200"
_PRODUCTS_FLOP = 854_654_976
"""Of one token, forward and backward: what count-the-step counts, for this model."""


def draw_large_steps() -> Any:
    """Steps of a GPT on one GPU, each beside the time of its matrix products at the peak."""
    from gpuedu.figures import style
    from gpuedu.figures.caption import Caption
    from gpuedu.figures.plain_bars import PlainBar, plot_plain_bars
    from gpuedu.hardware.names import find_device
    from gpuedu.hardware.records import records

    record = next((one for one in records("training-step-large") if one.device == _DEVICE), None)
    device = find_device(_DEVICE)
    if record is None or device is None:
        return "No times of a large model's training steps are recorded."
    bars, told = [], []
    for row in record.rows:
        tokens = row["batch"] * row["length"]
        ideal_ms = 1e3 * tokens * _PRODUCTS_FLOP / device.flop_per_s["bf16"]
        took_ms = 1e3 * row["median"]
        text = f"{took_ms:.1f} ms; its products at peak speed: {ideal_ms:.1f} ms"
        bars.append(PlainBar(f"{row['batch']} texts", took_ms, text, style.BLUE, ideal_ms))
        told.append(f"{row['batch']} texts: {took_ms:.1f} ms, products {ideal_ms:.1f} ms")
    caption = Caption(
        title="A training step, and the time that its matrix products need",
        x="time of a step (ms)",
        source=f"Recorded on {_DEVICE}, {record.date}: a GPT with 124 million weights, bf16, "
        f"{record.rows[0]['length']:,} tokens a text.\nDashed: computed, the products at the "
        f"data sheet's {device.flop_per_s['bf16'] / 1e12:.0f} TFLOP/s.",
        alt=f"Bars of recorded steps, each with a dashed outline of what its matrix products need "
        f"at the peak. {'; '.join(told)}.",
    )
    return plot_plain_bars(bars, caption=caption)
