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
