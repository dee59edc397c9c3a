"""accumulate: four ways to add in 16 bits, judged bit for bit or by what their rounding allows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from gpuedu.exercises.compare import show, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.mixed_precision.accumulate.judge import sums

_FLOAT32_STEP = 2.0**-24


def cases(rng: np.random.Generator) -> list[Case]:
    """No number, one, few, thousands; of one size and of many, of one sign and of both."""
    ones = np.ones(6_000)
    some = [(rng.uniform(0, 1, 300), rng.uniform(0.5, 1, 300)) for _ in range(6)]
    return [
        *(case for prop in _SUMS for case in _sums(prop, rng)),
        _dot("products", "a product above 65,504", [300.0, -300.0, 1.5], [300.0, 300.0, 2.0]),
        _dot(
            "products", "products below 2**-25", np.full(40, 1.5e-4), rng.uniform(1e-4, 1.5e-4, 40)
        ),
        _dot("products", "50 products that round down in fp16", *_rounded_down(rng, 50)),
        _dot("wide-sum", "6,000 times 0.01 * 1", np.full(6_000, 0.01), ones),
        *(_dot("wide-sum", "300 numbers from 0 to 1", *_exact_products(a, b)) for a, b in some),
        _dot("wide-sum", "no number", [], []),
    ]


def _sums(prop: str, rng: np.random.Generator) -> Iterator[Case]:
    mixed = rng.standard_normal(512) * 2.0 ** rng.integers(-8, 4, 512)
    # Can be followed by hand. So much larger than the total that what was lost is not had exactly.
    odd = 2 * int(rng.integers(512, 1_024)) + 1
    yield _sum(prop, f"0.5, then {odd:,}", [0.5, odd])
    for _ in range(3):  # a sum so small that it shows what rounding did on the way
        half = rng.uniform(1, 9, 240).astype(np.float16)
        small = rng.uniform(0, 0.01, 32)
        both = np.concatenate([half, -half, small])
        yield _sum(prop, "512 numbers, of which most cancel", rng.permutation(both))
    # A pairwise sum is asked for of a power of 2 of numbers only.
    counts = (128, 1_024, 4_096) if prop == "pairwise" else (100, 1_000, 6_000)
    yield from (_sum(prop, f"{n:,} times 0.01", np.full(n, 0.01)) for n in counts)
    for n in (2, 8, 32, 1_024) if prop == "pairwise" else (3, 7, 33, 1_023):
        yield _sum(prop, f"{n:,} numbers from 0 to 1", rng.uniform(0, 1, n))
    yield _sum(prop, "512 numbers of both signs", mixed)
    yield _sum(prop, "1024, then 2,047 small ones", [1024.0, *rng.uniform(0, 0.5, 2_047)])
    yield _sum(prop, "one number", [float(rng.uniform(1, 2))])
    yield _sum(prop, "no number", [])


def _sum(prop: str, label: str, values: Iterable[float]) -> Case:
    given = np.asarray(values, np.float64).astype(np.float16)
    return Case(label, {"ask": prop, "values": given}, (prop,))


def _dot(prop: str, label: str, a: Iterable[float], b: Iterable[float]) -> Case:
    a, b = (np.asarray(x, np.float64).astype(np.float16) for x in (a, b))
    return Case(label, {"ask": "dot", "a": a, "b": b}, (prop,))


def _exact_products(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factors of six bits, whose products float16 holds: only their sum is rounded."""
    return np.floor(a * 64) / 64, np.floor(b * 32) / 32


def _rounded_down(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs whose product float16 rounds down, by a quarter of a step at least."""
    a, b = (rng.uniform(1, 1.4, 40 * n).astype(np.float16) for _ in range(2))
    lost = a.astype(np.float64) * b - (a * b).astype(np.float64)
    chosen = np.flatnonzero(lost > 2.0**-12)[:n]
    return a[chosen], b[chosen]


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Bit for bit, where the order of additions is fixed; else within the bound of any order."""
    if case.inputs["ask"] == "dot":
        yield from _judge_dot(case, observed["got"])
        return
    prop, values, got = case.inputs["ask"], case.inputs["values"], observed["got"]
    right = _SUMS[prop](values)
    if got not in right:
        told, wanted = show_apart(got, right[0])
        true = show(sums.exact(values))
        yield Fault(prop, f"`{prop}_sum` gave {told}, expected {wanted}; the true sum is {true}")


_SUMS: dict[str, Callable[[np.ndarray], tuple[float, ...]]] = {
    "running": lambda values: (sums.running(values),),
    "pairwise": sums.pairwise_orders,
    "kahan": lambda values: (sums.kahan(values),),
}


def _judge_dot(case: Case, got: float) -> Iterable[Fault]:
    """Within n roundings of float32, each of at most half a step: the bound of any order.

    Where products are asked for, a result that was rounded once, at the end, has them right.
    """
    a, b = case.inputs["a"], case.inputs["b"]
    truth, size = sums.exact_dot(a, b)
    bound = 1.01 * a.size * _FLOAT32_STEP * size
    with np.errstate(over="ignore"):
        is_rounded = got == float(np.float16(got))
    if case.decides == ("products",) and is_rounded:
        bound += 0.5 * float(np.spacing(np.float16(abs(truth))))
    if not abs(got - truth) <= bound:
        told, wanted = show_apart(got, truth)
        yield Fault(case.decides[0], f"`dot` gave {told}, expected {wanted} (within {bound:.1g})")


_ADDITIONS = (
    "Follow the first few additions by hand, each rounded to float16. Which is the first that "
    "yours does differently?"
)
_DOT = "Take the first two pairs of numbers. What does `dot` compute of them, and in which format?"


JUDGE = Judge(
    title="How much is lost when you add?",
    properties=(
        Property(
            "running",
            "`running_sum`: left to right, every addition rounded to float16",
            1,
            _ADDITIONS,
        ),
        Property(
            "pairwise",
            "`pairwise_sum`: in rounds that halve, every addition rounded to float16",
            2,
            _ADDITIONS,
        ),
        Property(
            "kahan",
            "`kahan_sum`: what an addition loses goes to the next, all in float16",
            2,
            _ADDITIONS,
        ),
        Property("products", "`dot`: products of float16 numbers, not rounded to float16", 1, _DOT),
        Property("wide-sum", "`dot`: added up in float32 (or in float64)", 1, _DOT),
    ),
    hints=(
        "What are the types of `total` and of each number, and so of their sum? For "
        "`pairwise_sum`: what do `values[0::2]` and `values[1::2]` hold? For `dot`: when is it too "
        "late to leave float16?",
        "`running_sum` begins with `np.float16(0)`. `pairwise_sum` repeats `values = values[0::2] "
        "+ values[1::2]` while there is more than one. "
        "In `kahan_sum`, `new - total` is what was really added. `dot` multiplies float32 arrays.",
        "Kahan, for each value: `wanted = value + lost`, `new = total + wanted`, `lost = wanted - "
        "(new - total)`, `total = new`. `dot`: `np.dot(a.astype(np.float32), "
        "b.astype(np.float32))`. An empty array has the sum 0.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "accumulate": Prediction(
            "What value does a running fp16 sum of 0.01 never get past?",
            truth=32,
            exact=True,
            because="From 32 on the steps are 1/32, and 0.01 is less than half of that: the sum "
            "rounds back to where it was. (From 16 to 32 the steps are 1/64, and every 0.01 counts "
            "as one: there it grows too fast.)",
        )
    },
)
