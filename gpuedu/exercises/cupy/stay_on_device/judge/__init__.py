"""stay-on-device: the same pipeline with one copy in and one copy out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuedu.exercises.arrays.properties import copy_text, instead_of, right_array, unless_idle
from gpuedu.exercises.arrays.watching import read_copies
from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Fault, Inputs, Judge, Plain, Prediction, Property, Test

_SHAPES = ((33, 5, 4), (128, 8, 3), (1, 4, 3), (7, 6, 2))
_TOLERANCE = 2e-5
_FLOAT32_ROOM = 1e-6
"""What float32 may change in a logit, as a part of the largest: several roundings."""
_SPREAD = 400.0
_TINY = 1e-15
_FEWEST_LAUNCHES = 5


def cases(rng: np.random.Generator) -> list[Case]:
    """Several rows and one; columns of very different sizes, and one that never changes.

    Then rows whose logits are far from each other, and a column of very small numbers.
    """
    drawn = [_case(rng, *shape) for shape in _SHAPES]
    return [*drawn, _far_apart(rng), _small_column(rng), _far_apart(rng, is_alike=True)]


def _case(rng: np.random.Generator, n: int, d: int, c: int) -> Case:
    scale = 10.0 ** rng.uniform(-1, 2, d)
    x = rng.normal(0, 1, (n, d)) * scale + rng.normal(0, 1, d) * scale
    x[:, int(rng.integers(d))] = 2.0  # sums of it are exact, so that its deviation is 0
    inputs = {
        "x": x.astype(np.float32),
        "d_w": rng.normal(0, 2, (d, c)).astype(np.float32),
    }
    return Case(f"x of shape ({n}, {d}), {c} classes", inputs)


def _far_apart(rng: np.random.Generator, *, is_alike: bool = False) -> Case:
    """Weights so large that exp overflows, and that one row lies far below another.

    If classes are alike, all logits of many rows are far below 0.
    """
    x, w = (_case(rng, 33, 5, 4).inputs[name] for name in ("x", "d_w"))
    if is_alike:
        w = (w[:, :1] + 0.02 * w).astype(np.float32)
    largest = logits({"x": x, "d_w": w}).max(axis=1)
    w = (w * (_SPREAD / (largest.max() - largest.min()))).astype(np.float32)
    label = "logits in the hundreds, rows far apart"
    return Case(label + ", classes alike" * is_alike, {"x": x, "d_w": w})


def _small_column(rng: np.random.Generator) -> Case:
    inputs = dict(_case(rng, 40, 3, 3).inputs)
    inputs["x"] = inputs["x"].copy()
    inputs["x"][:, 0] = _TINY * rng.normal(1, 1, 40)
    return Case(f"a column of numbers around {_TINY:g}", inputs)


def logits(inputs: Inputs) -> np.ndarray:
    """(n, c) float64: columns standardised, a linear layer."""
    x, w = (inputs[name].astype(np.float64) for name in ("x", "d_w"))
    deviation = x.std(axis=0)
    deviation[deviation == 0] = 1
    return (x - x.mean(axis=0)) / deviation @ w


def probabilities(inputs: Inputs) -> np.ndarray:
    """(n, c) float64: of the logits a softmax along the rows."""
    e = logits(inputs)
    e = np.exp(e - e.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def room(inputs: Inputs) -> float:
    """How far off a probability may be."""
    return max(_TOLERANCE, _FLOAT32_ROOM * float(np.abs(logits(inputs)).max()))


def copied_in(case: Case, observed: Plain) -> Iterator[Fault]:
    """One copy to the device, of no more bytes than ``x`` has."""
    copies = [one for one in read_copies(observed["copies"]) if one.to_device]
    size_bytes = case.inputs["x"].nbytes
    if len(copies) > 1:
        extra = [one for one in copies if one.size_bytes != size_bytes] or copies[1:]
        yield Fault("in", f"{len(copies)} copies to the device; one of them: {copy_text(extra[0])}")
    elif not copies:
        yield Fault("in", "`x` never reached the device")
    elif copies[0].size_bytes > size_bytes:
        copied = f"{copies[0].size_bytes:,} were copied"
        yield Fault("in", f"`x` has {size_bytes:,} bytes, and {copied}")
    elif not _has_the_same(observed["carried_in"], case.inputs["x"]):
        first = f"{show(float(observed['carried_in'].ravel()[0]))} comes first in it"
        own = show(float(case.inputs["x"].ravel()[0]))
        yield Fault("in", f"the array that was copied to the device is not `x`: {first}, not {own}")


def copied_out(case: Case, observed: Plain) -> Iterator[Fault]:
    """One copy to the host that was asked for by name, of as many bytes as the result has."""
    copies = [c for c in read_copies(observed["copies"]) if not (c.to_device or c.hidden)]
    size_bytes = observed["result"].nbytes
    if len(copies) > 1:
        yield Fault("out", f"{len(copies)} copies to the host; the first: {copy_text(copies[0])}")
    elif not copies:
        yield Fault("out", "the result was not copied to the host by `.get()` or `cp.asnumpy`")
    elif copies[0].size_bytes != size_bytes:
        copied = f"{copies[0].size_bytes:,} were copied back"
        yield Fault("out", f"the result has {size_bytes:,} bytes, and {copied}")
    elif not _has_the_same(observed["carried_out"], observed["result"]):
        first = f"{show(float(observed['carried_out'].ravel()[0]))} comes first in it"
        own = show(float(observed["result"].ravel()[0]))
        told = f"the array that was copied to the host is not the result: {first}, not {own}"
        yield Fault("out", told)


def _has_the_same(carried: np.ndarray, wanted: np.ndarray) -> bool:
    """Whether a copy carried these numbers, in any order; True where what it did is not known."""
    if not carried.size:
        return True
    return np.array_equal(np.sort(carried, axis=None), np.sort(wanted, axis=None), equal_nan=True)


def copied_unseen(case: Case, observed: Plain) -> Iterator[Fault]:
    """No copy for which the code did not ask by name."""
    hidden = [one for one in read_copies(observed["copies"]) if one.hidden]
    if hidden:
        many = "copy" if len(hidden) == 1 else "copies, the first"
        told = f"{len(hidden)} hidden {many}: {copy_text(hidden[0])}"
        yield Fault("hidden", told, instead_of(hidden[0]))


def _of_copies(name: str, says: str, test: Test, asks: str) -> Property:
    return Property(name, says, 1, asks, unless_idle(name, test, _FEWEST_LAUNCHES))


JUDGE = Judge(
    title="Once there, once back",
    properties=(
        right_array(
            "same",
            "the same probabilities, as a float32 NumPy array; `x` and `d_w` are left alone",
            1,
            probabilities,
            asks="What does the old code give for the same input: an array of which library and "
            "dtype, and which numbers?",
            tolerance=room,
            dtype=lambda inputs: np.float32,
            library="numpy",
            leaves=("x", "d_w"),
        ),
        _of_copies(
            "in",
            "`x` is copied to the device once, and nothing else",
            copied_in,
            "Which of your lines copy something to the device, and what is in each such array?",
        ),
        _of_copies(
            "out",
            "the result is copied to the host once, and nothing else",
            copied_out,
            "Which line copies something to the host, and what do your lines do with it there?",
        ),
        _of_copies(
            "hidden",
            "no hidden copies",
            copied_unseen,
            "What is that needed for on the other side, and can it be used where it is?",
        ),
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
    varies=("launches", "moved_bytes", "extra_bytes"),
    predictions={
        "stay-on-device": Prediction(
            "how many copies between host and device does `predict_with_detours` make for 1,000 "
            "rows?",
            truth=1007,
            unit="copies",
            because="To the device: x, the standardized x, and e. To the host: mean, std, the "
            "logits, the totals, and in the loop one number for each of the 1,000 rows.",
        )
    },
)
