"""autocast: what runs in which dtype on CUDA, and a loss that 16 bits break in two places."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.mixed_precision.autocast.autocast_table import EXPRESSIONS


@dataclass(frozen=True)
class ExpectedDtype:
    """The dtype that an expression runs in, and the property that this decides."""

    dtype: str
    kind: str


TABLE: Mapping[str, ExpectedDtype] = {
    "x @ w": ExpectedDtype("float16", "products"),
    "torch.relu(x @ w)": ExpectedDtype("float16", "products"),
    "h + x": ExpectedDtype("float32", "unlisted"),
    "h * h": ExpectedDtype("float16", "unlisted"),
    "h ** 2": ExpectedDtype("float32", "listed"),
    "h.sum()": ExpectedDtype("float32", "listed"),
    "h.mean()": ExpectedDtype("float16", "unlisted"),
    "torch.exp(h)": ExpectedDtype("float32", "listed"),
    "torch.softmax(h, 1)": ExpectedDtype("float32", "listed"),
    "F.layer_norm(h, (8,)) @ w": ExpectedDtype("float16", "products"),
    "F.cross_entropy(h, y)": ExpectedDtype("float32", "listed"),
    "x.double() @ w.double()": ExpectedDtype("float64", "unlisted"),
}
"""Source: PyTorch documentation, torch.amp, Op Eligibility and CUDA Op-Specific Behavior."""

_KINDS = ("products", "listed", "unlisted")
_ROWS, _INPUTS, _HIDDEN = 24, 16, 32
_VERY_SURE = 9.0
"""A score from which on the sigmoid is 1 in fp16."""
_SUREST = 20.0
"""A score at which it is 1 in float32, too (from about 17 on)."""

_UNSEEN = 2.0**-13
"""The share by which a number of few digits may be larger that is still the same in fp16."""

_ROOM = 0.03
"""In nat: what rounding four times to fp16 does to scores of up to 20, with room to spare."""


def cases(rng: np.random.Generator) -> list[Case]:
    """The table; then losses with usual numbers, large ones, and scores far from 0."""
    drawn = [Case("the twelve expressions", {"ask": "table"}, _KINDS)]
    narrow = int(rng.integers(8, 12))
    drawn += [_loss(("half",), "usual numbers", rng, largest=8.0, surest=3.0, hidden=narrow)]
    drawn += [_with_empty_rows(drawn[-1])]
    # Above the 1e-5 that is added to their size, and far above what fp16 rounds to 0.
    drawn += [_loss(("half",), "hidden numbers up to 1 / 64", rng, largest=1 / 64, surest=3.0)]
    for largest, hidden in ((600.0, narrow), (6000.0, narrow), (30_000.0, _HIDDEN)):
        label = f"hidden numbers up to {largest:,.0f}"
        drawn.append(_loss(("large",), label, rng, largest=largest, surest=5.0, hidden=hidden))
    for surest, hidden in ((10.0, _HIDDEN), (12.0, narrow), (_SUREST, _HIDDEN)):
        label = f"scores from -{surest:g} to {surest:g}"
        drawn.append(_loss(("certain",), label, rng, largest=8.0, surest=surest, hidden=hidden))
    drawn += [_first_cancels(rng), _second_cancels(rng)]
    parts = {name: drawn[1].inputs[name] for name in ("x", "w1", "w2", "yes")}
    inputs = {"ask": "loss", "zeros": True, **parts}
    return [*drawn, Case("products that all give 0", inputs, ("half",), truth=math.log(2))]


def _first_cancels(rng: np.random.Generator) -> Case:
    """Each hidden number is of two products whose sum is exactly 0 where their factors are fp16."""
    v = rng.integers(8, 16, _ROWS) / 8
    x, w1 = np.zeros((_ROWS, _INPUTS)), np.zeros((_INPUTS, _HIDDEN))
    at, other = rng.choice(_INPUTS, 2, replace=False)
    x[:, at], x[:, other] = v * (1 + _UNSEEN), v
    w1[at] = rng.integers(4, 16, _HIDDEN)
    w1[other] = -w1[at]
    return _cancelling("hidden numbers", x, w1, np.full((_HIDDEN, 1), 4 / _HIDDEN))


def _second_cancels(rng: np.random.Generator) -> Case:
    """So is each score: of two equal hidden numbers."""
    x, w1, w2 = (np.zeros(shape) for shape in ((_ROWS, _INPUTS), (_INPUTS, _HIDDEN), (_HIDDEN, 1)))
    at, (one, other) = rng.integers(_INPUTS), rng.choice(_HIDDEN, 2, replace=False)
    x[:, at] = rng.integers(8, 16, _ROWS) / 8
    w1[at, [one, other]] = 1
    w2[[one, other], 0] = 4097, -4096  # neighbors are 4 apart there
    return _cancelling("scores", x, w1, w2)


def _cancelling(what: str, x: np.ndarray, w1: np.ndarray, w2: np.ndarray) -> Case:
    """All scores are 0 if factors are fp16, and several else; all labels are no."""
    parts = {"x": x, "w1": w1, "w2": w2, "yes": np.zeros((_ROWS, 1))}
    inputs = {name: part.astype(np.float32) for name, part in parts.items()}
    label = f"{what} that are 0 where they are computed from fp16"
    inputs = {"ask": "loss", "zeros": False, **inputs}
    return Case(label, inputs, ("half",), truth=math.log(2))


def _loss(
    props: tuple[str, ...],
    label: str,
    rng: np.random.Generator,
    *,
    largest: float,
    surest: float,
    hidden: int = _HIDDEN,
) -> Case:
    """Inputs and weights with hidden numbers up to ``largest``, scores up to ``surest``."""
    x = rng.standard_normal((_ROWS, _INPUTS))
    w1, w2 = rng.standard_normal((_INPUTS, hidden)), rng.standard_normal((hidden, 1))
    w2 -= w2.mean()
    x = x * largest / np.abs(x @ w1).max()
    w2 = w2 * surest / np.abs(scores(x, w1, w2)).max()
    z = scores(x, w1, w2)
    surest_row = np.abs(z) == np.abs(z).max()
    w2 = w2 * np.sign(z[surest_row][0])
    z = scores(x, w1, w2)
    # Most of the labels are right, so that the loss stays far from ln 2; a very sure one is not.
    flip = (np.abs(z) < 0.15 * surest) & (rng.random(z.shape) < 0.3)
    yes = (z > 0) ^ (flip | (surest_row & (surest > _VERY_SURE)))
    parts = {"x": x, "w1": w1, "w2": w2, "yes": yes}
    inputs = {name: part.astype(np.float32) for name, part in parts.items()}
    return Case(label, {"ask": "loss", "zeros": False, **inputs}, props)


def _with_empty_rows(case: Case) -> Case:
    """The same with some inputs for which every hidden number is 0: there 1e-5 is the divisor."""
    x = case.inputs["x"].copy()
    x[::5] = 0
    return Case("rows whose hidden numbers are all 0", {**case.inputs, "x": x}, case.decides)


def scores(x: np.ndarray, w1: np.ndarray, w2: np.ndarray) -> np.ndarray:
    """Outputs of the model before the sigmoid, (N, 1) in float64."""
    h = np.maximum(x @ w1, 0)
    return h / (np.sqrt((h * h).mean(axis=1, keepdims=True)) + 1e-5) @ w2


def loss(x: np.ndarray, w1: np.ndarray, w2: np.ndarray, yes: np.ndarray) -> float:
    """The model's loss in float64, from scores: log(1 + e^z) - yes z."""
    z = scores(*(part.astype(np.float64) for part in (x, w1, w2)))
    return float(np.mean(np.logaddexp(0, z) - yes * z))


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The table by the lists; the loss to a few hundredths; the products' dtypes."""
    if case.inputs["ask"] == "table":
        yield from _judge_table(observed["table"])
        return
    (prop,) = case.decides
    if prop == "half":
        yield from _judge_products(observed["products"])
    x, w1, w2, yes = (case.inputs[name] for name in ("x", "w1", "w2", "yes"))
    expected = loss(x, w1, w2, yes)
    got = observed["loss"]
    if case.truth is not None:
        if not abs(got - case.truth) <= _ROOM:
            source = "follows from products" if case.inputs["zeros"] else "is computed from float16"
            told = f"the loss is {show(got)}, and {show(case.truth)} where every score {source}"
            yield Fault("half", f"with {case.label}, {told}")
        return
    if not abs(got - expected) <= _ROOM * (1 + expected):
        yield Fault(
            prop,
            f"under autocast to float16 the loss is {show(got)}, in float32 {show(expected)}",
        )


