"""backward-by-hand: the gradients of a network of two layers, as products of matrices.

The truth is autograd's, in float64. A gradient counts as right if it follows from the learner's
own earlier gradients, so one mistake loses one property.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.exercises.compare import array_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.training.quiet import quiet_torch

Arrays = Mapping[str, np.ndarray]

REL = 1e-9
"""Of the largest number of a gradient. Sums of at most 40 products in float64 are off by 1e-14."""

_OF_PROPERTY = {
    "scores": ("s",),
    "stable": ("s",),
    "second-layer": ("w2", "b2"),
    "dropout": ("h",),
    "relu": ("z",),
    "sigmoid": ("z",),
    "first-layer": ("w1", "b1"),
}


def truth(inputs: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The gradients by autograd, and what the forward had: ``h``, ``d``, ``s`` as ``saved_...``."""
    import torch

    with quiet_torch():
        leaf = {
            name: torch.tensor(inputs[name], dtype=torch.float64, requires_grad=True)
            for name in ("w1", "b1", "w2", "b2")
        }
        z = torch.from_numpy(inputs["x"]) @ leaf["w1"] + leaf["b1"]
        h = torch.relu(z) if inputs["activation"] == "relu" else torch.sigmoid(z)
        d = h * torch.from_numpy(inputs["mask"]) / inputs["keep"]
        s = d @ leaf["w2"] + leaf["b2"]
        loss = torch.nn.functional.cross_entropy(s, torch.from_numpy(inputs["y"]))
        wanted = {"s": s, "h": h, "z": z, **leaf}
        found = torch.autograd.grad(loss, list(wanted.values()))
        kept = {f"saved_{name}": value.detach().numpy() for name, value in _named(h, d, s)}
        return kept | {name: value.numpy() for name, value in zip(wanted, found, strict=True)}


def _named(h: Any, d: Any, s: Any) -> list[tuple[str, Any]]:
    return [("h", h), ("d", d), ("s", s)]


def cases(rng: np.random.Generator) -> list[Case]:
    """Both activations, one sample and many, with dropout and without; scores in the thousands."""
    relu = ("scores", "second-layer", "dropout", "relu", "first-layer")
    sigmoid = ("scores", "second-layer", "dropout", "sigmoid", "first-layer")
    return [
        _case(rng, "ReLU, 5 samples", "relu", (5, 7, 6, 4), 0.8, relu),
        _case(rng, "sigmoid, 5 samples", "sigmoid", (5, 4, 9, 3), 0.6, sigmoid),
        _case(rng, "ReLU, 33 samples, no dropout", "relu", (33, 12, 17, 10), 1.0, relu),
        _case(rng, "sigmoid, large weights", "sigmoid", (8, 6, 5, 4), 0.75, sigmoid, spread=12.0),
        # Of the largest target alone, `one_hot` does not know how many classes there are.
        _case(rng, "one sample of class 0", "relu", (1, 3, 8, 2), 0.5, relu, seen=1),
        _case(rng, "scores in the thousands", "relu", (6, 5, 7, 4), 0.9, ("stable",), scores=3e3),
        _case(rng, "far below 0", "relu", (6, 5, 7, 4), 0.9, ("stable",), scores=3e3, low=9e4),
    ]


