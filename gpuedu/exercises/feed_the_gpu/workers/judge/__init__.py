"""workers: how many loader workers pay, held against the simulation; and what numbers they draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from gpuedu.clock import simulate_loading
from gpuedu.exercises.compare import show, show_apart
from gpuedu.exercises.contract import (
    Case,
    Fault,
    Judge,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.feed_the_gpu.workers.stages import Stages, loading_of

_REL = 0.01
"""The simulation's rate is exact where its second half is whole rounds of the workers."""
_BATCHES = 120
_BEST = 0.995
_MOST = 64
"""More than any loop of the cases needs."""
_LIMITS = {"device": "limits", "disk": "limits", "cores": "limit"}
_LARGE = (0, 1, 2, 10, 11, 16, 64, 100, 128, 256, 1000, 1024, 10_000)
"""Numbers that collide where a seed has too few digits for an epoch or a worker."""
_LARGEST = (0, 1, 2**16 - 1, 2**16, 2**31, 2**32 - 1)
"""Up to the bound that the text gives: NumPy gives each number of a list 32 bits or more."""
_ROOT = 2**9
_STEPS = (*(2**bits for bits in range(32)), *(10**digits for digits in range(10)))
"""Factors that people take where they make one number of the three."""


_UNIT_S = 2.0**-9
"""Sums and quotients of its multiples are exact, and it is a whole number of nanoseconds."""
_WHOLE = tuple(
    Stages(*(part * _UNIT_S for part in parts), 4) for parts in ((1, 7, 1, 3), (2, 10, 1, 3))
)
"""Two and three workers reach the best rate, and not one fewer or more."""
_MANY = Stages(_UNIT_S / 4, 159.75 * _UNIT_S, _UNIT_S, 3 * _UNIT_S, 64)
"""Forty of them."""
_LITTLE = Stages(_UNIT_S / 8, _UNIT_S / 8, _UNIT_S, 3 * _UNIT_S, 4)
"""A worker has next to nothing to do, and yet it takes one."""
_OF_HASHES = [(3343923605, 2575089590, 3428722611), (1616736591, 1100252503, 3259644734)]
"""Different triples whose hashes in Python end in the same 32 bits, and so do those of others."""


@lru_cache(maxsize=512)
def simulated_rate(stages: Stages, workers: int) -> float:
    """Batches per second in the long run."""
    return simulate_loading(loading_of(stages), workers, batches=_BATCHES).batches_per_s


def simulated_knee(stages: Stages) -> int:
    """The fewest workers that reach what ``_MOST`` workers reach."""
    best = simulated_rate(stages, _MOST)
    return next(w for w in range(1, _MOST + 1) if simulated_rate(stages, w) >= _BEST * best)


def cases(rng: np.random.Generator) -> list[Case]:
    """Every stage as the limit in turn; streams of neighboring workers, epochs and runs."""
    kinds = ("device", "disk", "cores", "device", "device")
    drawn = [_stages(rng, kind) for kind in kinds[:-1]]
    drawn.append(_stages(rng, "device", is_close=True))
    rates = [_rate_case(stages, 0, "no-workers") for stages in drawn[:2]]
    for kind, stages in zip(kinds, drawn, strict=True):
        knee = simulated_knee(stages)
        for workers in sorted({1, max(knee - 1, 1), knee, 12}):
            rates.append(_rate_case(stages, workers, "rate"))
        inputs = {"ask": "knee", **stages._asdict()}
        rates.append(Case(f"a loop that the {kind} {_LIMITS[kind]}", inputs, ("knee",)))
    told = "a loop whose workers are just enough"
    for stages, label in (*((one, told) for one in (*_WHOLE, _MANY)), (_LITTLE, "little to load")):
        inputs = {"ask": "knee", **stages._asdict()}
        rates.append(Case(label, inputs, ("knee",)))
    seed = int(rng.integers(2, 100_000))
    grids = [
        _grid("workers of one epoch", [seed], range(1), range(16)),
        _grid("epochs of one run", [seed], range(6), range(4)),
        _grid("neighboring runs", [0, 1, seed, seed + 1, seed + 1000], range(3), range(4)),
        _grid("many workers", [seed], range(4), range(64)),
        _any_numbers(rng),
        _grid("many epochs, many workers", [seed, seed + 1, seed + 10], _LARGE, _LARGE),
        _grid("numbers up to 2**32 - 1", [seed, 2**16 + seed, 2**32 - 1], _LARGEST, _LARGEST),
        _far_apart(seed, int(rng.integers(100))),
    ]
    return rates + grids


