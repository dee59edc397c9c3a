"""alpha-beta: what a ring costs, and the link from the times of all-reduces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gpuedu.exercises.collectives.alpha_beta.judge.link_times import (
    SIZES,
    apart_times,
    exact_times_s,
    fit_by_shares,
    scattered_times,
    uneven_times_s,
)
from gpuedu.exercises.compare import is_close, number_fault, show, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.multi.network import Link, algorithm_bandwidth, bus_bandwidth, ring_all_reduce_s
from gpuedu.units import GB, US, format_size, format_time

_EXACT = 1e-5
"""Rounding of least squares whose columns differ by many decades, with room."""
_CLOSE = 0.01
"""How far predictions may be off those of least squares by shares of the measured times. Where
times are off by 3 to 6%, a line through two of them, or other weights, differ by 2% and more on
one of the cases at least. Shares of the fitted times, or logarithms, do so where times are off
by 24 to 30%, as does an alpha that was kept from being negative there."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Latency alone, bytes alone, both; links to be found again; sizes that were not timed."""
    drawn = []
    for ranks in (3, 1, 2, 8, int(rng.integers(100, 1000))):
        drawn.append(_time_case(rng, ranks, 0, "steps"))
    for ranks in (3, 2, 8, int(rng.integers(20, 200))):
        drawn.append(_time_case(rng, ranks, int(rng.integers(10**8, 10**9)), "chunks", alpha=False))
        drawn.append(_time_case(rng, ranks, int(rng.integers(10**5, 10**6)), "chunks"))
    for ranks in (3, 2, 4, 8):
        drawn.append(_fit_case(rng, ranks, "fit"))
        drawn.append(_fit_case(rng, ranks, "predicts"))
    for ranks in (3, 8):
        link = _link(rng)
        inputs = _fit_inputs(ranks, *apart_times(rng, ranks, link))
        drawn.append(Case(f"{_label(inputs)}, uneven, none in the middle", inputs, ("predicts",)))
    link = _link(rng)
    inputs = _fit_inputs(4, *scattered_times(rng, 4, link))
    drawn.append(Case(f"{_label(inputs)}, off by up to 30%", inputs, ("predicts",)))
    for ranks in (5, 1, 64):
        inputs = {
            "ask": "bandwidths",
            "ranks": ranks,
            "size_bytes": int(rng.integers(10**6, 10**9)),
            "time_s": float(rng.integers(10, 10**4)) * US,
        }
        drawn.append(Case(_label(inputs), inputs, ("bandwidths",)))
    return drawn


def _link(rng: np.random.Generator) -> Link:
    return Link("drawn", float(rng.integers(50, 200)) * 1e-7, float(rng.integers(10, 400)) * 1e8)


def _time_case(
    rng: np.random.Generator, ranks: int, size: int, prop: str, alpha: bool = True
) -> Case:
    link = _link(rng)
    inputs = {
        "ask": "time",
        "ranks": ranks,
        "size_bytes": size,
        "alpha_s": link.latency_s if alpha else 0.0,
        "bytes_per_s": link.bytes_per_s,
    }
    return Case(_label(inputs), inputs, (prop,))


def _fit_case(rng: np.random.Generator, ranks: int, prop: str) -> Case:
    link = _link(rng)
    exact = prop == "fit"
    times = exact_times_s(ranks, link) if exact else uneven_times_s(rng, ranks, link)
    inputs = _fit_inputs(ranks, SIZES, times)
    label = _label(inputs) + ("" if exact else ", uneven")
    return Case(label, inputs, (prop,), link if exact else None)


def _fit_inputs(ranks: int, sizes: Sequence[int], times_s: Sequence[float]) -> dict[str, Any]:
    return {
        "ask": "fit",
        "ranks": ranks,
        "sizes_bytes": list(map(float, sizes)),
        "times_s": list(times_s),
    }


