"""adam-in-half: what Adam's state loses in 16 bits, and a step that keeps it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from gpuedu.exercises.compare import show, show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.mixed_precision.formats import FP16
from gpuedu.exercises.mixed_precision.judge import rounding

_EBBING = np.array([[1.0], [0.25], [-0.5], [1.0]])
"""What gradients are multiplied by in each step: by their signs alone nobody finds Adam's way."""


def cases(rng: np.random.Generator) -> list[Case]:
    """Decays of v; gradients of 0, tiny and large ones, and many updates below half a step."""
    decays = [0.999, 0.9, _decay(rng)]
    drawn = [_survivor(decay) for decay in decays]
    n = 16
    zeros = np.zeros((5, n))
    some = rng.choice([0.0, 1e-3], (5, n))
    some[:, 0] = 0.0
    tiny = rng.uniform(1, 30, n) * 2.0**-24
    tiny[:3] = 2.0**-24  # six times eps: without that, these weights move 17% too far
    large = rng.uniform(9_000, 60_000, n)  # 0.001 * g * g overflows, too, in any order
    usual = rng.standard_normal((200, n)) * 0.01 + 0.01
    changing = usual[:60].copy()
    changing[10:45] *= 0.02  # v falls, and then an update is longer than the rate
    changing[5:9, ::2] = 0.0
    changing[7] = 0.0  # what is remembered moves weights then, too
    falling = np.repeat([1e-3, 4e-4], 30)
    drawn += [
        _steps("finite", "gradients of 0", zeros, 1e-3, rng),
        _steps("finite", "gradients of which some are 0", some, 1e-3, rng),
        _steps("small", "gradients below 2e-6", np.tile(tiny, (4, 1)), 0.03, rng),
        _steps("small", "gradients near 1e-4", _EBBING * 200 * tiny, 0.03, rng),
        _steps("large", "gradients from 9,000 to 60,000", _EBBING * large, 0.03, rng),
        _steps("follows", "200 updates below half a step", usual, 2e-5, rng),
        _steps("follows", "200 updates, rate 0.001", usual[:, ::-1], 1e-3, rng),
        _steps("follows", "60 updates of 2 x 8 weights", usual[:60].reshape(-1, 2, 8), 1e-3, rng),
        _steps("follows", "other betas and eps", usual[:60], 1e-3, rng, **_OTHER),
        _steps("follows", "gradients and rates that change", changing, falling, rng, **_SHORT),
        _steps("follows", "weights near 0.0002, rate 2e-8", usual[:60], 2e-8, rng, size=2e-4),
    ]
    return drawn


_OTHER = {"beta1": 0.8, "beta2": 0.98, "eps": 1e-2}
_SHORT = {"beta1": 0.5, "beta2": 0.98}
"""A short memory, of m above all."""


def _decay(rng: np.random.Generator) -> float:
    """One for which NumPy, which rounds `1 - beta2` to fp16 first, finds the same as PyTorch."""
    every = np.arange(1, 31744, dtype=np.int16).view(np.float16)
    while True:
        decay = round(1 - float(rng.uniform(0.003, 0.05)), 4)
        with np.errstate(over="ignore"):
            kept = (1 - decay) * every * every
        if float(every[kept > 0][0]) == smallest_survivor(decay):
            return decay


def _survivor(decay: float) -> Case:
    return Case(f"beta2 = {decay}", {"ask": "survivor", "beta2": decay}, ("survivor",))


def _steps(
    prop: str,
    label: str,
    gradients: np.ndarray,
    rates: float | np.ndarray,
    rng: np.random.Generator,
    size: float = 1.0,
    **options: float,
) -> Case:
    """Gradients of every step, of weights of about a ``size``; a rate for all steps or for each."""
    shape = gradients.shape[1:]
    start = size * rng.uniform(0.5, 1.5, shape) * rng.choice([-1, 1], shape)
    inputs = {
        "ask": "steps",
        "start": rounding.nearest(start, FP16).astype(np.float32),
        "gradients": rounding.nearest(gradients, FP16).astype(np.float32),
        "rates": np.broadcast_to(rates, len(gradients)).astype(np.float64),
        "options": options,
    }
    return Case(label, inputs, (prop,))


def smallest_survivor(beta2: float) -> float:
    """The smallest fp16 gradient whose first second moment is not 0, by trying all of them."""
    import torch

    every = torch.arange(1, 31744, dtype=torch.int16).view(torch.float16)
    kept = (1 - beta2) * every * every
    return float(every[kept > 0].min())