def _judge_table(table: Mapping[str, str]) -> Iterable[Fault]:
    for kind in _KINDS:
        wrong = [t for t, row in TABLE.items() if row.kind == kind and table[t] != row.dtype]
        if wrong:
            text = wrong[0]
            more = f" ({len(wrong)} of them are wrong)" if len(wrong) > 1 else ""
            yield Fault(kind, f"`{text}` does not run in {table[text]}{more}")


def _judge_products(products: list[tuple[str, ...]]) -> Iterable[Fault]:
    others = [pair for pair in products if set(pair) != {"float16"}]
    if others:
        told = " and ".join(sorted(set(others[0])))
        yield Fault("half", f"a product of matrices was computed in {told}")
    elif len(products) < 2:
        yield Fault(
            "half",
            f"{len(products)} product{'' if len(products) == 1 else 's'} of matrices in float16, "
            "expected 2",
        )


def _require_all_rows() -> None:
    if TABLE.keys() != EXPRESSIONS.keys():
        raise ValueError("the table and the expressions differ")


_require_all_rows()

_LISTS = (
    "Look the last operation up in the lists. If it is in none, what is the dtype of what comes in?"
)
_LINES = (
    "Go through it line by line with such inputs, beside `half_loss` in float64. Where do the two "
    "first differ?"
)