def _rate_case(stages: Stages, workers: int, prop: str) -> Case:
    inputs = {"ask": "rate", "workers": workers, **stages._asdict()}
    return Case(f"{workers} worker{'' if workers == 1 else 's'}", inputs, (prop,))


def _grid(label: str, seeds: Sequence[int], epochs: Sequence[int], workers: Sequence[int]) -> Case:
    triples = [(s, e, w) for s in seeds for e in epochs for w in workers]
    return Case(label, {"ask": "rng", "triples": triples}, ("distinct", "repeats"))


def _far_apart(seed: int, epoch: int) -> Case:
    """Numbers of which one is far away from where it is in the others.

    Where the three are added up with factors, one more in one of them is as good as some distance
    in another: each distance up to ``_ROOT**2`` is that from a small number to a multiple.
    """
    start = (seed, epoch, 0)

    def moved(place: int, by: int, other: int | None = None) -> tuple[int, ...]:
        ones = (by * (at == place) + (at == other) for at in range(3))
        return tuple(one + more for one, more in zip(start, ones, strict=True))

    triples = [moved(place, step) for place in range(3) for step in _STEPS]
    for place in (1, 2):
        triples += [moved(place, _ROOT * many) for many in range(1, _ROOT + 1)]
        others = {0, 1, 2} - {place}
        triples += [moved(place, small, other) for other in others for small in range(_ROOT)]
    given = {"ask": "rng", "triples": list(dict.fromkeys(triples))}
    return Case("workers, epochs and runs far apart", given, ("distinct", "repeats"))


def _any_numbers(rng: np.random.Generator) -> Case:
    """So many, and so irregular, that some collide where a seed is made of 16 bits.

    Two more collide where it is 32 bits of a hash, and two where an epoch has 31 bits of a number.
    """
    triples = [tuple(row) for row in rng.integers(0, 2**32, (1000, 3)).tolist()]
    triples += [*_OF_HASHES, (0, 2**31, 0), (1, 0, 0)]
    return Case("numbers of any size", {"ask": "rng", "triples": triples}, ("distinct", "repeats"))


def _stages(rng: np.random.Generator, limit: str, *, is_close: bool = False) -> Stages:
    """Times of whole 0.1 ms, such that the knee lies clear of its neighbors.

    With ``is_close``, a worker fewer reaches between 95.5% and 98% of the best rate.
    """
    while True:
        tenths = {
            "device": ((5, 20), (60, 150), (5, 15), (25, 50), (5, 9)),
            "disk": ((40, 60), (60, 120), (3, 8), (15, 25), (5, 9)),
            "cores": ((5, 20), (90, 180), (3, 8), (15, 25), (2, 5)),
        }[limit]
        read, decode, copy, step, cores = (int(rng.integers(a, b)) for a, b in tenths)
        slowest = max(copy + step, read, decode / cores)
        ratio = (read + decode) / slowest
        limits = {"device": copy + step, "disk": read, "cores": decode / cores}
        others = [value for name, value in limits.items() if name != limit]
        fits = 0.955 < int(ratio) / ratio < 0.98 if is_close else 0.15 < ratio % 1 < 0.9
        if limits[limit] > 1.15 * max(others) and fits and 1 < ratio < 6:
            times = (round(value * 1e-4, 6) for value in (read, decode, copy, step))
            return Stages(*times, cores)


def _test_rate(case: Case, observed: Plain) -> Iterable[Fault]:
    stages, workers, got = _stages_of(case), case.inputs["workers"], observed["got"]
    truth = simulated_rate(stages, workers)
    if not abs(got - truth) <= _REL * truth:
        told, wanted = show_apart(got, float(f"{truth:.6g}"))
        message = (
            f"`batches_per_s({workers}, {_spelled(stages)})` gave {told}; the simulation reaches "
            f"{wanted} batches a second"
        )
        yield Fault(case.decides[0], message)


