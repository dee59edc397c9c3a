"""stay-on-device: the same pipeline with one copy in and one copy out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.cupy.judge.copies import told, why_hidden
from gpuedu.exercises.cupy.watching import Copy, read_copies

_SHAPES = ((33, 5, 4), (128, 8, 3), (1, 4, 3), (7, 6, 2))
_TOLERANCE = 2e-5
_FLOAT32_ROOM = 1e-6
"""What float32 may change in a logit, as a part of the largest: several roundings."""
_SPREAD = 400.0
_TINY = 1e-6
_FEWEST_LAUNCHES = 5


def cases(rng: np.random.Generator) -> list[Case]:
    """Several rows and one; columns of very different sizes, and one that never changes.

    Then rows whose logits are far from each other, and a column of very small numbers.
    """
    drawn = [_case(rng, *shape) for shape in _SHAPES]
    return [*drawn, _far_apart(rng), _small_column(rng)]


def _case(rng: np.random.Generator, n: int, d: int, c: int) -> Case:
    scale = 10.0 ** rng.uniform(-1, 2, d)
    x = rng.normal(0, 1, (n, d)) * scale + rng.normal(0, 1, d) * scale
    x[:, int(rng.integers(d))] = 2.0  # sums of it are exact, so that its deviation is 0
    inputs = {
        "x": x.astype(np.float32),
        "w": rng.normal(0, 2, (d, c)).astype(np.float32),
    }
    return Case(f"x of shape ({n}, {d}), {c} classes", inputs)


def _far_apart(rng: np.random.Generator) -> Case:
    """Weights so large that exp overflows, and that one row lies far below another."""
    x, w = (_case(rng, 33, 5, 4).inputs[name] for name in ("x", "w"))
    largest = _true_logits(x, w).max(axis=1)
    w = (w * (_SPREAD / (largest.max() - largest.min()))).astype(np.float32)
    return Case("logits in the hundreds, rows far apart", {"x": x, "w": w})


def _small_column(rng: np.random.Generator) -> Case:
    inputs = dict(_case(rng, 40, 3, 3).inputs)
    inputs["x"] = inputs["x"].copy()
    inputs["x"][:, 0] = _TINY * rng.normal(1, 1, 40)
    return Case(f"a column of numbers around {_TINY:g}", inputs)


def true_probabilities(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(n, c) float64: columns standardised, a linear layer, a softmax along the rows."""
    return _softmax(_true_logits(x, w))


def _true_logits(x: np.ndarray, w: np.ndarray, added: float = 0.0) -> np.ndarray:
    """(n, c) float64: what the softmax is of, with something added to each deviation."""
    x, w = x.astype(np.float64), w.astype(np.float64)
    deviation = x.std(axis=0) + added
    deviation[deviation == 0] = 1
    return (x - x.mean(axis=0)) / deviation @ w