JUDGE = Judge(
    title="What does autocast keep in float32?",
    properties=(
        Property(
            "products", "products run in 16 bits, and so does what only follows them", 1, _LISTS
        ),
        Property("listed", "what the lists name runs in float32", 1, _LISTS),
        Property("unlisted", "what no list names follows its inputs", 1, _LISTS),
        Property("large", "`safe_loss` is right where squares are above 65,504", 1, _LINES),
        Property("certain", "`safe_loss` is right where the model is nearly certain", 1, _LINES),
        Property(
            "half",
            "elsewhere `safe_loss` is `half_loss`, with both products in float16",
            1,
            "Go through it line by line with such inputs: where is it not `half_loss`, in value or "
            "in dtype?",
        ),
    ),
    hints=(
        "For the table: look the *last* operation up by its name; if it is in no list, what dtype "
        "comes in? For the loss: run it line by line under autocast with large inputs, and look "
        "for the first inf. Then with scores near 10, and near 20.",
        "`h * h` is in no list, so it is computed in fp16: up to which h can that go? `sigmoid` is "
        "in no list: what does 0.9999 become in fp16, and what is `1 - p` then? And in float32, "
        "where z is 20? The loss must be computed from z: the probability has lost it.",
        "`h = torch.relu(x @ w1).float()` keeps line 2 in float32. Lines 4 to 6 become "
        "`torch.nn.functional.binary_cross_entropy_with_logits(z.float(), yes)`, which is the same "
        "loss, taken from scores. The products convert what they get by themselves.",
    ),
    results=("half",),
    apart=("products", "listed", "unlisted"),
    cases=cases,
    verdict=verdict,
    predictions={
        "autocast": Prediction(
            "Under autocast on CUDA, h is float16. Which is computed in float32?",
            truth="only h ** 2",
            choices=("both", "neither", "only h * h", "only h ** 2"),
            because="Operations are looked up by name: `pow` (and `**`) is in the list for "
            "float32, `*` is in none. Both give nearly the same for squares from about 6e-5 (the "
            "smallest normal number of fp16) to 65,504, and only there.",
        )
    },
)
