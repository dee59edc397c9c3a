"""quantize: by how much each weight of a row is off, with one group and with several."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.inference.quantize.play import dequantized, quantized
from gpuedu.figures.caption import Caption
from gpuedu.figures.column_errors import ColumnErrors, plot_column_errors

_COLUMNS, _BITS, _GROUPS = 128, 4, (128, 32)
_SPREAD, _OUTLIER, _AT = 0.02, 0.5, 75


def draw_quantize(quantize: Callable[..., Any], dequantize: Callable[..., Any]) -> Any:
    """The errors of a made-up row that has one outlier."""
    w = np.random.default_rng(1).normal(scale=_SPREAD, size=(1, _COLUMNS)).astype(np.float32)
    w[0, _AT] = _OUTLIER
    panels = []
    for group in _GROUPS:
        back = dequantized(dequantize, *quantized(quantize, w.copy(), _BITS, group))
        name = "one group for the row" if group == _COLUMNS else f"groups of {group}"
        panels.append(ColumnErrors(name, (back - w)[0], group))
    others = np.arange(_COLUMNS) // _GROUPS[1] != _AT // _GROUPS[1]
    largest = [f"{np.abs(one.errors[others]).max():.2g}" for one in panels]
    caption = Caption(
        title="One large weight sets the step of its whole group",
        x="column",
        y="error of the weight",
        source=f"Computed by your functions: normal weights of spread {_SPREAD}, made up, in "
        f"{_BITS} bits.",
        alt="Errors by column, side by side. Of the three groups of 32 columns without the outlier "
        f"the largest error is {largest[0]} with one group for the row, and {largest[1]} "
        "with groups of 32.",
    )
    return plot_column_errors(panels, marked=_AT, mark=f"a weight of {_OUTLIER}", caption=caption)


PICTURE = draw_quantize