def _case(
    rng: np.random.Generator,
    label: str,
    activation: str,
    sizes: tuple[int, int, int, int],
    keep: float,
    decides: tuple[str, ...],
    *,
    spread: float = 1.0,
    scores: float = 1.0,
    seen: int | None = None,
    low: float = 0.0,
) -> Case:
    """``seen``: only so many of the classes are among the targets; all, by default.

    ``low``: how far below 0 all scores are.
    """
    n, i, h, c = sizes
    mask = (rng.random((n, h)) < keep).astype(np.float64)
    mask.flat[0] = 1.0
    if keep < 1:
        mask.flat[-1] = 0.0
    inputs = {
        "activation": activation,
        "keep": keep,
        "mask": mask,
        "x": rng.standard_normal((n, i)),
        "y": rng.integers(seen or c, size=n),
        "w1": spread * rng.standard_normal((i, h)),
        "b1": rng.standard_normal(h),
        "w2": scores * rng.standard_normal((h, c)),
        "b2": scores * rng.standard_normal(c) - low,
    }
    return Case(label, inputs, decides)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Each gradient by what came before it: the true one, or the learner's own."""
    true = truth(case.inputs)
    for prop in case.decides:
        for name in _OF_PROPERTY[prop]:
            if name in observed["problems"]:
                yield Fault(prop, observed["problems"][name])
            elif prop == "stable":
                yield from _stable(case, true, observed["arrays"][name])
            else:
                yield from _gradient(prop, name, case, true, observed["arrays"])


def is_same(got: np.ndarray, expected: np.ndarray) -> bool:
    """Whether two gradients agree but for rounding; NaN agrees with nothing."""
    size = max(float(np.abs(expected).max()), 1e-300)
    return got.shape == expected.shape and bool((np.abs(got - expected) <= REL * size).all())


def _gradient(prop: str, name: str, case: Case, true: Arrays, given: Arrays) -> Iterable[Fault]:
    own = {key: value for key, value in given.items() if _shows_much(value, true[key])}
    right = [true[name], *_following(name, case, true, own)]
    if any(is_same(given[name], way) for way in right):
        return
    # What follows from the learner's own gradients is what this property asks for.
    expected = right[-1]
    tolerance = REL * max(float(np.abs(expected).max()), 1e-300)
    told = "; about seven digits agree, and all is float64 here"
    is_single = np.allclose(given[name], expected, rtol=1e-4, atol=1e-5 * np.abs(expected).max())
    for fault in array_fault(prop, given[name], expected, tolerance=tolerance, name=name):
        yield replace(fault, message=fault.message + told * is_single)


def _following(name: str, case: Case, true: Arrays, own: Arrays) -> Iterable[np.ndarray]:
    """What the learner's own upstream gradient makes of this one, if there is one."""
    x, w2, mask = (case.inputs[key] for key in ("x", "w2", "mask"))
    slope = _slope(case.inputs["activation"], true["saved_h"])
    rules = {
        "w2": ("s", lambda s: true["saved_d"].T @ s),
        "b2": ("s", lambda s: s.sum(0)),
        "h": ("s", lambda s: (s @ w2.T) * mask / case.inputs["keep"]),
        "z": ("h", lambda h: h * slope),
        "w1": ("z", lambda z: x.T @ z),
        "b1": ("z", lambda z: z.sum(0)),
    }
    if name == "z" and "h" in own and not _has_cut(own["h"], slope) and _has_cut(true["h"], slope):
        return
    if name in rules and rules[name][0] in own:
        source, rule = rules[name]
        yield rule(own[source])


def _shows_much(own: np.ndarray, true: np.ndarray) -> bool:
    """Whether something follows from a gradient: of one that is 0 nearly everywhere, hardly."""
    enough = max(1, np.count_nonzero(true) / 2)
    return bool(np.isfinite(own).all()) and np.count_nonzero(own) >= enough


def _has_cut(gradient: np.ndarray, slope: np.ndarray) -> bool:
    """Whether the slope changes a gradient at all."""
    return bool((gradient * slope != gradient).any())


def _stable(case: Case, true: Arrays, got: np.ndarray) -> Iterable[Fault]:
    """Finite, and a softmax; what else is wrong with `s` is the matter of another property."""
    n, largest = len(got), float(np.abs(true["saved_s"]).max())
    slips = _slips_of_scores(case.inputs["y"], true)
    if not np.isfinite(got).all():
        yield Fault(
            "stable",
            f"with scores up to {largest:.0f}, {int((~np.isfinite(got)).sum())} of {got.size} "
            "elements of `s` are not finite",
        )
    elif not any(
        is_same(got * factor, wanted)
        for wanted in (true["s"] * n, *(slips if got.any() else ()))
        for factor in (n, 1, -n, -1, n * got.shape[1], got.shape[1])
    ):
        yield from array_fault("stable", got, true["s"], tolerance=REL, name="s")