def _test_knee(case: Case, observed: Plain) -> Iterable[Fault]:
    stages, got = _stages_of(case), observed["got"]
    truth = simulated_knee(stages)
    if got == truth:
        return
    message = f"`knee({_spelled(stages)})` gave {show(got)}, expected {truth}"
    if float(got).is_integer() and 1 <= got <= _MOST:
        reached, best = simulated_rate(stages, int(got)), simulated_rate(stages, _MOST)
        message += (
            f". With {show(got)} it reaches {reached:.4g} batches a second, with many {best:.4g}"
        )
    yield Fault("knee", message)


def _stages_of(case: Case) -> Stages:
    return Stages(*(case.inputs[field] for field in Stages._fields))


def _spelled(stages: Stages) -> str:
    return ", ".join(map(show, stages))


def _test_distinct(case: Case, observed: Plain) -> Iterable[Fault]:
    seen: dict[tuple[int, ...], str] = {}
    for triple, draws in zip(case.inputs["triples"], observed["draws"], strict=True):
        call = f"`worker_rng({', '.join(map(str, triple))})`"
        first = seen.setdefault(tuple(draws), call)
        if first is not call:
            yield Fault("distinct", f"{first} and {call} draw the same numbers")
            return


def _test_repeats(case: Case, observed: Plain) -> Iterable[Fault]:
    draws = zip(case.inputs["triples"], observed["draws"], observed["again"], strict=True)
    for triple, one, other in draws:
        if list(one) != list(other):
            call = f"`worker_rng({', '.join(map(str, triple))})`"
            yield Fault("repeats", f"{call} drew other numbers when it was called again")
            return
    calls, found = len(observed["draws"]), len({tuple(one) for one in observed["draws"]})
    _, epochs, workers = (set(numbers) for numbers in zip(*case.inputs["triples"], strict=True))
    if 2 * found < min(len(epochs), len(workers)):
        told = f"{calls} calls drew the same numbers"
        if found > 1:
            told = f"{calls} calls drew only {found} different rows of numbers"
        yield Undecided("repeats", told)


JUDGE = Judge(
    title="How many workers?",
    properties=(
        Property(
            "no-workers",
            "`batches_per_s` without workers: one thing after the other",
            1,
            "What does the main process do for one batch, from the disk to the end of the step, "
            "and how long does all of that take?",
            _test_rate,
        ),
        Property(
            "rate",
            "and with workers: the slowest stage",
            2,
            "Which stage is the slowest there, and how many batches a second does it let through?",
            _test_rate,
        ),
        Property(
            "knee",
            "`knee`: the fewest workers that reach the best rate",
            1,
            "Which stage is the slowest with many workers? And how many workers, in whole numbers, "
            "does it take to keep up with that one?",
            _test_knee,
        ),
        Property(
            "distinct",
            "every worker, epoch and run draws different numbers",
            1,
            "How do these two calls differ, and how much of that difference reaches the seed of "
            "your generator? (`np.random.default_rng` takes a list of numbers, too.)",
            _test_distinct,
        ),
        Property(
            "repeats",
            "the same worker, epoch and run draws the same numbers again",
            1,
            "A run that can't be repeated can't be debugged. What is the generator made from in "
            "the first call, and what in the second?",
            _test_repeats,
        ),
    ),
    hints=(
        "Four things work side by side: the disk, the cores, the workers, the main process. How "
        "long is each of them busy with one batch, on average?",
        "The disk needs `read_s` for a batch, the cores together `decode_s / cores`, the workers "
        "together `(read_s + decode_s) / workers`, the main process `copy_s + step_s`. The largest "
        "sets the pace. Which of the four does another worker make shorter?",
        "`1 / max(...)` of the four. The knee: with `slowest = max(copy_s + step_s, read_s, "
        "decode_s / cores)`, the least whole number from which `(read_s + decode_s) / workers` is "
        "no longer above it: `math.ceil` of a quotient. And "
        "`np.random.default_rng([seed, epoch, worker])`: below 2**32, each number has its own 32 "
        "bits of the seed.",
    ),
    cases=cases,
    predictions={
        "workers": Prediction(
            "a batch is read in 1.5 ms and decoded in 9 ms, by workers on 4 cores. The main "
            "process copies it in 0.5 ms and waits for a step of 2.5 ms. Beyond how many workers "
            "does adding more stop helping?",
            truth=4.0,
            unit="workers",
            exact=True,
            because="The main process needs 3 ms a batch, a worker 10.5 ms: 3.5 workers keep up, "
            "so 4. The disk (1.5 ms) and the cores (9 / 4 ms) could do more.",
        )
    },
)
