"""The learner's own model: what it keeps beside what devices hold, and every choice for its run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from gpuedu.choosing import memory
from gpuedu.choosing.models import Model, count_parameters
from gpuedu.choosing.prices import example_prices
from gpuedu.choosing.table import Run, rows
from gpuedu.errors import AnswerError
from gpuedu.exercises.choose_hardware.catalog_pictures import KINDS, kind_of
from gpuedu.exercises.plain import number
from gpuedu.figures.caption import Caption
from gpuedu.figures.points import Point, plot_points
from gpuedu.figures.shares import Parts, plot_parts
from gpuedu.hardware.catalog import device, devices
from gpuedu.units import GB

_LINES = ("rtx-4090", "a100-80gb", "mi300x")
_NAMES = ("layers", "width", "heads", "vocabulary", "batch", "length", "tokens")
Own = Mapping[str, Any]


def _shape_of(own: Own) -> Model:
    missing = [name for name in _NAMES if name not in own]
    if missing:
        raise AnswerError(f"your run has no {missing[0]!r}", remedy=", ".join(_NAMES))
    layers, width, vocabulary = own["layers"], own["width"], own["vocabulary"]
    parameters = count_parameters(layers, width, vocabulary)
    return Model(parameters, layers, width, own["heads"], own["heads"], vocabulary)


def draw_own_memory(
    state_bytes: Callable[..., Any], activation_bytes: Callable[..., Any], own: Own
) -> Any:
    """States and activations of the learner's model, saved and recomputed, and devices as lines."""
    model = _shape_of(own)
    states = number(state_bytes(model.parameters, "mixed", "adam"))
    shape = vars(model)
    bars = []
    for name, recompute in (("all saved", False), ("recomputed", True)):
        saved = number(activation_bytes(shape, own["batch"], own["length"], True, recompute))
        parts = {"states": states / GB, "activations": saved / GB}
        bars.append(Parts(name, parts, f"{(states + saved) / GB:,.3g} GB"))
    caption = Caption(
        title=f"Your model of {model.parameters / 1e6:,.0f} million parameters, and devices",
        x="GB",
        source=f"Computed by your functions: mixed precision, Adam, fused attention, "
        f"{own['batch']} texts of {own['length']:,} tokens.\nLines: {1 - memory.RESERVE:.0%} of a "
        "device's memory.",
        alt="Stacked bars of your model's memory: "
        + "; ".join(f"{bar.name} {bar.text}" for bar in bars)
        + ".",
    )
    held = [(one.name, memory.usable_bytes(one.memory_bytes) / GB) for one in map(device, _LINES)]
    return plot_parts(bars, held, caption=caption)


def draw_own_frontier(own: Own) -> Any:
    """Hours and rent of the learner's run on each device that has an example price."""
    model, prices = _shape_of(own), example_prices()
    points: dict[str, Point] = {}
    for count in (0, 2, 4, 8):
        run = Run(model, own["batch"], own["length"], own["tokens"], devices=count)
        for row in rows(run, devices(), prices):
            if row.cost is None or row.price_per_hour is None:
                continue
            name = f"{row.devices:g} x {row.device.name}"
            points[name] = Point(name, row.cost.hours, row.cost.money, kind_of(row.device))
    best = _frontier(list(points.values()))
    shown = [
        Point(one.name, one.x, one.y, one.kind, is_told=one.name in best) for one in points.values()
    ]
    caption = Caption(
        title="Your run: choose among the ringed ones",
        x="hours",
        y="rent",
        source=f"Example prices of {prices.date}, not an offer; times within a factor of 2. Your "
        "own prices: `gpuedu choose --prices`.",
        alt=f"{len(shown)} choices for your run by hours and rent. Not beaten: {', '.join(best)}.",
    )
    return plot_points(
        shown,
        caption=caption,
        kinds=KINDS,
        format_x=lambda x: f"{x:g} h",
        format_y=lambda y: f"{y:g}",
    )


def _frontier(points: list[Point]) -> list[str]:
    """Names of those that no other is both faster and cheaper than, the fastest first."""
    names, cheapest = [], math.inf
    for one in sorted(points, key=lambda one: (one.x, one.y)):
        if one.y < cheapest:
            names.append(one.name)
            cheapest = one.y
    return names
