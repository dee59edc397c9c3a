"""what-to-serve-on: price against speed as the batch grows, with the learner's pick."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gpuedu.choosing.memory import cache_bytes, usable_bytes
from gpuedu.choosing.models import known_model
from gpuedu.choosing.prices import example_prices
from gpuedu.exercises.choose_hardware.rates import reachable
from gpuedu.exercises.plain import number, numbers, whole_number
from gpuedu.exercises.serving.what_to_serve_on.play import choice_of
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, Mark, plot_curves
from gpuedu.hardware.catalog import device as known_device
from gpuedu.syllabus import unknown

_SHOWN = ("l4", "l40s", "a100-80gb", "h100-sxm", "h200-sxm")
_COLORS = (style.PINK, style.ORANGE, style.GREEN, style.BLUE, style.RED)
_BITS = (16, 8, 4.25)
_MODEL, _LENGTH = "llama3-8b", 2048
_MOST = 10_000
"""Texts; a wrong answer may say that more fit."""
Answer = Callable[..., Any]


@dataclass(frozen=True)
class _Answers:
    """The learner's functions, called as the text says."""

    texts_that_fit: Answer
    step_s: Answer
    speeds: Answer
    per_million: Answer
    cheapest: Answer

    def point(
        self, model: Mapping[str, Any], batch: int, device: Mapping[str, Any]
    ) -> tuple[float, float]:
        """What a million tokens cost with this batch, and one user's tokens per second."""
        time_s = number(self.step_s(model, batch, _LENGTH, device))
        everyone, one_user = numbers(self.speeds(batch, time_s), 2)
        price = number(self.per_million(everyone, device["price_per_hour"], 1))
        return float(price), float(one_user)

    def curve(self, name: str, model: Any, device: Any, color: str) -> Curve:
        """From as many texts as fit down to one."""
        fits = min(whole_number(self.texts_that_fit(model, _LENGTH, device)), _MOST)
        batches = sorted({round(max(0, fits) ** (k / 24)) for k in range(25)}, reverse=True)
        points = [self.point(model, batch, device) for batch in batches if batch]
        shown = [one for one in points if _is_drawable(one)] or [(1.0, 0.0)]
        x, y = zip(*shown, strict=True)
        return Curve(name, x, y, color)


def draw_prices(
    texts_that_fit: Answer,
    step_s: Answer,
    speeds: Answer,
    per_million: Answer,
    cheapest: Answer,
    device: str = "",
    least_per_s: float = 50,
) -> Any:
    """Several devices with 16 bits for a weight; or one of them, with fewer bits, too.

    Args:
        texts_that_fit: the learner's, as the four after it.
        step_s: seconds of a step.
        speeds: tokens per second of all texts, and of one.
        per_million: the price of a million tokens.
        cheapest: the name of a device, and a batch.
        device: a key of the catalog, of a device that has an example price.
        least_per_s: tokens per second that each user should get.
    """
    answers = _Answers(texts_that_fit, step_s, speeds, per_million, cheapest)
    pairs = _several(device)
    curves, marks, told = [], [], []
    for (name, model, given), color in zip(pairs, _COLORS, strict=False):
        curves.append(answers.curve(name, model, given, color))
    for name, model, given in pairs if device else pairs[:1]:
        listed = [given] if device else [one for *_, one in pairs]
        chosen = choice_of(cheapest(model, _LENGTH, listed, least_per_s))
        told.append(f"{name}: {_texts(chosen)}" if device else f"your pick: {_pick(chosen)}")
        found = [one for one in listed if chosen and one["name"] == chosen[0]]
        point = answers.point(model, chosen[1], found[0]) if chosen and found else (0.0, 0.0)
        if _is_drawable(point):
            marks.append(Mark("", *point))
    where = known_device(device).name if device else "five devices, 16 bits for each weight"
    caption = Caption(
        title=f"Llama 3 8B on {where}\n{'your picks with ' if device else ''}{'; '.join(told)}",
        x="price of a million tokens (example prices)",
        y="tokens per second for one user",
        source=f"Computed by your functions: texts of {_LENGTH:,} tokens, from one at a time to as "
        f"many as fit.\nExample prices of {example_prices().date}, not an offer. Rings: what your "
        "`cheapest` takes.",
        alt=f"Curves of speed by price, {len(curves)} of them: "
        + "; ".join(_ends(one) for one in curves)
        + f". {'; '.join(told)}.",
    )
    level = Level(f"at least {least_per_s:g}", least_per_s, style.QUIET)
    return plot_curves(
        curves,
        [level],
        marks,
        caption=caption,
        format_x=lambda x: f"{x:,g}",
        format_y=lambda y: f"{y:,g}",
        height_in=4.2,
    )


def _is_drawable(point: tuple[float, float]) -> bool:
    return all(0 < value < math.inf for value in point)


def _several(key: str) -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """What a curve is named, its model, and its device."""
    if key:
        one = given_device(key)
        return [(f"{bits:g} bits", given_model(bits), one) for bits in _BITS]
    named = ((_with_price(device), device) for device in map(given_device, _SHOWN))
    return [(name, given_model(16), device) for name, device in named]


def _with_price(device: Mapping[str, Any]) -> str:
    return f"{device['name']}\n{device['price_per_hour']:.2f} an hour"


def given_model(bits: float) -> dict[str, Any]:
    """Llama 3 8B as the learner's functions get it.

    >>> given_model(16)
    {'parameters': 8030261248, 'weight_bits': 16, 'token_bytes': 131072}
    """
    model = known_model(_MODEL)
    return {
        "parameters": model.parameters,
        "weight_bits": bits,
        "token_bytes": cache_bytes(model, 1, 1),
    }


def given_device(key: str) -> dict[str, Any]:
    """A device as the learner's functions get it: what a program can use, and its example price."""
    prices, found = example_prices().rent_per_hour, known_device(key)
    if key not in prices:
        raise unknown("device with an example price", key, prices)
    rates = reachable(found)
    return {
        "name": found.name,
        "memory_bytes": int(usable_bytes(found.memory_bytes)),
        "bytes_per_s": rates["bytes_per_s"],
        "flop_per_s": rates["flop_per_s"],
        "price_per_hour": prices[key],
    }


def _pick(chosen: tuple[str, int] | None) -> str:
    if chosen is None:
        return "none"
    return f"{chosen[0]}, {_texts(chosen)}"


def _texts(chosen: tuple[str, int] | None) -> str:
    count = chosen[1] if chosen else 0
    return f"{count} text{'' if count == 1 else 's'}"


def _ends(curve: Curve) -> str:
    name = curve.name.replace("\n", ", ")
    if not curve.drawn:
        return f"{name} none"
    (cheap, slow), (dear, fast) = curve.drawn[0], curve.drawn[-1]
    return f"{name} from {cheap:.2g} a million at {slow:.3g} tokens/s to {dear:.2g} at {fast:.3g}"


PICTURE = draw_prices