def _label(inputs: Mapping[str, Any]) -> str:
    said = f"{inputs['ranks']} rank{'' if inputs['ranks'] == 1 else 's'}"
    if inputs["ask"] == "fit":
        return f"{said}, {len(inputs['sizes_bytes'])} times"
    return f"{said}, {format_size(inputs['size_bytes'])}"


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Whether the one property that the case decides holds."""
    inputs = case.inputs
    if inputs["ask"] == "time":
        yield from _judge_time(case.decides[0], inputs, observed["got"])
    elif inputs["ask"] == "bandwidths":
        yield from _judge_bandwidths(inputs, observed["got"])
    elif case.decides == ("fit",):
        yield from _judge_fit(case, observed["alpha_s"], observed["bytes_per_s"])
    else:
        yield from _judge_predictions(inputs, observed["alpha_s"], observed["bytes_per_s"])


def _judge_time(prop: str, inputs: Mapping[str, Any], got: float) -> Iterable[Fault]:
    given = {name: inputs[name] for name in ("ranks", "size_bytes", "alpha_s", "bytes_per_s")}
    link = Link("given", inputs["alpha_s"], inputs["bytes_per_s"])
    expected = ring_all_reduce_s(inputs["ranks"], inputs["size_bytes"], link)
    call = f"ring_s({', '.join(show(value) for value in given.values())})"
    yield from number_fault(prop, call, got, float(expected), unit="s")


def _judge_fit(case: Case, alpha_s: float, rate: float) -> Iterable[Fault]:
    ranks, wanted = case.inputs["ranks"], (case.truth.latency_s, case.truth.bytes_per_s)
    if is_close(alpha_s, wanted[0], _EXACT) and is_close(rate, wanted[1], _EXACT):
        return
    told = [show_apart(got, true) for got, true in zip((alpha_s, rate), wanted, strict=True)]
    yield Fault(
        "fit",
        f"the times are those of a ring of {ranks} ranks with alpha {told[0][1]} s and "
        f"{told[1][1]} bytes/s; your fit gave {told[0][0]} and {told[1][0]}",
    )


def _judge_predictions(inputs: Mapping[str, Any], alpha_s: float, rate: float) -> Iterable[Fault]:
    ranks = inputs["ranks"]
    best_s, beta_s = fit_by_shares(ranks, inputs["sizes_bytes"], inputs["times_s"])
    if not rate > 0:
        yield Fault("predicts", f"your fit gave a rate of {show(rate)} bytes/s, which is no rate")
        return
    for size in (2 * timed for timed in inputs["sizes_bytes"][:-1]):
        expected = 2 * (ranks - 1) * (best_s + size / ranks * beta_s)
        said = 2 * (ranks - 1) * (alpha_s + size / ranks / rate)
        if not abs(said - expected) <= _CLOSE * expected:
            yield Fault(
                "predicts",
                f"from uneven times, your fit gave alpha = {show(alpha_s)} s and "
                f"{show(rate / GB)} GB/s. For {format_size(size)} that predicts {_time(said)}, "
                f"where least squares of the shares predict {_time(expected)}",
            )
            return


def _time(time_s: float) -> str:
    return format_time(time_s) if time_s > 0 else f"{time_s * 1e6:.3g} µs"


def _judge_bandwidths(inputs: Mapping[str, Any], got: Sequence[float]) -> Iterable[Fault]:
    """A fault at the first of the two, algorithm and bus, that is off."""
    ranks, size, time_s = inputs["ranks"], inputs["size_bytes"], inputs["time_s"]
    wanted = algorithm_bandwidth(size, time_s), bus_bandwidth(ranks, size, time_s)
    for name, one, expected in zip(("algorithm", "bus"), got, wanted, strict=True):
        if not is_close(one, expected, 1e-6):
            told, right = show_apart(one / GB, expected / GB)
            yield Fault(
                "bandwidths",
                f"{format_size(size)} on {ranks} ranks in {format_time(time_s)}: your {name} "
                f"bandwidth is {told} GB/s, expected {right}",
            )
            return


JUDGE = Judge(
    title="What a ring costs",
    properties=(
        Property(
            "steps",
            "each of the ring's 2 (n - 1) steps costs alpha",
            1,
            asks="How many steps does a rank take, one after another, and what does a step "
            "without bytes cost?",
        ),
        Property(
            "chunks",
            "in each step S / n bytes pass, after alpha",
            1,
            asks="How many bytes does a rank send in one step, and how long does a step take, "
            "from its latency to its last byte?",
        ),
        Property(
            "fit",
            "from exact times, your fit finds alpha and the rate",
            2,
            asks="Time = 2 (n - 1) alpha + 2 (n - 1) / n times S over the rate: which columns is "
            "that, and what does the fit give for each?",
        ),
        Property(
            "predicts",
            "from uneven times, it predicts what least squares by shares of those times do",
            1,
            asks="Which errors does your fit make small: those in seconds, where the largest "
            "tensors "
            "decide everything, or those as shares of the measured times? Which of the times "
            "have a say in it? And does it find the link where times are exact?",
        ),
        Property(
            "bandwidths",
            "the algorithm's bandwidth, and that of the bus",
            1,
            asks="The algorithm bandwidth is the bytes of one tensor over the time. What did one "
            "rank send in that time?",
        ),
    ),
    hints=(
        "Write down what one rank of the ring does: how many steps in a row? What does one of them "
        "cost? Then the total time is a line in S: what are its two numbers, "
        "and how do alpha and the rate follow from them?",
        "Time = 2 (n - 1) alpha + [2 (n - 1) / n] S / rate. For the fit, a row of the table is "
        "`[2 (n - 1), 2 (n - 1) / n * S]`, and the right side is the time. Divide each row, and "
        "its right side, by the time: then the right side is 1, and an error is a share.",
        "`steps = 2 * (ranks - 1)`; `rows = np.stack([np.full(len(sizes_bytes), steps), steps / "
        "ranks * sizes_bytes], axis=1) / times_s[:, None]`; `alpha, beta = np.linalg.lstsq(rows, "
        "np.ones(len(rows)))[0]`; return `alpha, 1 / beta`. The bus carries `2 * (ranks - 1) / "
        "ranks` times the tensor.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "alpha-beta": Prediction(
            "8 GPUs, alpha 10 µs, 100 GB/s, 8 MB on each. How long does the ring take?",
            truth=280,
            unit="µs",
            because="14 steps, and in each of them 10 µs before 1 MB passes, for 10 µs more. Half "
            "of the time goes into latencies.",
        )
    },
)