def adam(
    start: np.ndarray,
    gradients: np.ndarray,
    rates: np.ndarray,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
) -> np.ndarray:
    """Weights (steps, n) of Adam in float64 (Kingma and Ba, algorithm 1)."""
    weights, m, v = start.astype(np.float64), np.zeros(start.size), np.zeros(start.size)
    path = []
    pairs = zip(gradients.astype(np.float64), rates, strict=True)
    for step, (gradient, rate) in enumerate(pairs, 1):
        m = beta1 * m + (1 - beta1) * gradient
        v = beta2 * v + (1 - beta2) * gradient**2
        root = np.sqrt(v / (1 - beta2**step))
        weights = weights - rate * (m / (1 - beta1**step)) / (root + eps)
        path.append(weights)
    return np.array(path)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The survivor exactly; weights within a rounding to fp16 of Adam's."""
    if case.inputs["ask"] == "survivor":
        yield from _judge_survivor(case.inputs["beta2"], observed["got"])
        return
    (prop,) = case.decides
    if observed["dtype"] != "float16":
        asks = "The master stays in float32. In which dtype are the weights that go out?"
        told = f"the weights have dtype {observed['dtype']}, expected float16"
        yield Fault(prop, told, asks if observed["dtype"] == "float32" else "")
        return
    got, start, rates = observed["weights"], case.inputs["start"].ravel(), case.inputs["rates"]
    got, gradients = (one.reshape(-1, start.size) for one in (got, case.inputs["gradients"]))
    expected = adam(start, gradients, rates, **case.inputs["options"])
    if prop == "finite":  # whether what moves moves rightly is asked elsewhere
        still = np.cumsum(np.abs(gradients), axis=0) == 0
        wrong = ~np.isfinite(got) | (still & (got != start))
    else:
        wrong = ~(np.abs(got - expected) <= _room(prop, start, expected, rates))
    if wrong.any():
        step, i = (int(part[0]) for part in np.nonzero(wrong))
        told, wanted = show_apart(float(got[step, i]), float(expected[step, i]))
        yield Fault(
            prop,
            f"weight {i} began at {start[i]:.6g}; after {step + 1} step{'s' if step else ''} with "
            f"a gradient of {show(float(gradients[step, i]))} it is {told}, in float32 {wanted}",
        )


def _room(prop: str, start: np.ndarray, expected: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Room for each weight: for rounding to fp16, and a little for roundings on the way.

    A few steps of one gradient are judged roughly: what every step loses is a question of its own.
    """
    half_step = 0.501 * FP16.epsilon * 2.0 ** np.floor(np.log2(np.abs(expected)))
    if prop != "follows":
        return 4 * half_step + 0.1 * np.abs(expected - start)
    return half_step + 0.01 * np.cumsum(rates)[:, None]


def _judge_survivor(beta2: float, got: float) -> Iterable[Fault]:
    expected = smallest_survivor(beta2)
    if got != expected:
        told, wanted = show_apart(got, expected)
        told = f"`smallest_gradient({beta2})` gave {told}, expected {wanted}"
        yield Fault("survivor", told)


_BY_HAND = (
    "Follow this gradient step by step, by hand: what are `m` and `v`, in which dtype, and what is "
    "each divided by?"
)

JUDGE = Judge(
    title="What does Adam need more bits for?",
    properties=(
        Property(
            "survivor",
            "`smallest_gradient`: the smallest whose `v` is not 0",
            1,
            "Is it an fp16 number? What is its `second_moment`, and that of the number before it?",
        ),
        Property(
            "finite",
            "`adam_step`: a gradient of 0 moves nothing",
            1,
            "Follow a gradient of 0 through a step by hand. What does its weight start as, and "
            "what is divided by what?",
            after=("small", "large", "follows"),
        ),
        Property("small", "`adam_step`: tiny gradients move weights as in float32", 1, _BY_HAND),
        Property("large", "`adam_step`: so do gradients whose square is above 65,504", 1, _BY_HAND),
        Property(
            "follows",
            "`adam_step`: hundreds of small updates add up as in float32",
            2,
            "Which numbers does a step take over from the one before, and which come with the "
            "call? In which dtype is each?",
        ),
    ),
    hints=(
        "Which of the numbers in `adam_in_half` are far smaller than the gradient, and which of "
        "them must survive from step to step?",
        "`smallest_gradient`: `torch.arange(1, 31744, dtype=torch.int16).view(torch.float16)` is "
        "every positive fp16 number, in order. `adam_step`: only what comes in and what goes out "
        "has 16 bits.",
        "`begin` keeps `weight.float()` as the master, and `m` and `v` in float32. `adam_step` "
        "makes `gradient.float()` first, then does what `adam_in_half` does, to the master, and "
        "returns `state['master'].half()`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "adam-in-half": Prediction(
            "Adam adds eps = 1e-8 to the root of v. What does that eps become in fp16?",
            truth="0",
            choices=("0", "the smallest number, 6e-8", "about 1e-8"),
            because="The smallest fp16 number is 2**-24, about 6e-8, and 1e-8 is less than half of "
            "it.",
        )
    },
)
