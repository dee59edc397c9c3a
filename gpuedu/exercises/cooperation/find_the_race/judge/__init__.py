"""find-the-race: say what is wrong with three kernels, and mend them without slowing them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Finding, Judge, Level, Plain, Property, Undecided
from gpuedu.exercises.cooperation.busiest_warps import Share, uneven_faults
from gpuedu.exercises.cooperation.find_the_race.judge.race_truths import KIND_SAYS, TRUTHS
from gpuedu.exercises.kernels.faults import ENDLESS, OUTSIDE, RACE, hazard_faults
from gpuedu.exercises.kernels.shapes import LaunchShape

# An uninitialised read is none of them: the machine's garbage spoils a result that depends on it,
# and a thread without an element may read what it does not use.
_HAZARDS = RACE | OUTSIDE | ENDLESS | {"warp-sync-mask"}
_EPSILON = float(np.finfo(np.float32).eps)
_LAUNCHES = {
    # blocks, threads, and for jumps the elements, for widen the steps, for shares the rows
    "jumps": ((3, 128, 300), (2, 32, 33), (1, 64, 1), (4, 64, 193)),
    "widen": ((2, 128, 3), (1, 64, 1), (3, 32, 5), (2, 96, 0)),
    "shares": ((2, 128, 7), (1, 64, 4), (3, 32, 3), (4, 96, 2)),
}


def cases(rng: np.random.Generator) -> list[Case]:
    """The three entries of ``found``, then each mended kernel on four launches."""
    drawn = [
        Case(f'found["{name}"]', {"ask": "found", "kernel": name}, (f"found-{name}",))
        for name in TRUTHS
    ]
    for name, launches in _LAUNCHES.items():
        drawn += [_case(rng, name, *launch) for launch in launches]
    return drawn


def _case(rng: np.random.Generator, name: str, blocks: int, threads: int, more: int) -> Case:
    x, out = _DRAW[name](rng, blocks, threads, more)
    inputs = {
        "ask": "kernel",
        "kernel": name,
        "x": x.astype(np.float32),
        "out": out.astype(np.float32),
        "grid": blocks,
        "block": threads,
        "more": more,
    }
    what = {"jumps": "element", "widen": "step", "shares": "row"}[name]
    label = f"{name}: {LaunchShape(blocks, threads)}, {more} {what}{'' if more == 1 else 's'}"
    return Case(label, inputs, (name, "parallel"))


_DRAW = {
    "jumps": lambda rng, blocks, threads, n: (
        rng.integers(-2000, 2000, n) / 4,
        rng.uniform(1e5, 2e5, n),
    ),
    "widen": lambda rng, blocks, threads, _: (
        rng.normal(0, 9, (blocks, threads)),
        rng.uniform(100, 200, (blocks, threads)),
    ),
    "shares": lambda rng, _, threads, rows: (
        rng.integers(1, 50, (rows, threads))
        * np.where(np.arange(threads) % 5, 1, -1)
        * 4.0 ** rng.integers(-3, 4, (rows, 1)),
        -rng.uniform(1, 2, (rows, threads)),
    ),
}


def expected_of(case: Case) -> np.ndarray:
    """What the kernel of a case should write, in float64."""
    x, name = case.inputs["x"].astype(np.float64), case.inputs["kernel"]
    if name == "jumps":
        is_first = np.arange(x.size) % case.inputs["block"] == 0
        return np.where(is_first, 0.0, np.diff(x, prepend=0.0))
    if name == "shares":
        return x / x.sum(axis=1, keepdims=True)
    for _ in range(case.inputs["more"]):
        wider = x.copy()
        wider[:, 1:-1] = np.maximum(np.maximum(x[:, :-2], x[:, 1:-1]), x[:, 2:])
        x = wider
    return x


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """What was said about a kernel, or the mended kernel."""
    name = case.inputs["kernel"]
    if case.inputs["ask"] == "found":
        yield from _found(name, observed["letter"], observed["kind"])
        return
    expected = expected_of(case)
    tolerance = 8 * _EPSILON * np.abs(expected) if name == "shares" else 0
    yield from hazard_faults(observed, {_HAZARDS: name}, lambda seen: "")
    yield from array_fault(name, observed["out"], expected, tolerance=tolerance)
    if not np.array_equal(observed["x"], case.inputs["x"]):
        yield Fault(name, "`x` was changed by the kernel")
    yield from _parallel(case, observed)


def _found(name: str, letter: str, kind: str) -> Iterable[Fault]:
    truth = TRUTHS[name]
    if letter != truth.letter:
        told = f"line {letter} of `{name}` is not at fault. {truth.letters[letter]}"
        yield Fault(f"found-{name}", told)
    elif kind != truth.kind:
        says = f'line {letter} is right, but "{kind}" says that {KIND_SAYS[kind]}'
        yield Fault(f"found-{name}", f"{says}. {truth.kinds[kind]}")


def _parallel(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    name, threads = case.inputs["kernel"], case.inputs["block"]
    if np.array_equal(observed["out"], case.inputs["out"]) or not observed["complete"]:
        yield Undecided("parallel", f"`{name}` did not finish, or wrote nothing")
        return
    turns = -(-case.inputs["more"] // case.inputs["grid"]) if name == "shares" else 1
    steps = case.inputs["more"] if name == "widen" else 0
    shares = (
        Share("x", 2 * turns),
        Share("out", turns),
        Share("shared memory", 3 * turns if name == "shares" else 3 + 5 * steps),
    )
    yield from uneven_faults("parallel", observed, shares)
    barriers = {"jumps": 1, "widen": 1 + 2 * steps, "shares": 3 * turns}[name]
    if observed["barriers"] > barriers + 1:
        yield Finding(
            Level.COST,
            f"`{name}` passes {observed['barriers']} barriers where {barriers} would do "
            f"({LaunchShape(case.inputs['grid'], threads)}). No points are taken.",
        )


def _mended(name: str) -> Property:
    return Property(
        name,
        f"the fixed `{name}` is right, and nothing is left to luck",
        1,
        "Which elements does each thread read and write at each line, and which threads does it "
        "have to wait for in between?",
    )


JUDGE = Judge(
    title="Find the race",
    properties=(
        *(
            Property(
                f"found-{name}",
                f"the line and the kind of the fault in `{name}`",
                1,
                "Take a fast thread and a slow one. What may the fast one do while the slow one is "
                "still at some line?",
            )
            for name in TRUTHS
        ),
        *(_mended(name) for name in TRUTHS),
        Property(
            "parallel",
            "no thread does the work of the others",
            1,
            "What does each thread of the given kernel do, and how much of it does each one do "
            "here?",
        ),
    ),
    hints=(
        "Take two threads, a fast one and a slow one. How far may the fast one be while the slow "
        "one is at a given line? Only a barrier stops it.",
        "`jumps`: who comes to the barrier at C? `widen`: thread 5 writes at C, when does thread 4 "
        "read that element? `shares`: thread 0 comes to A again, where may the others be?",
        "`jumps`: end the `if` before the barrier, start it again after it. `widen`: keep the new "
        "value in a variable, then a barrier outside the `if`, then write, then a barrier. "
        "`shares`: a barrier at the end of the loop's body.",
    ),
    results=tuple(TRUTHS),
    apart=tuple(f"found-{name}" for name in TRUTHS),
    cases=cases,
    verdict=verdict,
)
