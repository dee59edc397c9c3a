"""no-loops: nearest neighbors by broadcasting, on NumPy and CuPy, without a large temporary."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuedu.exercises.arrays.properties import copy_text, instead_of, right_array, unless_idle
from gpuedu.exercises.arrays.watching import read_copies
from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import (
    Case,
    Fault,
    Inputs,
    Judge,
    Plain,
    Prediction,
    Property,
    Test,
    Undecided,
)
from gpuedu.exercises.cupy.no_loops.play import ARGUMENTS, GROWTH, ROOM, grown

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
_ONE_NUMBER_BYTES = 8
_CLOSE = 1e-9
"""How far apart distances around 1 are that only float64 tells apart."""
_FAR = 1e7
"""Distances beside which a part of ``_CLOSE`` gets lost, even in float64."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Each function with each library; then what they cost on the device."""
    drawn = []
    # What runs on the device is compared with what NumPy gives in the same case, so that counts.
    for library, others in (("numpy", ()), ("cupy", ("both",))):
        for shape in _SHAPES:
            drawn.append(_distances(rng, library, shape, ("distances", *others)))
        drawn.append(_distances(rng, library, (5, 17, 6), ("distances", *others), np.float64))
        for numbers in _VOTES:
            drawn.append(_votes(rng, library, numbers, ("vote", *others)))
        drawn.append(_close_votes(rng, library, ("vote", *others)))
    drawn.append(_many_votes(rng, ("vote",)))
    drawn.append(_distances(rng, "cupy", _COST, ("distances", "memory", "loops"), grows=True))
    drawn.append(_votes(rng, "cupy", (12, 40, 3, 4, 30), ("vote", "loops"), grows=True))
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


def _close_votes(rng: np.random.Generator, library: str, decides: tuple[str, ...]) -> Case:
    """Distances in float64: close to 0 on either side, close to 1, and large with many ties."""
    case = _votes(rng, library, (16, 129, 20, 50, 1), decides)
    distances = _CLOSE * rng.integers(-20, 20, (16, 129)).astype(np.float64)
    distances[::4] += 1
    distances[1::2] = _FAR + rng.integers(0, 2, (8, 129))
    label = f"{case.label}, float64, distances close to 0 on either side, close to 1, or large"
    return Case(label, {**case.inputs, "distances": distances}, decides)


def _many_votes(rng: np.random.Generator, decides: tuple[str, ...]) -> Case:
    """More classes, and more votes for one of them, than a number of one byte can hold."""
    case = _votes(rng, "numpy", (3, 600, 500, 300, 1000), decides)
    frequent = rng.choice([299, 7, -1], 600, p=[0.6, 0.2, 0.2])
    labels = np.where(frequent < 0, case.inputs["labels"], frequent).astype(np.int32)
    return Case(f"{case.label}, 300 classes", {**case.inputs, "labels": labels}, decides)


_NAMES = {"numpy": "NumPy", "cupy": "CuPy"}


def squared_distances(inputs: Inputs) -> np.ndarray:
    """(m, n) float64."""
    queries, points = (inputs[name].astype(np.float64) for name in ("queries", "points"))
    return ((queries[:, None] - points) ** 2).sum(axis=2)


def rounding(inputs: Inputs) -> np.ndarray:
    """(m, n): how far off a squared distance may be where it is multiplied out."""
    queries, points = (inputs[name].astype(np.float64) for name in ("queries", "points"))
    size = np.sqrt((queries**2).sum(1))[:, None] + np.sqrt((points**2).sum(1))
    terms = queries.shape[1] / 4 + 8
    return terms * np.finfo(inputs["queries"].dtype).eps * size**2


def votes(inputs: Inputs) -> np.ndarray:
    """(m,) labels by the rule: nearer first, then the smaller index; then the smaller label."""
    distances, labels, k, classes = (inputs[name] for name in ARGUMENTS["vote"])
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
    counts = (labels[nearest][:, :, None] == np.arange(classes)).sum(axis=1)
    return counts.argmax(axis=1).astype(np.float64)


def runs_on_both(case: Case, observed: Plain) -> Iterator[Fault]:
    """CuPy gives what the same lines give with NumPy, right or wrong, and copies no array.

    A single number may come to the host, unasked: some of CuPy's functions need one.
    """
    if observed["library"] != "cupy":
        yield Fault("both", "with CuPy arrays it returned a NumPy array")
    copies = [
        one
        for one in read_copies(observed["copies"])
        if not (one.hidden and one.size_bytes <= _ONE_NUMBER_BYTES)
    ]
    if copies:
        first, many = copies[0], "copy" if len(copies) == 1 else "copies"
        told = f"{len(copies)} {many} between host and device; the first: {copy_text(first)}"
        yield Fault("both", told, instead_of(first) if first.hidden else "")
    if observed["steps_of_numpy"]:
        told = f"{observed['steps_of_numpy']} operations and copies on the device"
        yield Fault("both", f"{told} when it was given NumPy arrays, and `xp` was NumPy")
    yield from unlike_numpy(case, observed)


