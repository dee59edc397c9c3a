"""parallel-cpu: saxpy on all cores, judged by its result and by what Numba made parallel."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gpuedu.exercises.compare import array_fault, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property

_ODD_LENGTHS = (33, 31, 129, 127, 1, 0)
_ENOUGH_TO_SHOW = 64
"""Elements of which something is written, unless nothing ever is: shares of a few may be empty."""

_EPSILON = float(np.finfo(np.float32).eps)

Formula = Callable[[float, np.ndarray, np.ndarray, np.ndarray], np.ndarray]

_MISCONCEPTIONS: tuple[tuple[Formula, str], ...] = (
    (
        lambda a, x, y, out: out + a * x + y,
        "That adds to what stood in `out` before. What should happen to the old content?",
    ),
    (lambda a, x, y, out: x + y, "That is `x + y`. Where does `a` come in?"),
    (lambda a, x, y, out: a * x, "That is `a * x`. Where does `y` come in?"),
    (lambda a, x, y, out: x + a * y, "That is `x + a * y`. Which of the two is scaled?"),
    (lambda a, x, y, out: a * (x + y), "That is `a * (x + y)`. What is scaled, `x` or the sum?"),
    (lambda a, x, y, out: a * x * y, "That is `a * x * y`. Is `y` a factor?"),
    (lambda a, x, y, out: a + x + y, "That is `a + x + y`. Is `a` added or multiplied?"),
)


def cases(rng: np.random.Generator) -> list[Case]:
    """Round lengths first, then lengths that no chunk divides. The first call compiles."""
    drawn = [_case(rng, n, "right") for n in (1024, 64)]
    several_thousand = int(rng.integers(1500, 4000)) * 2 + 1
    return drawn + [_case(rng, n, "any-length") for n in (*_ODD_LENGTHS, several_thousand)]


def _case(rng: np.random.Generator, n: int, name: str) -> Case:
    inputs = {
        "a": float(np.float32(rng.uniform(1.5, 4.0) * rng.choice([-1, 1]))),
        **{array: rng.normal(3, 2, n).astype(np.float32) for array in ("x", "y", "out")},
    }
    return Case(f"n = {n}", inputs, (name, "inputs", "parallel"))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The values, the arrays that are only read, and the compiler's record."""
    yield from _values(case, observed)
    for name in ("x", "y"):
        before, after = case.inputs[name], observed[name]
        changed = np.flatnonzero(before != after)
        if changed.size:
            i = int(changed[0])
            was, now = show_apart(float(before[i]), float(after[i]))
            yield Fault(
                "inputs",
                f"`{name}[{i}]` was {was} before the call and is {now} after it",
                "The caller may need its inputs again. Where else may your result go?",
            )
    out = case.inputs["out"]
    if out.size >= _ENOUGH_TO_SHOW and np.array_equal(observed["out"], out):
        yield Fault("inputs", "nothing was written into `out`, so this shows nothing yet")
    yield from _parallel(observed)


def _values(case: Case, observed: Plain) -> Iterable[Fault]:
    name = case.decides[0]
    if observed["wrote_outside"]:
        yield Fault(
            name,
            "it wrote to memory before or behind `out`",
            "Compiled code does not check an index. Which values does your loop's index take?",
        )
    a = case.inputs["a"]
    x, y, before = (case.inputs[key].astype(np.float64) for key in ("x", "y", "out"))
    expected = a * x + y
    # Two roundings in float32; one where the compiler fuses the two operations.
    tolerance = 2 * _EPSILON * (np.abs(a * x) + np.abs(y))
    got = observed["out"]
    cause = _cause(observed, a, x, y, before)
    yield from array_fault(name, got, expected, tolerance=tolerance, cause=cause)


