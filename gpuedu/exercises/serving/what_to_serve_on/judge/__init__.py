"""what-to-serve-on: texts that fit, a step, the price of a token, and the cheapest choice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from gpuedu.exercises.compare import is_close
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.functions import call_case, call_text, right_result
from gpuedu.exercises.serving.left_alone import deciding_that, left_alone
from gpuedu.exercises.serving.what_to_serve_on.judge.offers_drawn import (
    Choice,
    cheapest,
    choice,
    draw_device,
    draw_model,
    draw_offers,
    exact_step_s,
    texts_that_fit,
)
from gpuedu.exercises.serving.what_to_serve_on.play import SAMPLE_PRICE, SAMPLE_SPEEDS, SPEEDS
from gpuedu.units import GB, TERA

Given = Mapping[str, Any]


def step_s(model: Given, batch: int, length: int, device: Given) -> float:
    """The longer of reading and arithmetic."""
    return float(exact_step_s(model, batch, length, device))


def speeds(batch: int, seconds: float) -> dict[str, float]:
    """Of all texts, and of one."""
    return dict(zip(SPEEDS, (batch / seconds, 1 / seconds), strict=True))


def per_million(tokens_per_s: float, price_per_hour: float, used: float) -> float:
    """An hour's price over the millions of tokens that are made in it."""
    return price_per_hour / (3600 * tokens_per_s * used / 1e6)


def cases(rng: np.random.Generator) -> list[Case]:
    """Sizes that fit just so or not at all, steps of both kinds, prices, and drawn offers."""
    return deciding_that([*_fits(rng), *_steps(rng), *_prices(rng), *_choices(rng)])


