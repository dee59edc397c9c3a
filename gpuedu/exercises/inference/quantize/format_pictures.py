"""What formats of weights cost and give, by the learner's own functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.exercises.inference.quantize.play import dequantized, packed, quantized
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.spots import Spot, SpotPanel, plot_spots

_SHAPE, _LARGE_OF, _TIMES = (64, 1024), 256, 20.0
"""Of the made-up matrix; one weight of how many is larger, and how much larger."""
_LARGEST_E4M3 = 448.0
_WINDOWS = 48
"""Texts of 64 characters that the model's loss is taken on."""


@dataclass(frozen=True)
class Format:
    """How weights are kept; ``bits`` 0 is fp8, ``group`` 0 one group for each row."""

    name: str
    bits: int
    group: int = 0
    color: str = style.BLUE


_ROWS = (
    Format("8 bits", 8),
    Format("fp8", 0, color=style.GREEN),
    Format("4 bits", 4, color=style.ORANGE),
)
_OF_128, _OF_32 = (Format(f"4 bits in {n}s", 4, n, style.ORANGE) for n in (128, 32))
_OF_MATRIX, _OF_MODEL = (*_ROWS, _OF_128, _OF_32), (*_ROWS, _OF_32)
"""The model's rows are shorter than 128 columns, or not much longer."""

Back = Callable[[Format, np.ndarray], tuple[np.ndarray, int]]
"""From a format and weights to the weights that come back, and their bytes."""


def draw_formats(
    quantize: Callable[..., Any], dequantize: Callable[..., Any], pack: Callable[..., Any]
) -> Any:
    """Errors of a matrix by bits for each weight, and a model's loss by the bytes of a token."""

    def back(form: Format, w: np.ndarray) -> tuple[np.ndarray, int]:
        if not form.bits:
            return _in_fp8(w)
        codes, scale, zero = quantized(quantize, w.copy(), form.bits, form.group or w.shape[1])
        kept = packed(pack, codes.copy()) if form.bits == 4 else codes
        size = kept.nbytes + scale.nbytes + zero.nbytes
        return dequantized(dequantize, codes, scale, zero), size

    matrix, model = _errors(back), _losses(back)
    told = [f"{one.name} {one.y:.0f}% at {one.x:.2f} bits" for one in matrix if not one.is_open]
    losses = [f"{one.name} {one.y:.3f} at {one.x:.0f} KB" for one in model]
    caption = Caption(
        title="Smaller groups cost bits, and give accuracy back",
        source="Computed by your functions, fp8 by PyTorch. In 32s: in groups of 32 columns; "
        f"otherwise a row is one group.\nThe GPT's loss is taken on {_WINDOWS} texts that it "
        "hasn't seen. All its matrices but the one for positions are quantized; groups\nof 128 "
        "columns would give the same as whole rows, or nearly.",
        alt=f"Errors: {'; '.join(told)}. Losses of the GPT: {'; '.join(losses)}.",
    )
    panels = (
        SpotPanel(
            "a made-up matrix",
            "bits for each weight",
            "error, in % of a typical weight",
            tuple(matrix),
            is_log=True,
            filled="with outliers",
            rings="without",
        ),
        SpotPanel(
            "a small GPT",
            "KB that are read for each token",
            "loss, in nats a character",
            tuple(model),
        ),
    )
    return plot_spots(panels, caption=caption)


def _errors(back: Back) -> list[Spot]:
    """The error of each format on a matrix with outliers, and on one without."""
    rng = np.random.default_rng(1)
    plain = rng.normal(size=_SHAPE).astype(np.float32)
    large = plain.copy()
    large.flat[rng.choice(large.size, large.size // _LARGE_OF, replace=False)] *= _TIMES
    spots = []
    for w, is_open in ((large, False), (plain, True)):
        for form in _OF_MATRIX:
            found, size = back(form, w)
            error = 100 * float(np.sqrt(np.mean((found - w) ** 2)))
            spots.append(Spot(form.name, 8 * size / w.size, error, form.color, is_open))
    return spots


def _losses(back: Back) -> list[Spot]:
    """The loss of a small GPT with its matrices in each format, by their bytes."""
    import torch

    from gpuedu.experiments.small_gpt import load_small_gpt
    from gpuedu.training import character_loss, load_library

    with quiet_torch(), torch.no_grad():
        text = load_library().held_out
        inputs, targets = text.inputs[:_WINDOWS], text.targets[:_WINDOWS]
        model = load_small_gpt()
        matrices = {
            one: one.numpy().copy()
            for name, one in model.named_parameters()
            if one.ndim == 2 and name != "places.weight"
        }
        whole = character_loss(model(inputs), targets).item()
        size = sum(one.nbytes for one in matrices.values())
        spots = [Spot("32 bits", size / 1e3, whole, style.INK)]
        for form in _OF_MODEL:
            size = 0
            for matrix, w in matrices.items():
                found, its_size = back(form, w)
                matrix.copy_(torch.from_numpy(found))
                size += its_size
            loss = character_loss(model(inputs), targets).item()
            spots.append(Spot(form.name, size / 1e3, loss, form.color))
    return spots


def _in_fp8(w: np.ndarray) -> tuple[np.ndarray, int]:
    """Weights through E4M3, with a scale of 32 bits for each row, and their bytes."""
    import torch

    scale = np.abs(w).max(axis=1, keepdims=True) / _LARGEST_E4M3
    kept = torch.from_numpy(w / scale).to(torch.float8_e4m3fn)
    return kept.float().numpy() * scale, w.size + scale.nbytes
