"""accumulate-in-float32: find every place at which float64 comes into a kernel, and mend it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Inputs,
    Judge,
    Level,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.kernels.faults import LOOPS, OUTSIDE, RACE, hazard_faults
from gpuedu.exercises.kernels.properties import right_values, unless_idle
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.tiling.precision import read_double_lines

EPS = 1e-6
_THREADS = 64
_SHAPES = ((64, 128), (48, 100), (33, 1), (1, 70), (100, 65))
_COSTS = _SHAPES[:2]
_EPSILON = float(np.finfo(np.float32).eps)


def cases(rng: np.random.Generator) -> list[Case]:
    """Columns of very different sizes, one of zeros; then what the compiler says."""
    compiled = Case("your kernel, compiled", {"ask": "compiled"}, ("compiled",))
    return [*(_case(rng, *shape) for shape in _SHAPES), compiled]


def _case(rng: np.random.Generator, n: int, columns: int) -> Case:
    scale = 10.0 ** rng.uniform(-4, 3, columns)
    scale[0] = 0 if columns > 1 else 1
    blocks = -(-columns // _THREADS)
    inputs = {
        "ask": "kernel",
        "x": (rng.normal(0, 1, (n, columns)) * scale).astype(np.float32),
        "w": rng.uniform(0.5, 2, n).astype(np.float32),
        "out": rng.uniform(50, 90, (n, columns)).astype(np.float32),
        "grid": blocks,
        "block": _THREADS,
    }
    decides = ("right",) + (("loops", "once") if (n, columns) in _COSTS else ())
    return Case(f"x of shape {(n, columns)}, {LaunchShape(blocks, _THREADS)}", inputs, decides)


def right() -> Property:
    """Each column has the right values; an element that nobody wrote has no wrong one."""
    values = right_values(
        "right",
        "each column has the right values, as exact as float32 sums are",
        1,
        reference,
        tolerance=tolerance,
        leaves=("x", "w"),
        asks="Follow one column: its mean square, the root, and what each element is divided "
        "by and weighted with. Which of them is not what it should be?",
    )

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        faults = list(values.test(case, observed))
        missing = np.argwhere(observed["out.times"].reshape(observed["out"].shape) == 0)
        if missing.size and not any(isinstance(fault, Undecided) for fault in faults):
            told = f"`out[{missing[0][0]}, {missing[0][1]}]` was not written"
            yield Fault("right", told, "Which thread has that column, and what does it do there?")
        yield from faults

    return replace(values, test=test)


_OUTSIDE = (
    "Which index counts rows there, and which one columns? And what keeps each of them inside?"
)


def reference(inputs: Inputs) -> np.ndarray:
    """Each column divided by its root mean square, times ``w``, in float64, (n, columns)."""
    x, w = (inputs[name].astype(np.float64) for name in ("x", "w"))
    return x / np.sqrt((x**2).mean(axis=0) + EPS) * w[:, None]


def tolerance(inputs: Inputs) -> np.ndarray:
    """Room for n squares that are added, none of them negative, and for a few roundings more."""
    return (inputs["x"].shape[0] + 12) * _EPSILON * np.abs(reference(inputs))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Hazards, which are faults of the values here."""
    if case.inputs["ask"] == "kernel":
        questions = dict.fromkeys(OUTSIDE, _OUTSIDE)
        yield from hazard_faults(observed, {LOOPS | RACE | OUTSIDE: "right"}, questions)


def float32_lines(name: str, says: str, points: float, asks: str, *, in_loop: bool) -> Property:
    """No line computes in float64, of those that are in a loop or of those that are not."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        for line in read_double_lines(observed["float64_lines"]):
            if line.in_loop == in_loop:
                told = f"line {line.line}, `{line.text}`, does {line.flop:,} operations in float64"
                yield Fault(name, told)

    return Property(name, says, points, asks, unless_idle(name, test))


def compiled(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """No float64 instruction of the real compiler's; a note where there is none."""
    opcodes = observed["float64"]
    if opcodes is None:
        note = "NVIDIA's compiler is not installed here: so its line passes unchecked."
        yield Finding(Level.NOTE, note)
    elif opcodes:
        told = f"the compiler makes float64 instructions of it: {', '.join(opcodes)}"
        yield Fault("compiled", told)


JUDGE = Judge(
    title="No float64 on the way",
    properties=(
        right(),
        float32_lines(
            "loops",
            "nothing in the loops is computed in float64",
            2,
            "Which number on that line isn't float32, and on which line did it become float64?",
            in_loop=True,
        ),
        float32_lines(
            "once",
            "nor is what is done once per column",
            1,
            "Which numbers on that line aren't float32: a literal with a point, a whole number, or "
            "a variable that is float64 already?",
            in_loop=False,
        ),
        Property(
            "compiled",
            "and the compiler makes no float64 instruction of it",
            1,
            'Which lines are they on? `see("accumulate-in-float32", rms_norm)` shows you.',
            compiled,
            after=("right",),
        ),
    ),
    hints=(
        "The listing marks the lines. In each of them: which operand isn't float32, a literal or "
        "an integer? And which variable takes float64 along to the next lines?",
        "A sum begins with `float32(0)`. `total / n` has an integer in it, `+ 1e-6` a literal, "
        "`1 / ...` another. Once `scale` is float32, its line in the loop needs no change.",
        "`total = float32(0)`, and "
        "`scale = float32(1) / math.sqrt(total / float32(n) + float32(1e-6))`.",
    ),
    results=("right",),
    cases=cases,
    verdict=verdict,
    predictions={
        "accumulate-in-float32": Prediction(
            "`float32(0.)` in the first line alone: how many of the 4 operations for each element "
            "are still in float64?",
            truth=2,
            unit="of 4",
            exact=True,
            because="The square and the sum are float32 then. But `total / n` has an integer in "
            "it, so `scale` is float64, and both products with it are.",
        )
    },
)