def unlike_numpy(case: Case, observed: Plain) -> Iterator[Fault]:
    """What comes out on the device is what NumPy gives, right or wrong."""
    name, got, expected = case.inputs["ask"], observed["on_device"], observed["result"]
    if got.shape != expected.shape:
        shapes = f"has shape {got.shape}, with NumPy {expected.shape}"
        yield Fault("both", f"with CuPy `{name}` {shapes}")
        return
    room = 1e-4 * np.abs(expected).max(initial=0)
    yield from array_fault("both", got, expected.astype(np.float64), tolerance=room, name=name)


def if_near(name: str, test: Test) -> Test:
    """The same test, undecided where it finds nothing in a call that gave nothing like NumPy's."""

    def tested(case: Case, observed: Plain) -> Iterator[Fault]:
        faults = list(unless_idle(name, test)(case, observed))
        yield from faults
        if not faults and not all(one.is_near for one in unlike_numpy(case, observed)):
            yield Undecided(name, "what comes out on the device is not what NumPy gives")

    return tested


def grows(case: Case, observed: Plain) -> Iterator[Fault]:
    """As many operations with more points, and with more queries; a copy is one, too."""
    few = observed["steps"]
    for more, what in zip(observed["steps_grown"], ("points", "queries"), strict=True):
        if more > few:
            told = f"with {GROWTH} times as many {what}, {more}"
            yield Fault("loops", f"{few} operations and copies on the device; {told}")
            return
    name = case.inputs["ask"]
    if not _is_right(name, observed["on_device"], case.inputs):
        return  # another property says so
    given = [case.inputs[one] for one in ARGUMENTS[name]]
    for axis, got in zip((1, 0), observed["grown"], strict=True):
        more = dict(zip(ARGUMENTS[name], grown(name, given, axis), strict=True))
        if not _is_right(name, got, more):
            told = "that is judged once what comes out of that is right, too"
            yield Undecided("loops", f"{GROWTH} times as many points, or queries: {told}")
            return


def _is_right(name: str, got: np.ndarray, given: Inputs) -> bool:
    wanted = squared_distances(given) if name == "squared_distances" else votes(given)
    room = 1e-4 * np.abs(wanted).max(initial=0)
    return got.shape == wanted.shape and np.allclose(got, wanted, rtol=0, atol=room)


def needs_room(case: Case, observed: Plain) -> Iterator[Fault]:
    """Memory beside the arguments, in units of the result."""
    queries, points = case.inputs["queries"], case.inputs["points"]
    result_bytes = len(queries) * len(points) * queries.itemsize
    extra_bytes = observed["extra_bytes"]
    if extra_bytes > ROOM * result_bytes:
        yield Fault(
            "memory",
            f"{extra_bytes:,} bytes of device memory at once, {extra_bytes / result_bytes:.0f} "
            f"times the result, which has {result_bytes:,}",
        )


JUDGE = Judge(
    title="Neighbors without a loop",
    properties=(
        right_array(
            "distances",
            "squared distances are right, in the dtype of the arrays, which are left alone",
            1,
            squared_distances,
            asks="For one query and one point: which numbers do your lines add up, in which dtype, "
            "and where in the result is their sum?",
            tolerance=rounding,
            array="distances",
            dtype=lambda inputs: inputs["queries"].dtype,
            leaves=("queries", "points"),
        ),
        right_array(
            "vote",
            "labels are right, ties as stated; the arrays are left alone",
            1,
            votes,
            asks="For one row: which points are its k nearest, ties included, and which of their "
            "labels do your lines choose?",
            array="votes",
            dtype=lambda inputs: np.integer,
            leaves=("distances", "labels"),
        ),
        Property(
            "both",
            "the same lines run on CuPy arrays, and no array is copied to the host",
            1,
            "Follow the CuPy arrays through your lines: which line does something else with them "
            "than with NumPy's?",
            runs_on_both,
        ),
        Property(
            "loops",
            "more points or queries do not take more operations",
            1,
            "Which of your operations are repeated for more points or queries? "
            "(`apply_along_axis` and `vectorize` are loops, too.)",
            if_near("loops", grows),
        ),
        Property(
            "memory",
            f"room for {ROOM} arrays of shape (m, n) is enough",
            1,
            "Which arrays of yours exist at the same time, and which shape and dtype has each?",
            if_near("memory", needs_room),
        ),
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
    results=("distances", "vote"),
    cases=cases,
    varies=("launches", "steps", "steps_grown", "moved_bytes"),
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