def _slips_of_scores(y: np.ndarray, true: Arrays) -> list[np.ndarray]:
    """What ``s`` is after a slip that large scores have no part in, but for the mean's factor."""
    scores = true["saved_s"]
    right = np.eye(scores.shape[1])[y]
    p, down = _softmax(scores, 1), _softmax(scores, 0)
    return [p, down - right, p - right.max(axis=0), scores - right, p * (1 - p)]


def _softmax(s: np.ndarray, axis: int) -> np.ndarray:
    powers = np.exp(s - s.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def _slope(activation: str, h: np.ndarray) -> np.ndarray:
    return (h > 0).astype(float) if activation == "relu" else h * (1 - h)


JUDGE = Judge(
    title="How does a gradient find its way back?",
    properties=(
        Property(
            "scores",
            "`s`: the mean's gradient at the scores",
            1,
            asks="Take one sample. What is the softmax of its scores? What does its right class "
            "change about the gradient, and what does the mean over the samples?",
        ),
        Property(
            "stable",
            "`s`: finite and right for scores in the thousands",
            1,
            asks="Is `s` right for small scores? If it is, what is `exp` of the largest one here? "
            "A softmax stays the same if you subtract one number from all scores of a row.",
        ),
        Property(
            "second-layer",
            "`w2` and `b2`: the second layer's gradients",
            1,
            asks="The layer computes `s = d @ w2 + b2`. Which elements of `s` does one element of "
            "`w2` move, and by how much? And one of `b2`?",
        ),
        Property(
            "dropout",
            "`h`: dropped elements get nothing, the rest is scaled",
            1,
            asks="The forward pass computes `d = h * mask / keep`, and `s` from `d`. By how much "
            "does "
            "an element of `h` move `s`, where it was kept and where it was dropped?",
        ),
        Property(
            "relu",
            "`z`: back through a ReLU",
            1,
            asks="By how much does an element of `h` move when `z` moves, where `h` is 0 and "
            "where it is not?",
        ),
        Property(
            "sigmoid",
            "`z`: back through a sigmoid",
            1,
            asks="By how much does an element of `h` move when `z` moves? For a sigmoid you can "
            "tell from `h` itself.",
        ),
        Property(
            "first-layer",
            "`w1` and `b1`: the first layer's gradients",
            1,
            asks="The layer computes `z = x @ w1 + b1`. Which elements of `z` does one element of "
            "`w1` move, and by how much? And one of `b1`?",
        ),
    ),
    hints=(
        "Go through `forward` line by line, from the last to the first. For each line, what goes "
        "in, and how does the loss change when that changes? Every gradient has the shape of its "
        "tensor, and that alone decides most of the transposes.",
        "`s`: the softmax, minus 1 at the right class, divided by the number of samples. For "
        "`s = d @ w2 + b2`: `w2` gets `d.T @ ds`, `b2` the sum of `ds` over the batch, `d` gets "
        "`ds @ w2.T`. The same rule holds for the first layer.",
        "`p = s.softmax(dim=1)`; `p[torch.arange(len(y)), y] -= 1`; `ds = p / len(y)`. Then "
        "`dh = ds @ w2.T * mask / keep`, and `dz` is `dh * (h > 0)` for ReLU, `dh * h * (1 - h)` "
        "for sigmoid. Last `x.T @ dz` and `dz.sum(0)`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "backward-by-hand": Prediction(
            "what is the largest factor by which one sigmoid can multiply a gradient?",
            truth=0.25,
            because="`h (1 - h)` is largest where h is 1/2. Ten stacked sigmoids leave at most "
            "a millionth, before the weights come into it.",
        )
    },
)
