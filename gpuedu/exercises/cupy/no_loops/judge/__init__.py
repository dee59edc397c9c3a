"""no-loops: nearest neighbours by broadcasting, on NumPy and CuPy, without a large temporary."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property, Undecided
from gpuedu.exercises.cupy.judge.copies import copies_fault
from gpuedu.exercises.cupy.no_loops.judge.neighbours import distance_slip, true_votes, vote_slip
from gpuedu.exercises.cupy.no_loops.play import GROWTH

ROOM = 8
"""Arrays of the result's size that may exist at a time."""

_SHAPES = ((7, 33, 3), (31, 130, 40), (1, 1, 1))
_VOTES = (
    # m, n, k, classes, how many different distances
    (33, 129, 5, 4, 6),
    (16, 40, 3, 5, 1000),
    (16, 40, 40, 3, 1000),
    (9, 33, 1, 3, 4),
    (1, 1, 1, 2, 1),
)
_COST = (48, 96, 64)


def cases(rng: np.random.Generator) -> list[Case]:
    """Each function with each library; then what they cost on the device."""
    drawn = []
    for library, prop in (("numpy", ""), ("cupy", "both")):
        for shape in _SHAPES:
            drawn.append(_distances(rng, library, shape, (prop or "distances",)))
        drawn.append(_distances(rng, library, (5, 17, 6), (prop or "distances",), np.float64))
        for numbers in _VOTES:
            drawn.append(_votes(rng, library, numbers, (prop or "vote",)))
    drawn.append(_distances(rng, "cupy", _COST, ("memory", "loops"), grows=True))
    drawn.append(_votes(rng, "cupy", (12, 40, 3, 4, 30), ("loops",), grows=True))
    return drawn


def _distances(
    rng: np.random.Generator,
    library: str,
    shape: tuple[int, int, int],
    decides: tuple[str, ...],
    dtype: type = np.float32,
    *,
    grows: bool = False,
) -> Case:
    m, n, d = shape
    inputs = {
        "ask": "squared_distances",
        "library": library,
        "queries": rng.normal(0.5, 2, (m, d)).astype(dtype),
        "points": rng.normal(0, 2, (n, d)).astype(dtype),
        "grows": grows,
    }
    label = f"{_NAMES[library]}, m = {m}, n = {n}, d = {d}, {np.dtype(dtype)}"
    return Case(label, inputs, decides)


def _votes(
    rng: np.random.Generator,
    library: str,
    numbers: tuple[int, int, int, int, int],
    decides: tuple[str, ...],
    *,
    grows: bool = False,
) -> Case:
    m, n, k, classes, levels = numbers
    inputs = {
        "ask": "vote",
        "library": library,
        "distances": rng.integers(0, levels, (m, n)).astype(np.float32) / 4,
        "labels": rng.integers(0, classes, n).astype(np.int32),
        "k": k,
        "classes": classes,
        "grows": grows,
    }
    return Case(f"{_NAMES[library]}, m = {m}, n = {n}, k = {k}", inputs, decides)


