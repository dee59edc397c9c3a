"""Known mistakes of backward-by-hand: what each would give, and a question about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

REL = 1e-9
"""Of the largest number of a gradient. Sums of at most 40 products in float64 are off by 1e-14."""

Facts = Mapping[str, Any]
"""Gradients by name, what the forward saved as ``saved_h``, ``saved_d``, ``saved_s``, the inputs;
``weights`` are those of the second layer."""

_TWICE = "The mean is taken a second time. It is in `s` already."
_NO_CLASS = "That is the softmax. What about the score of the right class?"


def is_same(got: np.ndarray, expected: np.ndarray) -> bool:
    """Whether two gradients agree but for rounding; NaN agrees with nothing."""
    size = max(float(np.abs(expected).max()), 1e-300)
    return got.shape == expected.shape and bool((np.abs(got - expected) <= REL * size).all())


def cause_of(name: str, got: np.ndarray, facts: Facts, own: Mapping[str, np.ndarray]) -> str:
    """The sentence of the first mistake that gives this, from true or from own gradients."""
    if not np.isfinite(got).all():
        return "There are numbers in it that are not finite."
    for known in (facts, {**facts, **own}):
        for gives, says in _KNOWN[name]:
            with np.errstate(all="ignore"):
                if is_same(got, gives(known)):
                    return says
    return ""


def _softmax(s: np.ndarray, axis: int = 1) -> np.ndarray:
    powers = np.exp(s - s.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def _only(activation: str, facts: Facts) -> float:
    """1, or nothing that agrees with anything where the network has the other activation."""
    return 1.0 if facts["activation"] == activation else np.nan


def _hot(facts: Facts) -> np.ndarray:
    return np.eye(facts["saved_s"].shape[1])[facts["y"]]


def _sigmoid(z: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-z))


_SCORES: tuple[tuple[Callable[[Facts], np.ndarray], str], ...] = (
    (
        lambda f: f["s"] * len(f["s"]),
        "That is the gradient of the *sum* over the batch. `cross_entropy` takes the mean.",
    ),
    (lambda f: -f["s"], "The sign is turned: this way the loss would grow."),
    (
        lambda f: f["s"] / f["s"].shape[1],
        "That divides by the number of classes, too. Over what is the mean taken?",
    ),
    (
        lambda f: f["s"] * len(f["s"]) / f["s"].shape[1],
        "That divides by the number of classes. The mean is over samples.",
    ),
    (lambda f: _softmax(f["saved_s"]) / len(f["s"]), _NO_CLASS),
    (lambda f: _softmax(f["saved_s"]), _NO_CLASS),
    (
        lambda f: (_softmax(f["saved_s"], 0) - _hot(f)) / len(f["s"]),
        "That takes the softmax down the batch. The scores of *one sample* compete.",
    ),
    (
        lambda f: (_softmax(f["saved_s"]) - _hot(f).max(axis=0)) / len(f["s"]),
        "`p[:, y] -= 1` takes 1 from those columns in *every* row. Each row has its own right "
        "class: `p[torch.arange(len(y)), y]`.",
    ),
    (
        lambda f: (f["saved_s"] - _hot(f)) / len(f["s"]),
        "Those are the scores less the right class: where is the softmax?",
    ),
    (
        lambda f: _softmax(f["saved_s"]) * (1 - _softmax(f["saved_s"])) / len(f["s"]),
        "`p (1 - p)` is how one probability follows its own score. The loss is the logarithm of "
        "the right one, which follows all scores.",
    ),
)


def score_slips(facts: Facts) -> list[np.ndarray]:
    """What ``s`` is after one slip that has nothing to do with large scores."""
    return [gives(facts) for gives, _ in _SCORES]


_KNOWN: dict[str, tuple[tuple[Callable[[Facts], np.ndarray], str], ...]] = {
    "s": _SCORES,
    "w2": (
        (
            lambda f: f["saved_h"].T @ f["s"],
            "That uses `h`. What did the second layer read: what was before dropout, or after?",
        ),
        (lambda f: f["saved_d"].T @ f["s"] / len(f["s"]), _TWICE),
    ),
    "b2": ((lambda f: f["s"].mean(0), _TWICE),),
    "h": (
        (
            lambda f: f["s"] @ f["weights"].T,
            "That is the gradient of `d`. What was dropped in the forward had no part in the loss.",
        ),
        (
            lambda f: (f["s"] @ f["weights"].T) * f["mask"],
            "The mask is there, the scale is not: the forward divided by `keep`. What does that "
            "do to the gradient?",
        ),
        (
            lambda f: (f["s"] @ f["weights"].T) / f["keep"],
            "The scale is there, the mask is not. What was dropped had no part in the loss.",
        ),
        (
            lambda f: (f["s"] @ f["weights"].T) * f["mask"] * f["keep"],
            "That multiplies by `keep`. The forward divided by it, and so does the way back.",
        ),
        (
            lambda f: f["z"],
            'That is the gradient of `z` already: the slope of the activation belongs under "z", '
            'not under "h".',
        ),
    ),
    "z": (
        (
            lambda f: f["h"] * f["saved_h"],
            "That multiplies by `h` itself. How much does `h` move when `z` moves?",
        ),
        (
            lambda f: _only("relu", f) * f["h"],
            "The gradient of `h` comes through unchanged. Where ReLU gave 0, does `z` still move "
            "the loss? (`h >= 0` is true everywhere.)",
        ),
        (
            lambda f: _only("sigmoid", f) * f["h"],
            "The gradient of `h` comes through unchanged. How steep is a sigmoid? (ReLU's rule "
            "does that: what a sigmoid gives is always above 0.)",
        ),
        (
            lambda f: f["h"] * _sigmoid(f["saved_h"]) * (1 - _sigmoid(f["saved_h"])),
            "`h` is the sigmoid's *output* already: that takes the sigmoid twice.",
        ),
        (
            lambda f: f["h"] * f["saved_h"] * (1 - f["saved_h"]),
            "That is the sigmoid's rule, and this network has a ReLU.",
        ),
        (
            lambda f: f["h"] * f["saved_d"] * (1 - f["saved_d"]),
            "That takes the slope from `d`, behind dropout. The sigmoid gave `h`.",
        ),
        (lambda f: f["h"] * (1 - f["saved_h"] ** 2), "That is the rule of tanh."),
        (lambda f: f["h"] * (1 - f["saved_h"]), "A sigmoid's slope is `h (1 - h)`, both of them."),
    ),
    "w1": (
        (
            lambda f: f["x"].T @ f["h"],
            "That goes from `h` to `w1` and leaves out the activation between them.",
        ),
        (lambda f: f["x"].T @ f["z"] / len(f["x"]), _TWICE),
    ),
    "b1": (
        (lambda f: f["h"].sum(0), "That leaves out the activation between `h` and `z`."),
        (lambda f: f["z"].mean(0), _TWICE),
    ),
}
