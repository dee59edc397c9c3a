"""Devices and models that tell usual mistakes of a choice apart, and the right choice by fractions.

The learner's functions compute step by step in floats. Here the right batch of a device comes from
inequalities, in fractions of exactly the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from gpuedu.units import GB, TERA

Given = Mapping[str, Any]
DIGITS = 6
"""After the point, to which prices are compared."""


@dataclass(frozen=True)
class Choice:
    """A batch on a device: its price for a million tokens, and one user's tokens per second."""

    place: int
    name: str
    batch: int
    price: Fraction
    user_per_s: Fraction

    @property
    def rounded(self) -> Fraction:
        """The price as it is compared."""
        return round(self.price, DIGITS)


def weight_bytes(model: Given) -> Fraction:
    """Of all weights."""
    return Fraction(model["parameters"]) * Fraction(model["weight_bits"]) / 8


def texts_that_fit(model: Given, length: int, device: Given) -> int:
    """Whole texts beside the weights."""
    free = Fraction(device["memory_bytes"]) - weight_bytes(model)
    return max(0, math.floor(free / (model["token_bytes"] * length)))


def exact_step_s(model: Given, batch: int, length: int, device: Given) -> Fraction:
    """The longer of reading and arithmetic."""
    read = weight_bytes(model) + batch * length * model["token_bytes"]
    flop = 2 * batch * Fraction(model["parameters"])
    return max(read / Fraction(device["bytes_per_s"]), flop / Fraction(device["flop_per_s"]))


def choice(model: Given, length: int, devices: Sequence[Given], place: int, batch: int) -> Choice:
    """What a batch on one of the devices costs and gives."""
    device = devices[place]
    time_s = exact_step_s(model, batch, length, device)
    price = Fraction(device["price_per_hour"]) / 3600 * time_s / batch * 10**6
    return Choice(place, device["name"], batch, price, 1 / time_s)


def cheapest(
    model: Given, length: int, devices: Sequence[Given], least_per_s: float
) -> Choice | None:
    """The right choice: the price never rises with the batch, so the largest allowed is cheapest.

    From there on, smaller batches that cost the same are taken instead.
    """
    found = []
    for place, device in enumerate(devices):
        batch = largest_batch(model, length, device, least_per_s)
        if batch:
            best = choice(model, length, devices, place, batch)
            while best.batch > 1:
                smaller = choice(model, length, devices, place, best.batch - 1)
                if smaller.rounded != best.rounded:
                    break
                best = smaller
            found.append(best)
    return min(found, key=lambda one: (one.rounded, one.batch, one.place), default=None)


def largest_batch(model: Given, length: int, device: Given, least_per_s: float) -> int:
    """That fits, and whose steps are short enough; 0 where there is none."""
    step_s = 1 / Fraction(least_per_s)
    read = step_s * Fraction(device["bytes_per_s"]) - weight_bytes(model)
    flop = step_s * Fraction(device["flop_per_s"])
    by_reading = math.floor(read / (length * model["token_bytes"]))
    by_arithmetic = math.floor(flop / (2 * model["parameters"]))
    return max(0, min(by_reading, by_arithmetic, texts_that_fit(model, length, device)))


def draw_model(rng: np.random.Generator) -> dict[str, Any]:
    """Weights of 4.25, 8 or 16 bits, and a cache of some hundred kB for a token."""
    return {
        "parameters": 10**8 * int(rng.integers(20, 200)),
        "weight_bits": float(rng.choice([4.25, 8.0, 16.0])),
        "token_bytes": 4096 * int(rng.integers(20, 120)),
    }


def draw_device(rng: np.random.Generator, name: str) -> dict[str, Any]:
    """What a program can use of some device, and its price."""
    return {
        "name": name,
        "memory_bytes": 10**9 * int(rng.integers(20, 150)),
        "bytes_per_s": 10 * GB * int(rng.integers(30, 500)),
        "flop_per_s": TERA * int(rng.integers(60, 700)),
        "price_per_hour": int(rng.integers(10, 90)) / 20,
    }


def draw_offers(rng: np.random.Generator, kind: str) -> dict[str, Any]:
    """Arguments of a choice. ``kind`` is "cheapest", where speed does not matter, or "fast".

    Few texts fit, so that an answer which takes a text for a token does not try for minutes.
    """
    while True:
        model, length = draw_model(rng), 16 * int(rng.integers(10, 40))
        names = [str(one) for one in rng.permutation(["A", "B", "C", "D"])]
        devices = [draw_device(rng, name) for name in names]
        for device in devices:
            texts = max(-2.0, float(rng.uniform(-10, 50)))
            room = texts * model["token_bytes"] * length
            device["memory_bytes"] = int(weight_bytes(model) + Fraction(room))
        given = {"model": model, "length": length, "devices": devices, "least_per_s": 0.25}
        if kind == "fast":
            given["least_per_s"] = _faster_than_the_cheapest(given, float(rng.uniform(0.3, 0.8)))
        if _is_telling(given, kind):
            return given


def _faster_than_the_cheapest(given: dict[str, Any], share: float) -> float:
    """About what a user gets on the cheapest device with a share of its texts."""
    slow = cheapest(**given)
    if slow is None:
        return given["least_per_s"]
    devices, batch = given["devices"], max(1, round(share * slow.batch))
    faster = choice(given["model"], given["length"], devices, slow.place, batch)
    return float(math.floor(faster.user_per_s) - 0.5)


def _is_telling(given: dict[str, Any], kind: str) -> bool:
    """Whether usual mistakes choose otherwise, and no rounding of floats decides."""
    right = cheapest(**given)
    if right is None or right.batch < 3 or right.place == 0:
        return False
    model, length, device = given["model"], given["length"], given["devices"][right.place]
    if right.batch != largest_batch(model, length, device, given["least_per_s"]):
        return False  # arithmetic decides, and so the rule for equal prices
    near = [cheapest(**given | {"least_per_s": given["least_per_s"] * by}) for by in (0.999, 1.001)]
    if any(one is None or (one.name, one.batch) != (right.name, right.batch) for one in near):
        return False
    mistaken = [_key(one) for one in (_by_speed if kind == "fast" else _by_price)(given)]
    if None in mistaken:
        return False  # who returns nothing at all gives the same
    return _key(right) not in mistaken and len(set(mistaken)) == len(mistaken)


def _key(one: Choice | None) -> tuple[str, int] | None:
    return one and (one.name, one.batch)


def _by_price(given: dict[str, Any]) -> list[Choice]:
    """With full batches: the cheapest hour, the most tokens, and the first that fits."""
    full = _largest(given)
    hourly = [one["price_per_hour"] for one in given["devices"]]
    return [
        min(full, key=lambda one: hourly[one.place]),
        max(full, key=lambda one: one.user_per_s * one.batch),
        full[0],
    ]


def _by_speed(given: dict[str, Any]) -> list[Choice | None]:
    """Without the limit, and with it for full batches alone."""
    anyhow = given | {"least_per_s": 0.001}
    alone = [one for one in _largest(anyhow) if one.user_per_s >= given["least_per_s"]]
    return [cheapest(**anyhow), min(alone, key=lambda one: one.price, default=None)]


def _largest(given: dict[str, Any]) -> list[Choice]:
    """Of each device that has room the largest batch."""
    model, length, devices = given["model"], given["length"], given["devices"]
    sizes = [largest_batch(model, length, one, given["least_per_s"]) for one in devices]
    return [choice(model, length, devices, place, n) for place, n in enumerate(sizes) if n]
