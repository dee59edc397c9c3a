"""cost-and-energy: one run in eight grids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.choosing.grids import AVERAGE_PUE, GRIDS_G_PER_KWH
from gpuedu.exercises.plain import numbers
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.plain_bars import PlainBar, plot_plain_bars

_STEPS, _STEP_S, _DEVICES, _POWER_W, _PRICE = 100_000, 0.5, 8, 700, 3.0


def draw_grids(run_cost: Callable[..., Any]) -> Any:
    """The CO2 of a run, by country."""
    bars = []
    for name, grams in GRIDS_G_PER_KWH.items():
        run = _STEPS, _STEP_S, _DEVICES, _POWER_W, AVERAGE_PUE, _PRICE, grams
        hours, kwh, money, kg = numbers(run_cost(*run), 4)
        bars.append(PlainBar(name, float(kg), f"{kg:,.0f} kg", style.GREEN))
    told = "; ".join(f"{bar.name} {bar.text}" for bar in bars)
    caption = Caption(
        title=f"The same run: {hours:.1f} hours, {kwh:,.0f} kWh, {money:,.0f} in rent",
        x="kg of CO2",
        source=f"Computed by your `run_cost`: {_STEPS:,} steps of {_STEP_S} s on {_DEVICES} "
        f"devices of {_POWER_W} W, PUE {AVERAGE_PUE}, an example price of {_PRICE:g} an hour.\n"
        "Power grids of 2023: Ember.",
        alt=f"Kilograms of CO2 of one run on eight power grids: {told}.",
    )
    return plot_plain_bars(bars, caption=caption)


PICTURE = draw_grids
