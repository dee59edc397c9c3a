"""spot-or-not: interrupted runs by simulation and by formula, and the best interval."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.choosing import spot
from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.functions import arguments_of, call_case, call_text, right_result

_MORE = 1.001
"""How many times the fewest expected hours an interval may take."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Each rule of the simulation alone, then several interruptions; rates; all of it drawn."""
    hour = float(rng.integers(2, 6)) / 2
    plan = {"interval_h": hour, "save_h": 0.125, "restart_h": 0.4375}
    step = hour + 0.125
    drawn = [
        _run("steady", [], 5.5 * hour, plan),
        _run("steady", [], 4 * hour, plan),
        _run("steady", [], 0.75 * hour, plan),
        _run("lost", [2.5 * step], 5.5 * hour, plan),
        _run("lost", [2 * step - 0.0625], 5.5 * hour, plan),
        _run("lost", [step + 0.25], 5.5 * hour, plan),  # a restart would not fit as well
        _run("lost", [2 * step], 5.5 * hour, plan),
        _run("lost", [4 * step + 0.5 * hour], 4.75 * hour, plan),
        _run("lost", [2 * step + 0.5 * hour], 2.5 * hour, plan),  # ends with the stretch
        # All the work would fit, but not the save that it needs.
        _run("lost", [hour + 0.09375], hour + 0.0625, plan),
        _run("again", [2.5 * step, 0.25, 1.75 * step], 5.5 * hour, plan),
        _run("again", [2.5 * step, 0.25, step + 0.25], 5.5 * hour, plan),  # no whole restart
        _run("again", [0.5 * step, 0.5 + 1.25 * step, 0.5 + 2 * step, 4.0], 7.5 * hour, plan),
    ]
    for _ in range(2):
        rates = _rates(rng)
        work, interval = float(rng.integers(20, 200)), float(f"{rng.uniform(0.2, 3):.3g}")
        drawn.append(call_case("formula", "expected_h", work_h=work, interval_h=interval, **rates))
    drawn += [call_case("best", "best_interval", **_rates(rng)) for _ in range(2)]
    short = {
        "save_h": 0.5,
        "restart_h": 0.25,
        "mean_h": float(rng.choice([5, 6, 7, 9, 10, 11])) / 8,
    }
    drawn.append(call_case("short", "best_interval", **short))
    # Days, seconds, and a save that is nearly twice as long as a stretch.
    for decides, *given in (
        ("best", 2.0, 0.5, 2000.0),
        ("best", 0.0002, 0.01, 0.5),
        ("short", 0.95, 0.25, 0.5),
    ):
        rates = dict(zip(("save_h", "restart_h", "mean_h"), given, strict=True))
        drawn.append(call_case(decides, "best_interval", **rates))
    drawn += [_drawn_run(rng, "lost", 1) for _ in range(4)]
    drawn += [_drawn_run(rng, "again", int(rng.integers(2, 6))) for _ in range(4)]
    for _ in range(3):
        save = float(f"{rng.uniform(0.2, 2):.2g}")
        short = {"save_h": save, "restart_h": 0.25, "mean_h": round(save * rng.uniform(0.6, 3), 3)}
        drawn.append(call_case("short", "best_interval", **short))
    # Neither rare nor often: a first guess is off here, too. Whole hours are fine enough.
    save = float(f"{rng.uniform(20, 60):.2g}")
    seldom = {"save_h": save, "restart_h": 0.25, "mean_h": round(save * rng.uniform(14, 18), 3)}
    return [*drawn, call_case("best", "best_interval", **seldom)]


def _drawn_run(rng: np.random.Generator, decides: str, interruptions: int) -> Case:
    """A run of which everything is drawn, in parts of an hour that floats add up exactly."""
    plan = {
        "interval_h": float(rng.integers(16, 96)) / 32,
        "save_h": float(rng.integers(2, 16)) / 32,
        "restart_h": float(rng.integers(4, 24)) / 32,
    }
    work = plan["interval_h"] * float(rng.integers(16, 40)) / 8
    up = (float(one) / 64 for one in rng.integers(16, 256, interruptions))
    return _run(decides, list(up), work, plan)


def _run(decides: str, up_h: list[float], work_h: float, plan: dict[str, float]) -> Case:
    return call_case(decides, "run_h", up_h=up_h, work_h=work_h, **plan)


def _rates(rng: np.random.Generator) -> dict[str, float]:
    return {
        "save_h": float(f"{rng.uniform(0.01, 0.2):.2g}"),
        "restart_h": float(f"{rng.uniform(0.05, 0.5):.2g}"),
        "mean_h": float(rng.integers(10, 80)),
    }


def interval_faults(name: str) -> object:
    """A test: the expected hours of the learner's interval are near the fewest."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        rates, got = arguments_of(case), observed["result"]
        best = spot.best_interval(**rates)
        fewest = spot.expected_h(1, best, **rates)
        if not 0 < got < 100 * rates["mean_h"]:
            yield Fault(name, f"`{call_text(case)}` gave {show(got)}, about {best:.3g} is best")
            return
        hours = spot.expected_h(1, got, **rates)
        if hours > _MORE * fewest:
            yield Fault(
                name,
                f"`{call_text(case)}` gave {show(got)}: an hour of work then takes {hours:.6g} "
                f"hours, and at best {fewest:.6g}",
            )

    return test


JUDGE = Judge(
    title="Spot machines",
    properties=(
        right_result(
            "steady",
            "`run_h` without an interruption",
            0.5,
            {"run_h": spot.run_h},
            asks="How long is each piece of work, the last one too, and what follows each of them?",
            unit="h",
        ),
        right_result(
            "lost",
            "`run_h`: an interruption loses what is not saved",
            1.5,
            {"run_h": spot.run_h},
            asks="Which saves are complete when the machine is taken away? From where does the "
            "run go on?",
            unit="h",
        ),
        right_result(
            "again",
            "`run_h` with several interruptions, also of a restart",
            1.5,
            {"run_h": spot.run_h},
            asks="Go through the stretches one by one: what is saved after each?",
            unit="h",
        ),
        right_result(
            "formula",
            "`expected_h`",
            1,
            {"expected_h": spot.expected_h},
            asks="How many pieces are there, and what does one take?",
            unit="h",
        ),
        Property(
            "best",
            "`best_interval` takes at most 0.1% more than the fewest hours",
            1.5,
            "What does `expected_h` say of your interval, and of one a little shorter or longer?",
            interval_faults("best"),
        ),
        Property(
            "short",
            "`best_interval` where interruptions come often",
            1,
            "What does `expected_h` say of your interval, and of one a little shorter or longer?",
            interval_faults("short"),
        ),
    ),
    hints=(
        "Keep two numbers: how much work is saved, and how late it is in this stretch.",
        "A piece and its save belong together: if the stretch ends before the save does, both are "
        "lost.",
        "For the best interval try many, each 1% longer than the one before, and take the minimum.",
    ),
    cases=cases,
    predictions={
        "spot-or-not": Prediction(
            "hours of work that an interruption costs on average, if you save every hour?",
            truth=0.5,
            unit="hours",
            because="It can come at any moment between two saves, so on average half of an "
            "interval is lost. Saving twice as often halves that, and doubles what the saves take.",
        )
    },
)