def _cause(observed: Plain, a: float, x: np.ndarray, y: np.ndarray, before: np.ndarray) -> str:
    got = observed["out"]
    scale = 1e-5 * (np.abs(a * x) + np.abs(y) + np.abs(before))
    wrong = ~(np.abs(got - (a * x + y)) <= scale)
    if np.array_equal(got[wrong], before[wrong]):
        return _why_not_written(bool(wrong.all()) and got.size > 1, observed["returned_an_array"])
    for formula, says in _MISCONCEPTIONS:
        if (np.abs(got - formula(a, x, y, before)) <= scale).all():
            return says
    return ""


def _why_not_written(none_at_all: bool, returned: bool) -> str:
    if not none_at_all:
        return "What is wrong still holds what stood there before. Which indices does it skip?"
    if returned:
        return (
            "It returns a new array, but the caller looks into `out`. How do the values get there?"
        )
    return (
        "`out` holds what stood there before. Which line writes into it? (`out = ...` writes "
        "nothing: it gives the name to another array.)"
    )


def _parallel(observed: Plain) -> Iterable[Fault]:
    """The ways not to run in parallel, each with the counterexample from Numba's own record."""
    if observed["loops_over_x"] and not observed["alone"]:
        return
    message, cause = _why_not_parallel(observed)
    yield Fault("parallel", message, cause)


def _why_not_parallel(observed: Plain) -> tuple[str, str]:
    if not observed["compiled"]:
        return _why_not_compiled(observed["helper"])
    if not observed["asked"]:
        return (
            "Numba compiled it for one core",
            "One core runs the loop, `prange` or not, until `@njit` is told. What does it need?",
        )
    if observed["alone"]:
        return (
            "beside the parallel loop, one core walks over the elements in another",
            "What is not inside a `prange` runs on one core. Can its work move into the parallel "
            "loop?",
        )
    if not observed["loops"]:
        return _why_no_loop(observed["helper"])
    if observed["empty_loops"] == observed["loops"]:
        return (
            "Numba left out what runs in parallel, since nothing of it is used",
            "`out = ...` gives the name to a new array, and nobody sees that one. How do the "
            "values get into the array that is there?",
        )
    loops: Any = observed["loops"]
    several = f"{loops} loops run" if loops > 1 else "one loop runs"
    return (
        f"{several} in parallel, but none that walks over `x`",
        "Which loop computes `a * x[i] + y[i]`, and is it the one with `prange`?",
    )


def _why_not_compiled(helper: bool) -> tuple[str, str]:
    if helper:
        return (
            "`saxpy` itself is plain Python; what Numba compiled is a function that it calls",
            "Put the decorator on `saxpy` itself, and the loop into it.",
        )
    return (
        "`saxpy` is plain Python: Numba did not compile it",
        "One core runs it, one step after another. What goes on the line above `def`?",
    )


def _why_no_loop(helper: bool) -> tuple[str, str]:
    message = "it was compiled with `parallel=True`, yet Numba found no loop to run in parallel"
    if helper:
        return message, "The loop of a function that it calls does not count. Put it into `saxpy`."
    return (
        message,
        "A `range` may depend on its order, so Numba keeps it on one core. How do you say that "
        "the steps are independent?",
    )


JUDGE = Judge(
    title="saxpy on all cores",
    properties=(
        Property("right", "every element of `out` is `a * x[i] + y[i]`", 1),
        Property("any-length", "right for any length, 0 and 1 too", 1),
        Property("inputs", "`x` and `y` are left alone", 1),
        Property("parallel", "the loop over the elements runs in parallel", 1),
    ),
    hints=(
        "Does step `i` need anything that another step computes? If not, how do you tell Numba?",
        "Compile with `@njit(parallel=True)`, and let the loop be a `prange` over the whole "
        "length of `x`. Write into `out`, element by element.",
        "Under `@njit(parallel=True)`: `for i in prange(x.size):` and in it "
        "`out[i] = a * x[i] + y[i]`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "parallel-cpu": Prediction(
            "how many times as fast as a loop in pure Python is Numba on all cores, for saxpy?",
            unit="times",
            because="Most of it is compilation, even on one core: no interpreter, and several "
            "elements per instruction. More cores add at most their number, and less when memory "
            "is what limits.",
        )
    },
)
