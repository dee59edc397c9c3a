"""cost-and-energy: units, wraps and what is divided by what."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from gpuedu.choosing import costs
from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.functions import call_case, right_result


def run(**given: float) -> dict[str, float]:
    """The four numbers, by the names that the exercise gives them."""
    cost = asdict(costs.run_cost(**given))
    return {"kWh" if name == "kwh" else name: value for name, value in cost.items()}


def cases(rng: np.random.Generator) -> list[Case]:
    """One device and several, drawn prices, counters that start again once and twice."""
    drawn = []
    for devices in (1, int(rng.integers(2, 65))):
        given = {"steps": 100 * int(rng.integers(50, 900)), "step_s": _digits(rng, 0.05, 3)}
        given |= {"devices": devices, "power_w": 10 * int(rng.integers(7, 130))}
        given |= {"pue": _digits(rng, 1.05, 1.9), "price_per_hour": _digits(rng, 0.3, 9)}
        drawn.append(call_case("run", "run_cost", **given, g_per_kwh=int(rng.integers(20, 900))))
    for _ in range(2):
        rates = {
            "price_per_hour": _digits(rng, 0.3, 9),
            "tokens_per_s": 10 * int(rng.integers(5, 900)),
        }
        drawn.append(call_case("tokens", "per_million", **rates))
    wraps_at = 2**18 * int(rng.integers(50_000, 99_999))
    steps = rng.integers(1, wraps_at, 6) // 5
    steady = np.cumsum([int(wraps_at * 0.001), *steps[:3]])
    drawn.append(_counted("energy", steady, wraps_at))
    start = int(wraps_at * 0.97)
    once = np.cumsum([start, wraps_at // 20, int(steps[0]), int(steps[1])]) % wraps_at
    twice = np.cumsum([start, *[int(0.4 * wraps_at)] * 5]) % wraps_at
    drawn += [_counted("wraps", one, wraps_at) for one in (once, twice)]
    drawn.append(_counted("wraps", np.array([900, 100, 950, 20]), 1000))
    for idle in (0, int(rng.integers(20, 90))):
        time_s = _digits(rng, 5, 90)
        energy = float(round((idle + float(rng.uniform(40, 500))) * time_s))
        given = {"energy": energy, "idle_w": idle, "time_s": time_s}
        drawn.append(call_case("each", "joules_each", **given, results=int(rng.integers(3, 5000))))
    # Often, by a little, and not at all; and a list with nothing to compare.
    often = [900, 100, 950, 20, 980, 10, 700, 690, 690, 30]
    drawn.append(_counted("wraps", np.array(often), 1000))
    drawn.append(_counted("energy", np.array([700, 1400, 1400, 1900]), 4000))
    drawn.append(_counted("energy", np.array([700]), 4000))
    single = {"energy": 900.0, "idle_w": 20, "time_s": 12.5, "results": 1}
    return [*drawn, call_case("each", "joules_each", **single)]


def _digits(rng: np.random.Generator, low: float, high: float) -> float:
    return float(f"{rng.uniform(low, high):.3g}")


def _counted(decides: str, readings: np.ndarray, wraps_at: int) -> Case:
    whole = [int(one) for one in readings]
    return call_case(decides, "energy_j", readings=whole, wraps_at=wraps_at)


JUDGE = Judge(
    title="What does it cost?",
    properties=(
        right_result(
            "run",
            "`run_cost`: hours, kWh, money and kg of CO2",
            2,
            {"run_cost": run},
            asks="In which order are the four numbers? Write the units beside each factor: which "
            "of them grow with the number of devices, and which with the PUE?",
        ),
        right_result(
            "tokens",
            "`per_million`",
            1,
            {"per_million": costs.per_million},
            asks="How many seconds do a million tokens take, and what does a second cost?",
        ),
        right_result(
            "energy",
            "`energy_j` of a counter that only grows",
            1,
            {"energy_j": costs.energy_j},
            asks="How far did the counter move in all, and in which unit does it count?",
            unit="J",
        ),
        right_result(
            "wraps",
            "`energy_j` of a counter that starts again",
            1,
            {"energy_j": costs.energy_j},
            asks="Between two readings the counter may start again from 0. How far did it move "
            "then?",
            unit="J",
        ),
        right_result(
            "each",
            "`joules_each`, beyond what an idle machine draws",
            1,
            {"joules_each": costs.joules_each},
            asks="How much of the energy would have been drawn anyway?",
            unit="J",
        ),
    ),
    hints=(
        "kWh: watts times hours, divided by 1000. The clock's hours are not the devices' hours.",
        "For a counter: `(after - before) % wraps_at` is right whether it started again or not.",
        "An idle machine draws `idle_w * time_s` joules.",
    ),
    cases=cases,
    predictions={
        "cost-and-energy": Prediction(
            "kWh in a day of a GPU that draws 700 W, at a PUE of 1.2?",
            truth=700 * 1.2 * 24 / 1000,
            unit="kWh",
            because="0.7 kW for 24 hours are 16.8 kWh, and the building takes 20% on top.",
        )
    },
)
