"""pick-one: every choice for a run of GPT-2, by its hours and its price."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.choosing import memory, offers, steps
from gpuedu.choosing.models import known_model
from gpuedu.choosing.offers import Choice, Job, Offer
from gpuedu.choosing.prices import example_prices
from gpuedu.exercises.choose_hardware.catalog_pictures import KINDS, kind_of
from gpuedu.figures.caption import Caption
from gpuedu.figures.points import Point, plot_points
from gpuedu.hardware.catalog import device

_TOKENS, _BATCH, _LENGTH = 10e9, 16, 1024
_MOST, _DEADLINE_H, _BUDGET = 8, 48, 300


def _job() -> Job:
    model = known_model("gpt2")
    return Job(
        flop=_TOKENS * steps.training_flop(model, 1, _LENGTH) / _LENGTH,
        shared_bytes=memory.state_bytes(model.parameters),
        own_bytes=memory.activation_bytes(model, _BATCH, _LENGTH),
        overhead=0.03,
        deadline_h=_DEADLINE_H,
        budget=_BUDGET,
    )


def draw_choices(pick: Callable[..., Any]) -> Any:
    """Hours and price of each choice that fits, the learner's pick with a ring."""
    prices, job, kinds, listed = example_prices(), _job(), {}, []
    for key, price in prices.rent_per_hour.items():
        found = device(key)
        reached = steps.reached_flop_per_s(known_model("gpt2"), _BATCH, _LENGTH, found)
        listed.append(Offer(found.name, found.memory_bytes, reached, price, _MOST))
        kinds[found.name] = kind_of(found)
    chosen = pick(vars(job), [vars(one) for one in listed])
    fitting = [one for one in offers.choices(job, listed) if one.fits]
    points = [_point(one, kinds, chosen) for one in fitting if one.devices in (1, 2, 4, 8)]
    picked = [one for one in fitting if one.name == chosen]
    if picked and picked[0].devices not in (1, 2, 4, 8):
        points.append(_point(picked[0], kinds, chosen))
    told = f"your pick: {chosen}" if picked else "your pick is none of them"
    caption = Caption(
        title=f"GPT-2 on 10 billion tokens; {told}",
        x="hours",
        y="price",
        source=f"At most {_DEADLINE_H} hours and {_BUDGET}. Example prices of {prices.date}, not "
        "an offer.\nTimes: the step of four terms, "
        "with an overhead of 0.03 for each further device.",
        alt=f"{len(points)} choices by hours and price; {told}.",
    )
    return plot_points(
        points,
        caption=caption,
        kinds=KINDS,
        format_x=lambda x: f"{x:g} h",
        format_y=lambda y: f"{y:g}",
    )


def _point(choice: Choice, kinds: dict[str, str], chosen: Any) -> Point:
    is_told = choice.name == chosen
    return Point(choice.name, choice.hours, choice.price, kinds[choice.offer.name], is_told)


PICTURE = draw_choices
