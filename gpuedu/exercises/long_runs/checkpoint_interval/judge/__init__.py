"""checkpoint-interval: how often to save, judged by the time that is expected to be lost."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.functions import RESULT, call_case, call_text, right_result
from gpuedu.exercises.long_runs.expectation_alone import best_exponential, exponential_waste
from gpuedu.exercises.long_runs.interrupted_run import Saving

_TOLERANCE = 1.02
_HOUR = 3600.0


def first_order(
    interval_s: float, save_s: float, write_s: float, restart_s: float, mtbf_s: float
) -> float:
    """A save for each interval, and what a failure loses for each mean time between failures."""
    return save_s / interval_s + (restart_s + write_s + interval_s / 2) / mtbf_s


def cases(rng: np.random.Generator) -> list[Case]:
    """Costs of all sizes against the time between failures, for few nodes and for many."""
    return [*_estimates(rng), *_short_saves(rng), *_long_saves(rng), *_slow_writes(rng)]


def _estimates(rng: np.random.Generator) -> Iterator[Case]:
    yield call_case(
        "waste", "waste", interval_s=1000, save_s=20, write_s=0, restart_s=300, mtbf_s=10_000
    )
    for _ in range(4):
        yield call_case(
            "waste",
            "waste",
            interval_s=float(rng.integers(300, 5000)),
            save_s=float(rng.integers(5, 200)),
            write_s=float(rng.integers(10, 250)),
            restart_s=float(rng.integers(60, 900)),
            mtbf_s=float(rng.integers(3000, 90_000)),
        )


def _interval(decides: str, saving: Saving, mtbf_s: float, nodes: int) -> Case:
    given = {"save_s": saving.save_s, "write_s": saving.write_s, "restart_s": saving.restart_s}
    node_mtbf_s = float(round(mtbf_s * nodes))
    return call_case(decides, "best_interval", **given, node_mtbf_s=node_mtbf_s, nodes=nodes)


def _short_saves(rng: np.random.Generator) -> Iterator[Case]:
    # Intervals of more than a day, and of a minute and a half.
    yield _interval("short", Saving(_HOUR, 0.0, 300.0), 600 * _HOUR, 1)
    yield _interval("short", Saving(1.0, 0.0, 10.0), _HOUR, 2048)
    for place, nodes in enumerate((16, *map(int, rng.integers(64, 9000, 4)))):
        mtbf_s = float(rng.uniform(3, 80)) * _HOUR
        save_s = float(max(1, round(mtbf_s * rng.uniform(0.001, 0.015))))
        best_s = math.sqrt(2 * save_s * mtbf_s)
        write_s = float(round(best_s * rng.uniform(0.3, 0.7)))
        restart_s = 0.0 if place == 0 else float(round(best_s * rng.uniform(0.1, 0.5)))
        yield _interval("short", Saving(save_s, write_s, restart_s), mtbf_s, nodes)


def _long_saves(rng: np.random.Generator) -> Iterator[Case]:
    yield _interval("long", Saving(300.0, 0.0, 60.0), 600.0, 4096)
    for share in (*rng.uniform(0.38, 1.3, 4), *rng.uniform((0.15, 1.8), (0.25, 3.0))):
        mtbf_s = float(round(rng.uniform(900, 4000)))
        save_s = float(round(share * mtbf_s))
        restart_s = float(round(mtbf_s * rng.uniform(0.02, 0.2)))
        nodes = int(rng.integers(2000, 30_000))
        yield _interval("long", Saving(save_s, 0.0, restart_s), mtbf_s, nodes)


def _slow_writes(rng: np.random.Generator) -> Iterator[Case]:
    """Writes longer than the best interval; the last is shorter, and isn't the interval."""
    for least, most in ((1.8, 3.5), (1.8, 3.5), (1.8, 3.5), (0.3, 0.4)):
        mtbf_s = float(round(rng.uniform(2, 9) * _HOUR))
        save_s = float(rng.integers(1, 8))
        write_s = float(round(math.sqrt(2 * save_s * mtbf_s) * rng.uniform(least, most)))
        nodes = int(rng.integers(500, 9000))
        yield _interval("written", Saving(save_s, write_s, 120.0), mtbf_s, nodes)


def _least(name: str, says: str, points: float, asks: str) -> Property:
    """The expected waste is at most 2% above the least that can be had."""

    def test(case: Case, observed: Plain) -> Iterator[Fault]:
        given, got = case.inputs, observed[RESULT]
        saving = Saving(given["save_s"], given["write_s"], given["restart_s"])
        mtbf_s = given["node_mtbf_s"] / given["nodes"]
        told = f"`{call_text(case)}` gave {show(got)} s"
        if not 0 < got < math.inf:
            yield Fault(name, f"{told}, expected a positive number of seconds")
        elif got < saving.write_s * (1 - 1e-9):
            yield Fault(
                name, f"{told}, and the last save is only written after {show(saving.write_s)} s"
            )
        else:
            least = exponential_waste(best_exponential(saving, mtbf_s), saving, mtbf_s)
            waste = exponential_waste(got, saving, mtbf_s)
            if not waste <= _TOLERANCE * least:
                yield Fault(
                    name,
                    f"{told}: expect to lose {_few(waste)} s for each second that is kept, where "
                    f"{_few(least)} s is the least",
                )

    return Property(name, says, points, asks, test)


def _few(value: float) -> str:
    return f"{value:.4g}"


JUDGE = Judge(
    title="How often to save",
    properties=(
        right_result(
            "waste",
            "`waste` is the first estimate",
            2,
            {"waste": first_order},
            asks="What does each save cost, what each failure, and how often do they come?",
        ),
        _least(
            "short",
            "`best_interval` loses at most 2% more than the minimum, where saves are short",
            2,
            "How often does some node fail, and what does the training itself pay for a save?",
        ),
        _least(
            "long",
            "... and where a save takes much of the time between failures",
            2,
            "How much longer does an interval take, on average, if it often has to start over?",
        ),
        _least(
            "written",
            "... and where writing takes longer than you would train",
            1,
            "When may the next save start?",
        ),
    ),
    hints=(
        "For `waste`, go through one mean time between failures: how many saves are in it, and "
        "what's lost with the one failure? With nodes that fail independently, how does the time "
        "between failures depend on their number?",
        "Where a save takes half the time between failures, a failure during a save or a restart "
        "is no longer rare, so `sqrt(2 * save_s * mtbf_s)` is too long. The text has the exact "
        "time of an interval. Which intervals could you try it on?",
        "Divide the expected time by the interval, and look for its minimum between `write_s` and "
        "the mean time between failures: try a few thousand intervals in a geometric series, or "
        "halve the range again and again. The minimum is never above the mean time between "
        "failures, unless `write_s` is.",
    ),
    cases=cases,
    predictions={
        "checkpoint-interval": Prediction(
            "A machine with 8 GPUs fails once in 6,300 hours, on average. How many hours pass "
            "between two failures of a run on 2,048 of them?",
            3.08,
            "h",
            because="2,048 machines fail 2,048 times as often: 6,300 / 2,048 hours.",
        )
    },
)
