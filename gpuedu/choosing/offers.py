"""The cheapest offer that fits, on time and within the budget; buying versus renting."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gpuedu.choosing.costs import SECONDS_PER_HOUR
from gpuedu.choosing.memory import usable_bytes

HOURS_PER_YEAR = 8760
_CENTS = 6
"""Digits after the point in which two prices are compared."""


@dataclass(frozen=True)
class Offer:
    """A device that can be had up to ``most`` times, each at a price per hour."""

    name: str
    memory_bytes: float
    flop_per_s: float
    price_per_hour: float
    most: int


@dataclass(frozen=True)
class Job:
    """A run: its FLOP, bytes that devices divide and that each needs, and its limits.

    ``overhead`` is what each further device costs: n of them are n / (1 + overhead (n - 1)) as fast
    as one.
    """

    flop: float
    shared_bytes: float
    own_bytes: float
    overhead: float
    deadline_h: float
    budget: float


@dataclass(frozen=True)
class Choice:
    """Several devices of an offer; ``place`` is its position in the list."""

    offer: Offer
    place: int
    devices: int
    hours: float
    price: float
    fits: bool

    @property
    def name(self) -> str:
        """As written for a person."""
        return f"{self.devices} x {self.offer.name}"


def hours(flop: float, devices: int, flop_per_s: float, overhead: float) -> float:
    """Hours on several devices.

    >>> hours(3.6e15, 2, 1e12, 0.25)
    0.625
    """
    speedup = devices / (1 + overhead * (devices - 1))
    return flop / (speedup * flop_per_s) / SECONDS_PER_HOUR


def choices(job: Job, offers: Iterable[Offer]) -> Iterator[Choice]:
    """Every number of every offer, good or not."""
    for place, offer in enumerate(offers):
        for devices in range(1, offer.most + 1):
            time_h = hours(job.flop, devices, offer.flop_per_s, job.overhead)
            needed = job.own_bytes + job.shared_bytes / devices
            fits = needed <= usable_bytes(offer.memory_bytes)
            price = devices * time_h * offer.price_per_hour
            yield Choice(offer, place, devices, time_h, price, fits)


def pick(job: Job, offers: Iterable[Offer]) -> str:
    """The cheapest choice that meets all conditions, as "2 x A100"; an empty string if none does.

    At equal prices, the one with fewer devices, then the one listed first.
    """
    good = [
        one
        for one in choices(job, offers)
        if one.fits and one.hours <= job.deadline_h and one.price <= job.budget
    ]
    best = min(
        good, key=lambda one: (round(one.price, _CENTS), one.devices, one.place), default=None
    )
    return best.name if best else ""


def share_to_buy(
    price: float, years: float, power_w: float, price_per_kwh: float, rent_per_hour: float
) -> float:
    """The share of a device's hours above which buying is cheaper than renting; infinity for none.

    >>> share_to_buy(8760, 2, 1000, 0.5, 2.5)
    0.25
    """
    saved = rent_per_hour - power_w / 1000 * price_per_kwh
    if saved <= 0:
        return math.inf
    share = price / (saved * years * HOURS_PER_YEAR)
    return share if share <= 1 else math.inf
