"""autocast: what runs in which dtype on CUDA, and a loss that 16 bits break in two places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gpuedu.exercises.compare import show
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.mixed_precision.autocast.autocast_table import EXPRESSIONS


@dataclass(frozen=True)
class Row:
    """What an expression runs in, which property that decides, and a question that leads there."""

    dtype: str
    kind: str
    ask: str


_BY_INPUT = "which list has `*`? If none has, what is the dtype of what comes in?"

TABLE: Mapping[str, Row] = {
    "x @ w": Row("float16", "products", "which list has `@`?"),
    "torch.relu(x @ w)": Row(
        "float16", "products", "`relu` is in no list, so what does `x @ w` hand to it?"
    ),
    "h + x": Row("float32", "unlisted", "two dtypes meet, and `+` is in no list."),
    "h * h": Row("float16", "unlisted", _BY_INPUT),
    "h ** 2": Row("float32", "listed", "which list has `**`?"),
    "h.sum()": Row("float32", "listed", "which list has `sum`?"),
    "h.mean()": Row("float16", "unlisted", "`sum` is in a list; is `mean`?"),
    "torch.exp(h)": Row("float32", "listed", "which list has `exp`?"),
    "torch.softmax(h, 1)": Row("float32", "listed", "which list has `softmax`?"),
    "F.layer_norm(h, (8,)) @ w": Row(
        "float16", "products", "the last operation is `@`; what it gets is converted."
    ),
    "F.cross_entropy(h, y)": Row("float32", "listed", "it is a loss."),
    "x.double() @ w.double()": Row("float64", "unlisted", "what does autocast do with float64?"),
}
"""Source: PyTorch documentation, torch.amp, Op Eligibility and CUDA Op-Specific Behavior."""

_KINDS = ("products", "listed", "unlisted")
_ROWS, _INPUTS, _HIDDEN = 24, 16, 32
_VERY_SURE = 9.0
"""A score from which on the sigmoid is 1 in fp16."""
_SUREST = 20.0
"""A score at which it is 1 in float32, too (from about 17 on)."""

_ROOM = 0.03
"""In nat: what rounding four times to fp16 does to scores of up to 20, with room to spare."""


def cases(rng: np.random.Generator) -> list[Case]:
    """The table; then losses with usual numbers, large ones, and scores far from 0."""
    drawn = [Case("the twelve expressions", {"ask": "table"}, _KINDS)]
    drawn += [_loss(("half",), "usual numbers", rng, largest=8.0, surest=3.0)]
    for largest in (600.0, 6000.0, 30_000.0):
        label = f"hidden numbers up to {largest:,.0f}"
        drawn.append(_loss(("large",), label, rng, largest=largest, surest=5.0))
    for surest in (10.0, 12.0, _SUREST):
        label = f"scores from -{surest:g} to {surest:g}"
        drawn.append(_loss(("certain",), label, rng, largest=8.0, surest=surest))
    return drawn


def _loss(
    props: tuple[str, ...], label: str, rng: np.random.Generator, *, largest: float, surest: float
) -> Case:
    """Inputs and weights with hidden numbers up to ``largest``, scores up to ``surest``."""
    x = rng.standard_normal((_ROWS, _INPUTS))
    w1, w2 = rng.standard_normal((_INPUTS, _HIDDEN)), rng.standard_normal((_HIDDEN, 1))
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
    return Case(label, {"ask": "loss", **inputs}, props)


def scores(x: np.ndarray, w1: np.ndarray, w2: np.ndarray) -> np.ndarray:
    """What the model gives before the sigmoid, (N, 1) in float64."""
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
    if not abs(got - expected) <= _ROOM * (1 + expected):
        yield Fault(
            prop,
            f"under autocast to float16 the loss is {show(got)}, in float32 {show(expected)}",
            _cause(prop, got, observed["powers"], float(np.abs(scores(x, w1, w2)).max())),
        )


def _judge_table(table: Mapping[str, str]) -> Iterable[Fault]:
    for kind in _KINDS:
        wrong = [t for t, row in TABLE.items() if row.kind == kind and table[t] != row.dtype]
        if wrong:
            text = wrong[0]
            more = f" ({len(wrong)} of them are wrong)" if len(wrong) > 1 else ""
            yield Fault(
                kind,
                f"`{text}` does not run in {table[text]}{more}",
                f"For `{text}`: {TABLE[text].ask}",
            )


def _judge_products(products: list[tuple[str, ...]]) -> Iterable[Fault]:
    others = [pair for pair in products if set(pair) != {"float16"}]
    if others:
        told = " and ".join(sorted(set(others[0])))
        yield Fault(
            "half",
            f"a product of matrices was computed in {told}",
            "Only the two operations that break need float32. Is all of the model in a block "
            "without autocast?",
        )
    elif len(products) < 2:
        yield Fault(
            "half",
            f"{len(products)} product{'' if len(products) == 1 else 's'} of matrices in float16, "
            "expected 2",
            "`x @ w1` and the product with `w2` are the work of this model.",
        )


def _cause(prop: str, got: float, powers: Sequence[str], surest: float) -> str:
    if prop == "large" and "float16" in powers:
        return (
            "`**` ran in float16: it is in CUDA's list, but this check runs on a CPU, which has it "
            "in none. What holds on both?"
        )
    if prop == "large" and np.isfinite(got):
        what = "Every score is" if abs(got - np.log(2)) < 0.01 else "Some scores are"
        return f"{what} 0. Which number was infinite, so that dividing by it gave 0?"
    if prop == "certain" and not np.isfinite(got) and surest > _SUREST - 1:
        return (
            "Some `1 - p` is 0 in float32, too: its next number below 1 is 6e-8 away. Which "
            "function of PyTorch computes this loss from the score itself, without a chance?"
        )
    if prop == "certain" and not np.isfinite(got):
        return "Some `1 - p` is 0. Which numbers are there in fp16 just below 1?"
    if not np.isfinite(got):
        return "Print the largest number of each line. Which line gives the first inf or NaN?"
    return "Does it still compute the same loss?"


def _require_all_rows() -> None:
    if TABLE.keys() != EXPRESSIONS.keys():
        raise ValueError("the table and the expressions differ")


_require_all_rows()

JUDGE = Judge(
    title="What does autocast keep in float32?",
    properties=(
        Property("products", "products run in 16 bits, and so does what only follows them", 1),
        Property("listed", "what the lists name runs in float32", 1),
        Property("unlisted", "what no list names follows its inputs", 1),
        Property("large", "`safe_loss` is right where squares are above 65,504", 1),
        Property("certain", "`safe_loss` is right where the model is nearly certain", 1),
        Property("half", "`safe_loss` computes its two products in float16", 1),
    ),
    hints=(
        "For the table: look the *last* operation up by its name; if it is in no list, what dtype "
        "comes in? For the loss: run it line by line under autocast with large inputs, and look "
        "for the first inf. Then with scores near 10, and near 20.",
        "`h * h` is in no list, so it is computed in fp16: up to which h can that go? `sigmoid` is "
        "in no list: what does 0.9999 become in fp16, and what is `1 - p` then? And in float32, "
        "where z is 20? The loss must be computed from z: the chance has lost it.",
        "`h = torch.relu(x @ w1).float()` keeps line 2 in float32. Lines 4 to 6 become "
        "`torch.nn.functional.binary_cross_entropy_with_logits(z.float(), yes)`, which is the same "
        "loss, taken from scores. The products convert what they get by themselves.",
    ),
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
    seeds=20,
)
