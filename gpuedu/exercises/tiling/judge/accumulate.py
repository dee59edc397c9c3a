"""accumulate-in-float32: find every place at which float64 comes into a kernel, and mend it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Judge,
    Level,
    Plain,
    Prediction,
    Property,
)
from gpuedu.exercises.kernels.faults import (
    LOOPS,
    OUTSIDE,
    RACE,
    hazard_faults,
    idle_faults,
    wrapped_faults,
)
from gpuedu.exercises.kernels.shapes import LaunchShape
from gpuedu.exercises.tiling.precision import DoubleLine, read_double_lines

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
        "blocks": blocks,
        "threads": _THREADS,
    }
    decides = ("right",) + (("loops", "once") if (n, columns) in _COSTS else ())
    return Case(f"x of shape {(n, columns)}, {LaunchShape(blocks, _THREADS)}", inputs, decides)


def reference(x: np.ndarray, w: np.ndarray, eps: float = EPS) -> np.ndarray:
    """Each column divided by its root mean square, times ``w``, in float64, (n, columns)."""
    x = x.astype(np.float64)
    return x / np.sqrt((x**2).mean(axis=0) + eps) * w.astype(np.float64)[:, None]


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """What the compiler made; or values to float32's accuracy, then where float64 is left."""
    if case.inputs["ask"] == "compiled":
        yield from _compiled(observed["float64"])
        return
    yield from hazard_faults(observed, {LOOPS | RACE | OUTSIDE: "right"})
    x, w = case.inputs["x"], case.inputs["w"]
    expected = reference(x, w)
    # Float32: n squares are added, none of them negative; the rest is a few roundings more.
    tolerance = (x.shape[0] + 12) * _EPSILON * np.abs(expected)
    yield from array_fault(
        "right", observed["out"], expected, tolerance=tolerance, cause=_cause(x, w, observed)
    )
    yield from wrapped_faults("right", observed)
    for name in ("x", "w"):
        if not np.array_equal(observed[name], case.inputs[name]):
            yield Fault("right", f"`{name}` was changed by the kernel", "Where does it go?")
    if "loops" in case.decides:
        yield from idle_faults(observed, ("loops", "once"))
        for line in read_double_lines(observed["float64_lines"]):
            yield _left(line)


def _left(line: DoubleLine) -> Fault:
    told = f"line {line.line}, `{line.text}`, does {line.flop:,} operations in float64"
    return Fault("loops" if line.in_loop else "once", told, _question(line.text))


def _question(text: str) -> str:
    if "float64" in text:
        return "There it is asked for by name."
    if "+=" in text:
        return "Which dtype does the sum begin with, and what does a float32 added to it become?"
    if "sqrt" in text or "**" in text or "/" in text:
        return (
            "Which numbers on that line are no float32: a literal with a point, an integer that "
            "divides or is divided?"
        )
    return "Which of the factors came from a line that computes in float64?"


def _compiled(opcodes: list[str] | None) -> Iterable[Fault | Finding]:
    if opcodes is None:
        note = "NVIDIA's compiler is not installed here: its line is passed without a look."
        yield Finding(Level.NOTE, note)
    elif opcodes:
        yield Fault(
            "compiled",
            f"the compiler makes float64 instructions of it: {', '.join(opcodes)}",
            'Which lines are they on? `see("accumulate-in-float32", rms_norm)` tells.',
        )


def _cause(x: np.ndarray, w: np.ndarray, observed: Plain) -> str:
    if not observed["times"].any():
        return "Which line writes into `out`?"
    if (observed["times"] == 0).any():
        return "It was not written. Which thread has this column?"
    got = observed["out"].astype(np.float64)
    x64, w64 = x.astype(np.float64), w.astype(np.float64)[:, None]
    squares = (x64**2).sum(axis=0)
    with np.errstate(all="ignore"):
        known = (
            (reference(x, w, 0.0), "What has become of the 1e-6? It keeps a column of zeros well."),
            (x64 / np.sqrt(squares + EPS) * w64, "That is not divided by n: is it the mean?"),
            (x64 / np.sqrt(squares // len(x) + EPS) * w64, "`//` drops what is left over."),
            (x64 / (squares / len(x) + EPS) * w64, "Where is the square root?"),
            (x64 * np.sqrt(squares / len(x) + EPS) * w64, "That multiplies by the root."),
            (
                x64 / (np.sqrt(squares / len(x)) + EPS) * w64,
                "The 1e-6 is added to the root there. It belongs to the mean, before the root.",
            ),
            (reference(x, np.ones_like(w)), "The weights `w` are missing."),
        )
        for theirs, says in known:
            if np.allclose(got, theirs, rtol=1e-4, atol=1e-6, equal_nan=True):
                return says
    if np.isnan(got).any():
        return "NaN: 0 / 0, or the root of something negative. What is added to the mean?"
    return (
        "It is too far off for float32. Is a value rounded to something smaller, or to a whole "
        "number?"
    )


JUDGE = Judge(
    title="No float64 on the way",
    properties=(
        Property("right", "each column has the right values, as exact as float32 sums are", 1),
        Property("loops", "nothing in the loops is computed in float64", 2),
        Property("once", "nor what is done once for a column", 1),
        Property("compiled", "and the compiler makes no float64 instruction of it", 1),
    ),
    hints=(
        "The listing marks the lines. In each of them: which operand is no float32, a literal or "
        "an integer? And which variable takes float64 along to the next lines?",
        "A sum begins with `float32(0)`. `total / n` has an integer in it, `+ 1e-6` a literal, "
        "`1 / ...` another. Once `scale` is float32, its line in the loop needs no change.",
        "`total = float32(0)`, and "
        "`scale = float32(1) / math.sqrt(total / float32(n) + float32(1e-6))`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "accumulate-in-float32": Prediction(
            "`float32(0.)` in the first line alone: how many of the 4 operations for each element "
            "are still in float64?",
            truth=2,
            unit="of 4",
            because="The square and the sum are float32 then. But `total / n` has an integer in "
            "it, so `scale` is float64, and both products with it are.",
        )
    },
)