_NAMES = {"numpy": "NumPy", "cupy": "CuPy"}


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Values with either library; launches and memory on the device."""
    if "loops" in case.decides:
        yield from _cost_faults(case, observed)
    elif "both" in case.decides:
        yield from _library_faults(case, observed)
    elif case.inputs["ask"] == "vote":
        yield from _vote_faults("vote", case, observed["result"])
    else:
        yield from _distance_faults("distances", case, observed["result"])


def _distance_faults(prop: str, case: Case, got: np.ndarray) -> Iterator[Fault]:
    queries, points = (case.inputs[name].astype(np.float64) for name in ("queries", "points"))
    dtype = case.inputs["queries"].dtype
    expected = ((queries[:, None] - points) ** 2).sum(axis=2)
    yield from _shape_faults(prop, "squared_distances", got, expected.shape)
    if got.shape != expected.shape:
        return
    if got.dtype != dtype:
        yield Fault(
            prop,
            f"the arrays are {dtype}, the result is {got.dtype}",
            "Which array of yours has another dtype? `xp.zeros` makes float64 unless it is told.",
        )
    size = np.sqrt((queries**2).sum(1))[:, None] + np.sqrt((points**2).sum(1))
    terms = queries.shape[1] / 4 + 8
    tolerance = terms * np.finfo(dtype).eps * size**2
    slip = distance_slip(got.astype(np.float64), queries, points, expected, 4 * tolerance)
    yield from array_fault(prop, got, expected, tolerance=tolerance, name="distances", cause=slip)


def _vote_faults(prop: str, case: Case, got: np.ndarray) -> Iterator[Fault]:
    inputs = {name: case.inputs[name] for name in ("distances", "labels", "k", "classes")}
    expected = true_votes(**inputs)
    counted = got.shape == (expected.size, case.inputs["classes"])
    cause = "These are the numbers of votes. Which label has the most?" if counted else ""
    yield from _shape_faults(prop, "vote", got, expected.shape, cause)
    if got.shape != expected.shape:
        return
    if got.dtype.kind not in "iu":
        yield Fault("vote", f"the labels are {got.dtype}, expected whole numbers")
    yield from array_fault(
        prop,
        got,
        expected.astype(np.float64),
        tolerance=0,
        name="votes",
        cause=vote_slip(got, **inputs),
    )


def _shape_faults(
    prop: str, name: str, got: np.ndarray, shape: tuple[int, ...], cause: str = ""
) -> Iterator[Fault]:
    if got.shape != shape:
        yield Fault(prop, f"`{name}` returned shape {got.shape}, expected {shape}", cause)


def _library_faults(case: Case, observed: Plain) -> Iterator[Fault]:
    """Whether CuPy gives what the same lines give with NumPy, right or wrong."""
    if observed["library"] != "cupy":
        yield Fault(
            "both",
            "with CuPy arrays it returned a NumPy array",
            "Which line leaves the device? Use functions of `xp` only.",
        )
    yield from copies_fault("both", observed["copies"])
    name, got, expected = case.inputs["ask"], observed["result"], observed["on_numpy"]
    if got.shape != expected.shape:
        yield Fault(
            "both", f"with CuPy `{name}` has shape {got.shape}, with NumPy {expected.shape}"
        )
        return
    room = 1e-4 * np.abs(expected).max(initial=0)
    slip = "It should be what the same call gives with NumPy."
    expected = expected.astype(np.float64)
    yield from array_fault("both", got, expected, tolerance=room, name=name, cause=slip)


def _cost_faults(case: Case, observed: Plain) -> Iterator[Fault]:
    few, more_points, more_queries = observed["launches"]
    if not few:
        for prop in case.decides:
            yield Undecided(prop, "nothing was done on the device")
        return
    for more, what in ((more_points, "points"), (more_queries, "queries")):
        if more > few:
            yield Fault(
                "loops",
                f"{few} operations on the device; with {GROWTH} times as many {what}, {more}",
                f"Which loop of yours runs over {what}? (`apply_along_axis` and `vectorize` are "
                "loops, too.) Let an axis of an array do that.",
            )
            break
    if "memory" in case.decides:
        yield from _memory_faults(case, observed["extra_bytes"])


def _memory_faults(case: Case, extra_bytes: int) -> Iterator[Fault]:
    queries, points = case.inputs["queries"], case.inputs["points"]
    m, n = len(queries), len(points)
    result_bytes = m * n * queries.itemsize
    if extra_bytes > ROOM * result_bytes:
        yield Fault(
            "memory",
            f"{extra_bytes:,} bytes of device memory at a time, {extra_bytes / result_bytes:.0f} "
            f"times the result, which has {result_bytes:,}",
            "Which expression of yours makes an array of shape (m, n, d)? What do you get when "
            "you multiply (q - p)**2 out, and sum each term over the features?",
        )


JUDGE = Judge(
    title="Neighbours without a loop",
    properties=(
        Property("distances", "squared distances are right, in the dtype of the arrays", 1),
        Property("vote", "labels are right, ties as stated", 1),
        Property("both", "the same lines run on CuPy arrays, and nothing leaves the device", 1),
        Property("loops", "more points or queries do not take more operations", 1),
        Property("memory", f"room for {ROOM} arrays of shape (m, n) is enough", 1),
    ),
    hints=(
        "For one feature, `queries[:, None, 0] - points[None, :, 0]` has shape (m, n). How do all "
        "features get into an array of that shape, without an axis for them? And for the vote: "
        "what shape has `labels[nearest]` if `nearest` is (m, k)?",
        "(q - p)**2 summed over the features is the sum of q**2, minus 2 times the sum of q p, "
        "plus the sum of p**2. The middle one is a matrix product. Votes: compare the (m, k) "
        "labels with `xp.arange(classes)` along a new axis, and count along axis 1.",
        "`(queries**2).sum(axis=1)[:, None] + (points**2).sum(axis=1) - 2 * queries @ points.T`; "
        '`nearest = xp.argsort(distances, axis=1, kind="stable")[:, :k]`; '
        "`(labels[nearest][:, :, None] == xp.arange(classes)).sum(axis=1)`, and of that the "
        "`argmax(axis=1)`, which takes the first of equal ones.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "no-loops": Prediction(
            "how many GB does the temporary array take for 10,000 queries, 10,000 points and 64 "
            "features in float32?",
            truth=25.6,
            unit="GB",
            because="10,000 x 10,000 x 64 differences of 4 bytes, and their squares as much again. "
            "The result, 10,000 x 10,000, has 0.4 GB.",
        )
    },
)
