"""pick-one: the cheapest choice that meets every condition, and buying against renting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.choosing import offers as choosing
from gpuedu.choosing.offers import Choice, Job, Offer
from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.functions import call_case, right_result
from gpuedu.units import GB, TERA

Given = Mapping[str, Any]


def pick(job: Given, offers: Sequence[Given]) -> str:
    """Of dicts as the learner gets them."""
    return choosing.pick(Job(**job), [Offer(**one) for one in offers])


def cases(rng: np.random.Generator) -> list[Case]:
    """Scaling, a choice that each condition alone forbids, ties, impossible jobs, and purchases."""
    drawn, percent = [], rng.permutation(np.arange(2, 9)).tolist()
    for devices in (1, int(rng.integers(2, 5)), int(rng.integers(8, 65))):
        given = {"flop": 1e18 * int(rng.integers(5, 90)), "devices": devices}
        given |= {"flop_per_s": TERA * int(rng.integers(50, 700)), "overhead": percent.pop() / 100}
        drawn.append(call_case("scaling", "hours", **given))
    for condition in ("cheapest", "memory", "deadline", "budget", "ties", "none"):
        drawn += [_drawn(rng, condition, is_second=second) for second in (False, True)]
    drawn += _exact()
    for decides, rent in (("buying", 1.0), ("buying", 2.5), ("never", 2.5), ("never", 0.01)):
        drawn.append(_purchase(rng, decides, rent))
    return drawn


def _exact() -> list[Case]:
    """Limits that are met exactly, with all of the devices; a tie between two and one device.

    Powers of two, so that they are exact in any order of computing.
    """
    job = Job(3600 * 2.0**50, 0, 0, 0, 256.0, 1024.0)
    last = [Offer("A", 2.0**36, 2.0**40, 1.0, 4)]
    small, large = Offer("A", 2.0**34, 2.0**40, 1.0, 2), Offer("B", 2.0**37, 2.0**41, 2.0, 1)
    shared = Job(3600 * 2.0**50, 2.0**34, 2.0**31, 0, 1e9, 1e9)
    filled = Job(3600 * 2.0**50, 0.0, 90 * GB, 0, 1e9, 1e9)
    picked = [
        call_case(decides, "pick", job=vars(one), offers=[vars(offer) for offer in listed])
        for decides, one, listed in (
            ("deadline", job, last),
            ("budget", job, last),
            ("none", job, [Offer("A", 2.0**36, 2.0**40, 1.0, 3)]),  # one more would be in time
            ("memory", filled, [Offer("A", 100 * GB, 2.0**40, 1.0, 1)]),
            ("ties", shared, [small, large]),
        )
    ]
    hour = {"years": 1, "power_w": 1000, "price_per_kwh": 0.5}
    return [
        *picked,
        *_near_the_limits(),
        call_case("buying", "share_to_buy", price=8760, **hour, rent_per_hour=1.5),
        call_case("never", "share_to_buy", price=1000, **hour, rent_per_hour=0.5),
        call_case("never", "share_to_buy", price=0, **hour, rent_per_hour=0.25),
        call_case("buying", "share_to_buy", price=0, **hour, rent_per_hour=1.5),
    ]


def _near_the_limits() -> list[Case]:
    """A number that is no power of two, parts of hours and of money, and prices near each other."""
    run = Job(3600 * 2.0**50, 0, 0, 0, 1e9, 1e9)
    short = Job(3600 * 2.0**40, 2.0**34, 2.0**31, 0, 1e9, 1e9)
    many = Offer("A", 2.0**36, 2.0**40, 1.0, 16)
    part = Job(3600 * 2.0**40 * 10.25, 0, 0, 0, 1e9, 1e9)
    slow, fast = Offer("A", 2.0**36, 2.0**40, 1.0, 1), Offer("B", 2.0**36, 2.0**40 * 1.025, 1.04, 1)
    twins = [Offer("B", 2.0**36, 2.0**40, 1.0, 1), Offer("A", 2.0**36, 2.0**40, 1.0, 1)]
    asked = [
        ("deadline", _but(run, deadline_h=94.0), [many]),  # 11 devices
        ("deadline", _but(part, deadline_h=10.5), [slow]),
        ("none", _but(run, budget=1024.0), [Offer("A", 2.0**36, 2.0**40, 1 + 2.0**-12, 1)]),
        ("cheapest", part, [fast, slow]),  # in whole hours the other one would be cheaper
        ("ties", part, twins),
    ]
    # Two small devices against a large one that costs a little more: what is equal?
    # An hour of the right choice is the cheapest as well: no card asks about the price per hour.
    for price, more, speed in ((1.0, 3e-6, 2), (1.0, 3e-7, 1), (1000.0, 3e-3, 2)):
        small = Offer("A", 2.0**34, 2.0**40, price, 2)
        large = Offer("B", 2.0**37, speed * 2.0**40, speed * (price + more), 1)
        asked.append(("ties", short, [small, large]))
    return [
        call_case(decides, "pick", job=vars(job), offers=[vars(one) for one in offers])
        for decides, job, offers in asked
    ]


def _but(job: Job, **limits: float) -> Job:
    return Job(**vars(job) | limits)


def _drawn(rng: np.random.Generator, condition: str, *, is_second: bool) -> Case:
    """Offers and a job of which the named condition decides.

    The second tie is one with an overhead, and the second job without a choice needs much memory.
    """
    overhead, is_large = 0.04 if is_second else 0.0, is_second and condition == "none"
    while True:
        offers = [_offer(rng, name) for name in ("A", "B", "C")]
        job = Job(1e18 * int(rng.integers(20, 90)), 0, 0, 0.01 * int(rng.integers(2, 9)), 1e9, 1e9)
        if condition == "ties":
            offers = _tied(offers, 0.01 * int(rng.integers(30, 95)))
            job = Job(**vars(job) | {"overhead": overhead})
            # Without an overhead all numbers cost the same, but for the last bit, which misleads.
            if overhead or _by_the_last_bit(job, offers) != choosing.pick(job, offers):
                break
            continue
        limited = _limited(rng, "large" if is_large else condition, job, offers)
        if limited is not None:
            job = limited
            break
    given = [vars(one) for one in offers]
    return call_case(condition, "pick", job=vars(job), offers=given)


def _offer(rng: np.random.Generator, name: str) -> Offer:
    memory, price = 8 * GB * int(rng.integers(2, 24)), 0.25 * int(rng.integers(2, 30))
    return Offer(name, memory, TERA * int(rng.integers(50, 600)), price, int(rng.integers(3, 9)))


def _by_the_last_bit(job: Job, offers: list[Offer]) -> str:
    """What is picked by prices that are not rounded."""
    found = choosing.choices(job, offers)
    return min(found, key=lambda one: (one.price, one.devices, one.place)).name


def _tied(offers: list[Offer], price: float) -> list[Offer]:
    """Of three, the last two cost the same for a run, and less than the first."""
    first, second, _ = offers
    cheap = Offer("B", second.memory_bytes, second.flop_per_s, price, second.most)
    twin = Offer("C", 2 * cheap.memory_bytes, 2 * cheap.flop_per_s, 2 * price, cheap.most)
    return [Offer("A", first.memory_bytes, cheap.flop_per_s, 4.0, first.most), cheap, twin]


def _limited(rng: np.random.Generator, condition: str, job: Job, offers: list[Offer]) -> Job | None:
    """The job with limits of which this one alone rules out what would be cheapest."""
    ranked = sorted(choosing.choices(job, offers), key=lambda one: one.price)
    best, others = ranked[0], ranked[1:]
    if others[0].price - best.price < 0.01:
        return None
    if condition == "cheapest":
        return job if _tells_apart(ranked) else None
    if condition == "none":
        fastest = min(one.hours for one in ranked)
        limits = [{"deadline_h": fastest / 2}, {"budget": best.price / 2}]
        return _but(job, **limits[int(rng.integers(2))])
    if condition == "large":
        # Not even divided among all the devices of an offer would it fit.
        return _but(job, own_bytes=GB * int(rng.integers(1400, 2000)))
    if condition == "deadline":
        return Job(**vars(job) | {"deadline_h": round(0.7 * best.hours, 3)})
    if condition == "memory":
        smallest = 0.9 * min(one.offer.memory_bytes for one in ranked)
        tight = Job(**vars(job) | {"shared_bytes": 2.5 * smallest, "own_bytes": 0.2 * smallest})
        whole = tight.shared_bytes + tight.own_bytes
        sizes = ({}, {"own_bytes": whole}, {"shared_bytes": whole})
        others = [Job(**vars(job) | one) for one in sizes]
        picked = choosing.pick(tight, offers)
        is_telling = picked and picked not in [choosing.pick(one, offers) for one in others]
        return tight if is_telling else None
    late = 0.7 * best.hours
    in_time = [one for one in ranked if one.hours <= late]
    if not in_time:
        return None
    budget = round(0.97 * in_time[0].price, 2)
    return Job(**vars(job) | {"deadline_h": round(late, 3), "budget": budget})


def _tells_apart(found: list[Choice]) -> bool:
    """True if each usual mistake picks another one of the choices."""
    all_of_them = [one for one in found if one.devices == one.offer.most]
    picked = [
        min(found, key=lambda one: one.price),
        min(found, key=lambda one: one.price / one.devices),
        min(found, key=lambda one: one.devices * one.offer.price_per_hour),
        min(found, key=lambda one: one.hours),
        min(all_of_them, key=lambda one: one.price),
    ]
    return len({one.name for one in picked}) == len(picked)


def _purchase(rng: np.random.Generator, decides: str, rent: float) -> Case:
    power_w, kwh = 10 * int(rng.integers(30, 140)), 0.01 * int(rng.integers(8, 40))
    years, rent = int(rng.integers(2, 6)), round(rent * float(rng.uniform(0.9, 1.1)), 3)
    saved = rent - power_w / 1000 * kwh
    share = float(rng.uniform(0.1, 0.9)) if decides == "buying" else float(rng.uniform(1.1, 1.9))
    price = float(round(abs(saved) * years * choosing.HOURS_PER_YEAR * share))
    given = {"price": price, "years": years, "power_w": power_w, "price_per_kwh": round(kwh, 2)}
    return call_case(decides, "share_to_buy", **given, rent_per_hour=rent)


_ASKS = (
    "Which choices meet every condition, and what does each of those cost in all? (The form is "
    "`2 x A100`.)"
)


def _picked(name: str, says: str, points: float, asks: str = _ASKS) -> Any:
    return right_result(name, says, points, {"pick": pick}, asks=asks)


JUDGE = Judge(
    title="Which one?",
    properties=(
        right_result(
            "scaling",
            "`hours` on one device and on several",
            1,
            {"hours": choosing.hours},
            asks=(
                "How many times as fast as one are so many devices? And how many seconds are in "
                "an hour?"
            ),
            unit="h",
        ),
        _picked("cheapest", "`pick` takes the cheapest run", 1),
        _picked(
            "memory",
            "`pick` where not all offers have enough memory",
            1,
            "Which choices hold a device's own bytes and its share of the others, in 90% of its "
            "memory? And which of those costs least?",
        ),
        _picked("deadline", "`pick` with a deadline", 0.5),
        _picked("budget", "`pick` with a deadline and a budget", 0.5),
        _picked(
            "ties",
            "`pick` among equal prices",
            0.5,
            "Which choices cost the same, rounded to six decimal places? And which of those comes "
            "first by the rules?",
        ),
        replace(
            _picked("none", '`pick` gives `""` if nothing meets the conditions', 0.5),
            after=("cheapest",),
        ),
        right_result(
            "buying",
            "`share_to_buy`: from which share of hours buying pays",
            1,
            {"share_to_buy": choosing.share_to_buy},
            asks="What does an hour of your own device save, and how many such hours pay its "
            "price?",
        ),
        right_result(
            "never",
            "`math.inf` where buying never pays",
            1,
            {"share_to_buy": choosing.share_to_buy},
            asks="What does each hour save? Are there enough hours?",
            after=("buying",),
        ),
    ),
    hints=(
        "Go through all offers and all numbers of devices, and throw out what breaks a condition.",
        "Tuples compare from the left: `min` of `(round(price, 6), devices, place)` settles ties.",
        "An hour of your own device saves the rent, less its own electricity.",
    ),
    cases=cases,
    predictions={
        "pick-one": Prediction(
            "how many times as fast as one are 8 devices, with an overhead of 0.05?",
            truth=8 / 1.35,
            unit="times",
            because="8 / (1 + 0.05 * 7) = 5.93. You pay for 8 devices and get the work of 6, so "
            "the run costs 35% more than on one device.",
        )
    },
)
