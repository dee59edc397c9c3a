"""find-the-race: say what is wrong with three kernels, and mend them without slowing them."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Finding, Judge, Level, Plain, Property
from gpuedu.exercises.cooperation.judge.race_truths import KIND_SAYS, TRUTHS
from gpuedu.exercises.cooperation.judge.sums import exit_notes
from gpuedu.exercises.cooperation.warp_loads import Share, uneven_faults
from gpuedu.exercises.kernels.faults import hazard_faults
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.kernels.sightings import Sighting, read_sightings

# An uninitialised read is none of them: the machine's garbage spoils a result that depends on it,
# and a thread without an element may read what it does not use.
_HAZARDS = frozenset(
    {
        "data-race",
        "divergent-barrier",
        "out-of-bounds",
        "negative-index",
        "misaligned",
        "runaway-loop",
        "spin-in-warp",
    }
)
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
        "blocks": blocks,
        "threads": threads,
        "more": more,
    }
    what = {"jumps": "element", "widen": "step", "shares": "row"}[name]
    label = f"{name}: {LaunchShape(blocks, threads)}, {more} {what}{'' if more == 1 else 's'}"
    return Case(label, inputs, (name, "parallel"))


_DRAW = {
    "jumps": lambda rng, blocks, threads, n: (
        rng.integers(-500, 500, n),
        rng.uniform(1e5, 2e5, n),
    ),
    "widen": lambda rng, blocks, threads, _: (
        rng.normal(0, 9, (blocks, threads)),
        rng.uniform(100, 200, (blocks, threads)),
    ),
    "shares": lambda rng, _, threads, rows: (
        rng.integers(1, 50, (rows, threads)) * 4.0 ** rng.integers(-3, 4, (rows, 1)),
        -rng.uniform(1, 2, (rows, threads)),
    ),
}


def expected_of(case: Case) -> np.ndarray:
    """What the kernel of a case should write, in float64."""
    x, name = case.inputs["x"].astype(np.float64), case.inputs["kernel"]
    if name == "jumps":
        is_first = np.arange(x.size) % case.inputs["threads"] == 0
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
    yield from hazard_faults(observed, {_HAZARDS: name}, lambda seen: _question(name, seen))
    yield from array_fault(
        name, observed["out"], expected, tolerance=tolerance, cause=_cause(case, observed)
    )
    if not np.array_equal(observed["x"], case.inputs["x"]):
        yield Fault(name, "`x` was changed by the kernel", "Where does the result go?")
    yield from exit_notes(observed)
    yield from _parallel(case, observed)


def _found(name: str, letter: str, kind: str) -> Iterable[Fault]:
    truth = TRUTHS[name]
    if (letter, kind) == (truth.letter, truth.kind):
        return
    if letter != truth.letter:
        yield Fault(
            f"found-{name}", f"line {letter} of `{name}` is not at fault", truth.letters[letter]
        )
        return
    yield Fault(
        f"found-{name}",
        f'line {letter} it is; but "{kind}" says that {KIND_SAYS[kind]}',
        truth.kinds[kind],
    )


def _question(name: str, seen: Sighting) -> str:
    if seen.kind == "divergent-barrier":
        return (
            "All threads of the block have to come to the same barrier: move it to where the "
            "condition no longer holds anybody back."
        )
    if seen.kind == "data-race":
        if name == "widen" and _meets_next_step(seen):
            return _AFTER_STEP
        if name == "shares" and (line := _earlier_line(seen)):
            return _WITHIN_ROW.format(before=line, line=seen.line)
        return _RACE_ASKS[name]
    return f"{seen.remedy[:1].upper()}{seen.remedy[1:]}." if seen.remedy else ""


def _meets_next_step(seen: Sighting) -> bool:
    """Whether a read meets a write that stands below it: of the step before."""
    other = re.search(r" reads .* wrote on line (\d+)", seen.message)
    return other is not None and int(other[1]) > seen.line


def _earlier_line(seen: Sighting) -> int:
    """The line of the other thread where it stands above this one, else 0: both are in one row."""
    other = re.search(r" on line (\d+)", seen.message)
    return int(other[1]) if other is not None and int(other[1]) < seen.line else 0


_WITHIN_ROW = (
    "Both are in one row: a fast thread may be at line {line} while a slow one is still at line "
    "{before}. What lets all of them wait between the two?"
)
_AFTER_STEP = (
    "One thread is already in the next step, while its neighbour still writes in this one. What "
    "separates one step from the next?"
)
_RACE_ASKS = {
    "jumps": "A thread reads what its neighbour has put into shared memory. What lets the whole "
    "block wait in between?",
    "widen": "Within a step, everybody has to read before anybody writes. Where can a thread keep "
    "what it has worked out until all have read?",
    "shares": "One thread is already in the next row, the other one still in this. For what does "
    "the fast one have to wait?",
}


def _cause(case: Case, observed: Plain) -> str:
    if not observed["complete"]:
        return "The simulation stopped this launch before its end. What is told below says where."
    kinds = {seen.kind for seen in read_sightings(observed["sightings"]) if seen.is_hazard}
    if "data-race" in kinds:
        return "What is told of the race comes first."
    if np.array_equal(observed["out"], case.inputs["out"]):
        return "Nothing was written into `out`."
    name, x = case.inputs["kernel"], case.inputs["x"]
    if name == "widen" and case.inputs["more"] > 1:
        once = expected_of(Case("", {**case.inputs, "more": 1}))
        if np.array_equal(observed["out"], once):
            return "That is right for one step. Does the next step begin with what this one made?"
        if np.array_equal(observed["out"], x):
            return "`out` is `x`, as if no step had been taken. Is what was worked out kept?"
    if name == "shares":
        first = slice(case.inputs["blocks"])
        if np.allclose(observed["out"][first], expected_of(case)[first], rtol=1e-5):
            return "The first row of each block is right. What has to be done again for each row?"
    return ""


def _parallel(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    name, threads = case.inputs["kernel"], case.inputs["threads"]
    if np.array_equal(observed["out"], case.inputs["out"]) or not observed["complete"]:
        yield Fault(
            "parallel",
            f"`{name}` did not come to its end, or wrote nothing, so this shows nothing yet",
            "First the hazard, then the cost.",
        )
        return
    turns = -(-case.inputs["more"] // case.inputs["blocks"]) if name == "shares" else 1
    steps = case.inputs["more"] if name == "widen" else 0
    shares = (
        Share("x", 2 * turns),
        Share("out", turns),
        Share("shared memory", 3 * turns if name == "shares" else 3 + 5 * steps),
    )
    yield from uneven_faults(
        "parallel",
        observed,
        shares,
        "A barrier lets threads wait for each other; no thread has to do the others' work. What "
        "does each thread of the given kernel do, and which line is the only one to change?",
    )
    barriers = {"jumps": 1, "widen": 1 + 2 * steps, "shares": 3 * turns}[name]
    if observed["barriers"] > barriers + 1:
        yield Finding(
            Level.COST,
            f"`{name}` passes {observed['barriers']} barriers where {barriers} would do "
            f"({LaunchShape(case.inputs['blocks'], threads)}). No points are taken.",
        )


JUDGE = Judge(
    title="Find the race",
    properties=(
        Property("found-jumps", "the line and the kind of the fault in `jumps`", 1),
        Property("found-widen", "the line and the kind of the fault in `widen`", 1),
        Property("found-shares", "the line and the kind of the fault in `shares`", 1),
        Property("jumps", "the mended `jumps` is right, and nothing is left to luck", 1),
        Property("widen", "the mended `widen` is right, and nothing is left to luck", 1),
        Property("shares", "the mended `shares` is right, and nothing is left to luck", 1),
        Property("parallel", "no thread does the work of the others", 1),
    ),
    hints=(
        "Take two threads, a fast one and a slow one. How far may the fast one be while the slow "
        "one stands at a given line? Only a barrier stops it.",
        "`jumps`: who comes to the barrier at C? `widen`: thread 5 writes at C, when does thread 4 "
        "read that element? `shares`: thread 0 comes to A again, where may the others be?",
        "`jumps`: end the `if` before the barrier, begin it again behind it. `widen`: keep the new "
        "value in a variable, then a barrier outside the `if`, then write, then a barrier. "
        "`shares`: a barrier at the end of the loop's body.",
    ),
    cases=cases,
    verdict=verdict,
)