def _fits(rng: np.random.Generator) -> list[Case]:
    drawn = []
    for bits in (16.0, 8.0, 4.25):
        model = draw_model(rng) | {"weight_bits": bits, "parameters": 10**8 * _few(rng)}
        length, texts = 16 * int(rng.integers(30, 250)), int(rng.integers(5, 90))
        used = model["parameters"] * bits / 8 + model["token_bytes"] * length * texts
        more = float(rng.uniform(0.6, 0.9)) if bits != 8 else 0.0
        memory = int(used + more * model["token_bytes"] * length)
        device = draw_device(rng, "A") | {"memory_bytes": memory}
        drawn.append(call_case("fit", "texts_that_fit", model=model, length=length, device=device))
    last = drawn[0].inputs
    # A byte less than two texts need; no byte left; weights too large, by much or by little.
    room = last["model"]["token_bytes"] * last["length"]
    weights = 2 * last["model"]["parameters"]
    for decides, memory in (
        ("fit", weights + 2 * room - 1),
        ("too-big", weights),
        ("too-big", int(0.6 * weights)),
        ("too-big", weights - room // 2),
    ):
        device = draw_device(rng, "A") | {"memory_bytes": memory}
        given = {"model": last["model"], "length": last["length"], "device": device}
        drawn.append(call_case(decides, "texts_that_fit", **given))
    return drawn


def _steps(rng: np.random.Generator) -> list[Case]:
    drawn = []
    for bits, batch in ((16.0, int(rng.integers(5, 40))), (4.25, int(rng.integers(5, 40))), (8, 1)):
        given = {"model": draw_model(rng) | {"weight_bits": bits}, "batch": batch}
        given |= {"length": 16 * int(rng.integers(60, 250)), "device": draw_device(rng, "A")}
        drawn.append(call_case("bytes", "step_s", **given))
    slow = {"flop_per_s": 20 * TERA, "bytes_per_s": 4000 * GB}
    for bits, batch in ((16.0, 250), (4.25, 90)):
        given = {"model": draw_model(rng) | {"weight_bits": bits}, "batch": batch, "length": 16}
        drawn.append(
            call_case("arithmetic", "step_s", **given, device=draw_device(rng, "A") | slow)
        )
    return drawn


def _prices(rng: np.random.Generator) -> list[Case]:
    drawn = [
        call_case("speeds", "speeds", batch=batch, seconds=0.001 * _few(rng))
        for batch in (int(rng.integers(5, 60)), 1)
    ]
    for used in (1.0, int(rng.integers(4, 15)) / 20):
        given = {"tokens_per_s": 10.0 * _few(rng), "price_per_hour": _few(rng) / 10}
        drawn.append(call_case("price", "per_million", **given, used=used))
    return drawn


def _few(rng: np.random.Generator) -> int:
    return int(rng.integers(21, 90))


def _choices(rng: np.random.Generator) -> list[Case]:
    asked = [("cheapest", draw_offers(rng, "cheapest")) for _ in range(2)]
    asked += [("fast-enough", draw_offers(rng, "fast")) for _ in range(3)]
    asked += [("fast-enough", _exact(least)) for least in (64.0, 65.0, 120.0)]
    asked += [("ties", one) for one in _tied()]
    slow = draw_offers(rng, "fast")
    asked.append(("none", slow | {"least_per_s": 4000.0}))
    large = {"parameters": 10**12, "weight_bits": 8.0, "token_bytes": 10**5}
    asked.append(("none", slow | {"model": large, "least_per_s": 0.001}))
    asked += [("ties", one) for one in _drawn_tied(rng)]
    return [call_case(decides, "cheapest", **one) for decides, one in asked]


_MODEL = {"parameters": 2**30, "weight_bits": 16.0, "token_bytes": 2**17}
"""Weights of 2 GiB; a text of 1024 tokens takes 128 MiB."""
_HOUR = 3.6864
"""Of an hour: 1024 tokens/s cost 1 a million then, far from where rounding may go two ways."""


def _device(name: str, texts: int, reads: float, computes: float, price: float) -> dict[str, Any]:
    """That holds so many texts, reads so many GiB/s, and computes so many tokens of ``_MODEL``."""
    return {
        "name": name,
        "memory_bytes": 2**31 + texts * 2**27,
        "bytes_per_s": reads * 2**30,
        "flop_per_s": computes * 2**31,
        "price_per_hour": price,
    }


def _exact(least: float) -> dict[str, Any]:
    """16 texts take 4 GiB, 1/64 s: just fast enough for 64 tokens/s, and not for 65; one for 120.

    The other device holds fewer texts, and costs more.
    """
    devices = [_device("B", 4, 256.0, 2.0**20, 6.0), _device("A", 40, 256.0, 2.0**20, _HOUR)]
    return {"model": _MODEL, "length": 1024, "devices": devices, "least_per_s": least}


def _tied() -> list[dict[str, Any]]:
    """Batches, devices and both that cost the same; and prices near each other."""
    given = {"model": _MODEL, "length": 1024, "least_per_s": 1.0}
    # Arithmetic is as long as reading with 16 texts: (2 GiB + 16 * 128 MiB) / 256 GiB/s = 1/64 s.
    flat = _device("B", 41, 256.0, 1024.0, _HOUR)
    twin = _device("A", 40, 256.0, 1024.0, _HOUR)
    small = _device("C", 60, 512.0, 1024.0, _HOUR)  # arithmetic is longer from 6 texts on
    dear = _device("D", 40, 256.0, 2048.0, 9.0)
    alone = _device("E", 9, 512.0, 64.0, 0.2)  # arithmetic is longer even with one text
    listed = [[dear, flat], [flat, twin], [flat, small, twin], [dear, small, flat], [dear, alone]]
    listed += [_near(*one) for one in ((1.0, 3e-7), (1.0, 3e-6), (1000.0, 3e-3), (1.0, 8e-7))]
    return [given | {"devices": devices} for devices in listed]


def _near(price: float, more: float) -> list[dict[str, Any]]:
    """Two devices: two texts of the second cost so much more than four of the first."""
    few, many = _device("B", 2, 256.0, 2.0**20, 0.0), _device("A", 4, 256.0, 2.0**20, 0.0)
    few["price_per_hour"] = (price + more) * 3600e-6 * 2 / (2.25 / 256)
    many["price_per_hour"] = price * 3600e-6 * 4 / (2.5 / 256)
    return [many, few]


def _drawn_tied(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Devices with equal prices, two of them from the same batch on; and two near prices."""
    given = {"model": _MODEL, "length": 1024, "least_per_s": 1.0}
    listed = [_draw_flat(rng, other) for other in (0.8, 0.8, 0.8, 1.25)]
    listed.append(_near(float(rng.integers(1, 10)), float(rng.uniform(2e-8, 6e-8))))
    listed.append(_near(float(rng.integers(1000, 3000)), float(rng.uniform(2e-3, 4e-3))))
    return [given | {"devices": devices} for devices in listed]


def _draw_flat(rng: np.random.Generator, other: float) -> list[dict[str, Any]]:
    """From some batch on, three devices cost the same; one of them reads ``other`` times as fast.

    A million tokens cost a whole number of 360ths there: rounding has only one way to go.
    """
    first, reads = int(rng.integers(6, 30)), float(rng.integers(100, 400))
    computes = reads / (0.125 + 2 / first)  # arithmetic is as long as reading with so many
    price = computes * int(rng.integers(60, 900)) / 10**5
    pairs = ((reads, price), (reads, price), (other * reads, price), (reads, 2 * price))
    rooms, names = first + rng.integers(9, 25, 4), rng.permutation(["A", "B", "C", "D"])
    devices = [
        _device(str(name), int(texts), reads_at, computes, cost)
        for name, texts, (reads_at, cost) in zip(names, rooms, pairs, strict=True)
    ]
    return [devices[place] for place in rng.permutation(4)]


def _judge_choice(case: Case, observed: Plain) -> Iterable[Fault]:
    given = {name: one for name, one in case.inputs.items() if name != "call"}
    right, name, batch = cheapest(**given), observed["name"], observed["batch"]
    if (name, batch) == (right and right.name, right and right.batch):
        return
    unready = _not_right(given, observed["own"])
    if unready:
        told = f"`{unready}` is not right yet for these devices, and `cheapest` may be built on it"
        yield Undecided(case.decides[0], told)
        return
    asked = f"`{call_text(case)}`"
    wanted = f"{right.name, right.batch}: {_told(right)}" if right else "None"
    if name is None:
        none = f"{asked} gave None, expected {wanted}"
        yield Fault(case.decides[0], none, "Which batches fit on these devices?")
        return
    yield Fault(
        case.decides[0],
        f"{asked} gave {name, batch}{_what_it_is(given, name, batch)}; expected {wanted}",
    )


def _not_right(given: Given, own: Iterable[Mapping[str, Any]]) -> str:
    """Which other function of the learner's is wrong for these devices; "" where none is seen."""
    model, length, devices = given["model"], given["length"], given["devices"]
    for one in own:
        device, batch = devices[one["place"]], one["batch"]
        truths = {
            "texts_that_fit": lambda device=device: texts_that_fit(model, length, device),
            "step_s": lambda device=device, batch=batch: step_s(model, batch, length, device),
            "speeds": lambda: list(speeds(*SAMPLE_SPEEDS).values()),
            "per_million": lambda: per_million(*SAMPLE_PRICE),
        }
        truth, got = truths[one["call"]](), one["result"]
        pairs = zip(np.atleast_1d(got), np.atleast_1d(truth), strict=True)
        if got is None or not all(is_close(*pair, rel=1e-6) for pair in pairs):
            return one["call"]
    return ""


def _what_it_is(given: Given, name: str, batch: int) -> str:
    """What the learner's choice costs, or why it is none."""
    places = [place for place, one in enumerate(given["devices"]) if one["name"] == name]
    if not places or batch < 1:
        return ", which is no choice"
    model, length, devices = given["model"], given["length"], given["devices"]
    fits = texts_that_fit(model, length, devices[places[0]])
    if batch > fits:
        return f", where {fits} texts fit"
    return f": {_told(choice(model, length, devices, places[0], batch))}"


def _told(one: Choice) -> str:
    return f"{float(one.price):.8g} a million, {float(one.user_per_s):.4g} tokens/s each"


def _chosen(name: str, says: str, points: float, asks: str, after: tuple[str, ...] = ()) -> Any:
    return Property(name, says, points, asks, _judge_choice, after)


JUDGE = Judge(
    title="What should it run on?",
    properties=(
        right_result(
            "fit",
            "`texts_that_fit`: whole texts in addition to the weights",
            1,
            {"texts_that_fit": texts_that_fit},
            asks="How many bytes do the weights leave free, and how many does one text of this "
            "length need?",
            unit="texts",
        ),
        right_result(
            "too-big",
            "`texts_that_fit` is 0 where the weights leave no room",
            0.5,
            {"texts_that_fit": texts_that_fit},
            asks="How much room do these weights leave? How many texts is that?",
            unit="texts",
            after=("fit",),
        ),
        right_result(
            "bytes",
            "`step_s` where reading takes longer",
            1,
            {"step_s": step_s},
            asks="Which bytes does a step read: once, and for each text? How long does that take?",
            unit="s",
        ),
        right_result(
            "arithmetic",
            "`step_s` where arithmetic takes longer",
            1,
            {"step_s": step_s},
            asks="How many FLOP does one token of each text take, and how long does the device "
            "need for all of them?",
            unit="s",
        ),
        right_result(
            "speeds",
            "`speeds` of all texts, and of one",
            0.5,
            {"speeds": speeds},
            asks="How many tokens does one step make, and how many of them are for one text?",
        ),
        right_result(
            "price",
            "`per_million`: the price of a million tokens",
            0.5,
            {"per_million": per_million},
            asks="How many tokens are made in the hour that you pay for?",
        ),
        _chosen(
            "cheapest",
            "`cheapest` takes the cheapest tokens of all that fit",
            1,
            "Which batches fit on each device, and what do a million tokens cost with each?",
        ),
        _chosen(
            "fast-enough",
            "`cheapest` with a speed that each user must get",
            1,
            "Which batches give each user that many tokens a second, and which of those is "
            "cheapest?",
        ),
        _chosen(
            "ties",
            "`cheapest` among equal prices",
            0.5,
            "Which choices cost the same, rounded to six digits after the decimal point? And "
            "which of those comes first by the rules?",
        ),
        _chosen(
            "none",
            "`cheapest` gives None where there is no choice",
            0.5,
            "Does any batch fit here, and is any fast enough?",
            ("cheapest",),
        ),
        left_alone(0.5, ("fit", "bytes", "speeds", "price", "cheapest")),
    ),
    hints=(
        "Everything is an amount over a rate, with a step as the unit. What does one step read, "
        "compute and make?",
        "A step reads `parameters * weight_bits / 8` bytes once, and `length * token_bytes` for "
        "each text. The memory has to hold both of these, too.",
        "For `cheapest`, go through all devices and all batches that fit, skip what is too slow, "
        "and collect `(round(price, 6), batch, place)`: `min` of such tuples settles ties.",
    ),
    cases=cases,
    predictions={
        "what-to-serve-on": Prediction(
            "8 billion weights of 16 bits, 4,000 GB/s, one text, 3.60 an hour: the price of a "
            "million tokens?",
            truth=4.0,
            because="16 GB take 4 ms to read, so a million tokens take 4,000 s, and a second costs "
            "0.001. With 100 texts in the batch, the same reading makes 100 tokens.",
        )
    },
)
