"""The learner's count of memory against recorded peaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any

from gpuedu.choosing.models import Model
from gpuedu.choosing.recorded import CONVOLUTIONS, GPT, RESNET_PARAMETERS, recorded_rows
from gpuedu.exercises.plain import number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.plain_bars import PlainBar, plot_plain_bars
from gpuedu.units import MB

_BATCHES = (64, 256, 1024)
Answer = Callable[..., Any]


def draw_recorded_memory(
    state_bytes: Answer, activation_bytes: Answer, convolution_bytes: Answer
) -> Any:
    """The peak that the allocator reported, and the learner's sum as an outline."""
    rows, record = recorded_rows("mixed")
    if record is None:
        return "There is no recorded memory of training steps."
    bars = list(_bars(rows, GPT, state_bytes, activation_bytes, convolution_bytes))
    off = max(abs(bar.ideal / bar.value - 1) for bar in bars)
    told = "; ".join(f"{bar.name}: {bar.text}" for bar in bars)
    caption = Caption(
        title="Counted by you (dashed) and reported by PyTorch's allocator",
        x="MB at the peak of a step",
        source=f"Recorded on {record.device}: bf16 autocast, AdamW. A GPT of 4 layers with plain "
        f"attention on texts of {GPT[1]} tokens,\nand a small ResNet on 32 x 32 pictures.",
        alt=f"Recorded and counted peaks, at most {off:.0%} apart. {told}.",
    )
    return plot_plain_bars(bars, caption=caption)


def _off(share: float) -> str:
    """How far off, in whole percent; without a sign where that is none."""
    return f"{share:+.0%}" if round(100 * share) else "0%"


def _bars(
    rows: list[dict[str, Any]],
    gpt: tuple[Model, int],
    state_bytes: Answer,
    activation_bytes: Answer,
    convolution_bytes: Answer,
) -> Iterator[PlainBar]:
    model, length = gpt
    for row in sorted(rows, key=lambda one: one["model"]):
        batch = row["batch"]
        if batch not in _BATCHES or row["model"] not in ("gpt", "resnet"):
            continue
        if row["model"] == "gpt":
            parameters = model.parameters
            saved = number(activation_bytes(asdict(model), batch, length, False, False))
        else:
            parameters = RESNET_PARAMETERS
            saved = number(convolution_bytes(list(CONVOLUTIONS), batch))
        counted = number(state_bytes(parameters, "mixed", "adam")) + saved
        peak = row["memory_bytes"]
        name = {"gpt": "GPT", "resnet": "ResNet"}[row["model"]]
        yield PlainBar(
            f"{name}, batch {batch:,}",
            peak / MB,
            f"{peak / MB:,.0f} MB, you {counted / MB:,.0f} ({_off(counted / peak - 1)})",
            style.BLUE if row["model"] == "gpt" else style.ORANGE,
            ideal=counted / MB,
        )
