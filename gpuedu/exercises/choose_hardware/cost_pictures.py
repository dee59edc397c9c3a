"""The price of an hour and of a run, joules of arithmetic, and the price of spot machines."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gpuedu.choosing.models import known_model
from gpuedu.choosing.prices import example_prices
from gpuedu.choosing.table import Run, rows
from gpuedu.exercises.choose_hardware.catalog_pictures import KINDS, best_16_bit, kind_of
from gpuedu.exercises.plain import number
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, plot_curves
from gpuedu.figures.plain_bars import PlainBar, plot_plain_bars
from gpuedu.figures.points import Point, plot_points
from gpuedu.hardware.catalog import device, devices
from gpuedu.units import TERA

_SHOWN = ("ryzen-9950x", "xeon-8480", "p100-sxm", "t4", "a100-80gb", "rtx-4090", "h100-sxm", "b200")
_TERAFLOPS = 1000
_BATCH, _LENGTH, _TOKENS = 8, 1024, 10e9
_DISCOUNT, _SAVE_H, _RESTART_H = 0.6, 0.05, 0.2
_MEANS = tuple(0.5 * 1.5**k for k in range(14))
Answer = Callable[..., Any]


def draw_hour_or_run() -> Any:
    """The price of an hour and of the whole run, each device alone."""
    prices = example_prices()
    run = Run(known_model("gpt2"), _BATCH, _LENGTH, _TOKENS, devices=1)
    points = [
        Point(row.device.name, row.price_per_hour, row.cost.money, kind_of(row.device))
        for row in rows(run, devices(), prices)
        if row.cost is not None and row.price_per_hour is not None
    ]
    told = "; ".join(f"{one.name} {one.x:.2g} and {one.y:.0f}" for one in points)
    caption = Caption(
        title="The price of an hour says little about the price of a run",
        x="price of an hour",
        y="price of the run",
        source=f"GPT-2 on {_TOKENS / 1e9:g} billion tokens, on one device. Example prices of "
        f"{prices.date}, not an offer;\ntimes by the model of four terms, within a "
        "factor of 2.",
        alt=f"Price of an hour and of the same run on one device: {told}.",
    )
    return plot_points(
        points,
        caption=caption,
        kinds=KINDS,
        format_x=lambda x: f"{x:,g}",
        format_y=lambda y: f"{y:,g}",
    )


def draw_joules(joules_each: Answer) -> Any:
    """Joules for each TFLOP at the peak of each device."""
    bars = []
    for one in map(device, _SHOWN):
        time_s = _TERAFLOPS * TERA / best_16_bit(one)
        each = number(joules_each(one.power_w * time_s, 0.0, time_s, _TERAFLOPS))
        color = style.ORANGE if one.kind == "CPU" else style.BLUE
        bars.append(PlainBar(f"{one.name}, {one.year}", float(each), f"{each:.3g} J", color))
    told = "; ".join(f"{bar.name} {bar.text}" for bar in bars)
    caption = Caption(
        title="Joules for a trillion operations of a matrix product",
        x="J for each TFLOP, in 16 bits where the device has them",
        source="Computed by your `joules_each` from data sheets: full power at the dense peak. "
        "Real work reaches less of the peak,\nso it takes more. Orange: CPUs.",
        alt=f"Joules for each TFLOP by device: {told}.",
    )
    return plot_plain_bars(bars, caption=caption)


def draw_spot_price(expected_h: Answer, best_interval: Answer) -> Any:
    """What an hour of work costs on a spot machine, by the time between interruptions."""
    best, hourly = [], []
    for mean_h in _MEANS:
        interval = number(best_interval(_SAVE_H, _RESTART_H, mean_h))
        best.append(_price(expected_h, interval, mean_h))
        hourly.append(_price(expected_h, 1.0, mean_h))
    curves = [
        Curve("saved at your\nbest interval", _MEANS, tuple(best), style.BLUE),
        Curve("saved\nevery hour", _MEANS, tuple(hourly), style.ORANGE),
    ]
    caption = Caption(
        title="Spot at 60% off: cheaper, unless interruptions come too often",
        x="hours between interruptions",
        y="price of an hour of work",
        source=f"Computed by your functions: a save takes {_SAVE_H:g} h, a restart {_RESTART_H:g} "
        "h; 1 is the price of a machine that stays.",
        alt=f"Price of an hour of work on spot machines: {best[0]:.2g} with interruptions every "
        f"{_MEANS[0]:g} hours, {best[-1]:.2g} every {_MEANS[-1]:.0f}.",
    )
    levels = [Level("a machine\nthat stays", 1.0, style.QUIET)]
    return plot_curves(
        curves, levels, caption=caption, format_x=lambda x: f"{x:,g}", format_y=lambda y: f"{y:,g}"
    )


def _price(expected_h: Answer, interval_h: float, mean_h: float) -> float:
    try:
        hours = number(expected_h(1.0, interval_h, _SAVE_H, _RESTART_H, mean_h))
    except (ArithmeticError, ValueError):
        return math.nan
    return (1 - _DISCOUNT) * hours