def _softmax(logits: np.ndarray) -> np.ndarray:
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The probabilities, and each copy: what crossed, which way, and whether it was hidden."""
    copies = read_copies(observed["copies"])
    got = observed["result"]
    yield from _result_faults(case, observed)
    yield from _in_faults(case, [one for one in copies if one.to_device], observed["launches"])
    yield from _out_faults(got, [one for one in copies if not one.to_device and not one.hidden])
    hidden = [one for one in copies if one.hidden]
    if hidden:
        said = f"{len(hidden)} hidden {_copies(hidden)}: {told(hidden[0])}"
        yield Fault("hidden", said, why_hidden(hidden[0]))
    if observed["launches"] < _FEWEST_LAUNCHES:
        for prop in ("in", "out", "hidden"):
            yield Fault(
                prop,
                f"only {observed['launches']} operations ran on the device, so this shows nothing "
                "yet",
                "Where is the work done? `cp` has the functions that `np` has.",
            )


def _result_faults(case: Case, observed: Plain) -> Iterator[Fault]:
    got = observed["result"]
    logits = _true_logits(case.inputs["x"], case.inputs["w"])
    expected = _softmax(logits)
    if observed["library"] != "numpy":
        yield Fault(
            "same",
            "it returned a CuPy array",
            "The caller wants a NumPy array: which call makes it?",
        )
    if got.shape != expected.shape:
        yield Fault("same", f"the result has shape {got.shape}, expected {expected.shape}")
        return
    if got.dtype != np.float32:
        yield Fault(
            "same",
            f"the result is {got.dtype}, expected float32",
            "Which of your arrays is float64? On most GPUs that is much slower, too.",
        )
    room = max(_TOLERANCE, _FLOAT32_ROOM * float(np.abs(logits).max()))
    yield from array_fault(
        "same", got, expected, tolerance=room, name="result", cause=_why(case, got, room)
    )


def _why(case: Case, got: np.ndarray, room: float) -> str:
    if np.isnan(got).all():
        return "A column that never changes has a deviation of 0. What did the old code do then?"
    if np.isnan(got).any():
        return (
            "In float32 `exp` is infinite beyond 88, and 0 below -104. The old code took the "
            "largest of *each row* away first, so that each row has an exp(0)."
        )
    sums = got.sum(axis=1)
    if not np.allclose(sums, 1, atol=1e-3):
        return f"The first row adds up to {sums[0]:.3g}. Along which axis is the sum?"
    for added in _ADDED:
        other = _softmax(_true_logits(case.inputs["x"], case.inputs["w"], added))
        if (np.abs(got - other) <= 10 * room).all():
            return (
                f"This is what {added:g} added to each deviation gives. A column's deviation may "
                "be as small itself: the old code replaced those that are 0, and no other."
            )
    return ""


_ADDED = (1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-12)
"""What people add to a deviation so that it is not 0."""


def _in_faults(case: Case, copies: list[Copy], launches: int) -> Iterator[Fault]:
    x = case.inputs["x"]
    if len(copies) > 1:
        extra = [one for one in copies if one.size_bytes != x.nbytes] or copies[1:]
        yield Fault(
            "in",
            f"{len(copies)} copies to the device; one of them: {told(extra[0])}",
            "What did the host have to do with that? Could it have been made on the device?",
        )
    elif not copies:
        yield Fault("in", "`x` never came to the device", "Which call copies it there?")
    elif copies[0].size_bytes > x.nbytes:
        yield Fault(
            "in",
            f"`x` has {x.nbytes:,} bytes, and {copies[0].size_bytes:,} were copied",
            "Was it made float64 before?",
        )


def _out_faults(got: np.ndarray, copies: list[Copy]) -> Iterator[Fault]:
    if len(copies) > 1:
        yield Fault(
            "out",
            f"{len(copies)} copies to the host; the first: {told(copies[0])}",
            "What is it needed for on the host? The next step can run where the data are.",
        )
    elif not copies:
        yield Fault("out", "the result was not copied to the host by `.get()` or `cp.asnumpy`")
    elif copies[0].size_bytes != got.nbytes:
        yield Fault(
            "out",
            f"the result has {got.nbytes:,} bytes, and {copies[0].size_bytes:,} were copied back",
            "Let the device do the last step too, and bring back what the caller wants.",
        )


def _copies(copies: list[Copy]) -> str:
    return "copy" if len(copies) == 1 else "copies, the first"


JUDGE = Judge(
    title="Once there, once back",
    properties=(
        Property("same", "the same probabilities, as a float32 NumPy array", 1),
        Property("in", "`x` is copied to the device once, and nothing else", 1),
        Property("out", "the result is copied to the host once, and nothing else", 1),
        Property("hidden", "no hidden copies", 1),
    ),
    hints=(
        "Mark each line of the old code with the side it runs on. Between which lines does "
        "something cross, and what for?",
        "`d_x.mean(axis=0)` is an array on the device, and can be used there as it is. The loop "
        "looks for the largest of each row: `max` takes an `axis`. For the columns that never "
        "change, `cp.where(condition, this, that)` chooses without asking the host.",
        "`d_x = cp.asarray(x)`; `std = d_x.std(axis=0)` and `std = cp.where(std == 0, 1, std)`; "
        "the logits; `cp.exp(logits - logits.max(axis=1, keepdims=True))`; divide it by its own "
        "sum with `keepdims=True`; `.get()` only in the line with `return`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "stay-on-device": Prediction(
            "how many copies between host and device does `predict_with_detours` make for 1,000 "
            "rows?",
            truth=1007,
            unit="copies",
            because="To the device: x, the standardised x, and e. To the host: mean, std, the "
            "logits, the totals, and in the loop one number for each of the 1,000 rows.",
        )
    },
)
