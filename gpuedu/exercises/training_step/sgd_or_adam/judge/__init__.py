"""sgd-or-adam: the update rules of SGD with momentum, Adam and AdamW, as torch.optim has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from gpuedu.exercises.compare import show_apart
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training_step.sgd_or_adam.rules import (
    NAMES,
    walk_adam,
    walk_sgd,
    walk_with_torch,
)

_N, _STEPS = 7, 6
_REL = 1e-9
"""Six steps in float64: each order of the operations is within 1e-14 of the others."""
_SMALL_BYTES = 64
"""What a count of steps and the like may take."""
_KEEPS = {"sgd": 1, "adam": 2, "adamw": 2}


def cases(rng: np.random.Generator) -> list[Case]:
    """Each rule on gradients of usual and of tiny size; numbers that are not the defaults."""
    betas = {"beta1": float(rng.uniform(0.8, 0.95)), "beta2": float(rng.uniform(0.95, 0.999))}
    usual = {"lr": float(rng.uniform(0.01, 0.1)), **betas, "eps": 1e-12}
    tiny = {**usual, "eps": 1e-3}
    decay = {"decay": float(rng.uniform(0.2, 0.6))}
    momentum = {"lr": float(rng.uniform(0.05, 0.2)), "momentum": float(rng.uniform(0.5, 0.9))}
    return [
        _case(rng, "sgd", {**momentum, "momentum": 0.0}, 1.0, "without momentum", ("sgd", "state")),
        _case(rng, "sgd", momentum, 1.0, "with momentum", ("momentum", "state")),
        _case(rng, "adam", usual, 1.0, "usual gradients", ("averages", "state")),
        _case(rng, "adam", tiny, 1e-3, "gradients as small as eps", ("eps",)),
        _case(rng, "adamw", {**usual, **decay}, 1.0, "weight decay", ("decay", "state")),
    ]


def _case(
    rng: np.random.Generator,
    rule: str,
    options: Mapping[str, float],
    size: float,
    label: str,
    decides: tuple[str, ...],
) -> Case:
    inputs = {
        "rule": rule,
        "weights": rng.normal(size=_N),
        "gradients": size * rng.normal(size=(_STEPS, _N)) + size * rng.normal(size=_N),
        "options": {name: options[name] for name in NAMES[rule]},
    }
    return Case(f"`{rule}`, {label}", inputs, decides)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """The weights after each step as ``torch.optim`` has them; what is kept beside them."""
    with quiet_torch():
        expected = walk_with_torch(case.inputs)
    yield from _walk_fault(case, observed["walked"], expected)
    if "state" in case.decides:
        yield from _state_fault(case, observed["state_bytes"])


def _walk_fault(case: Case, got: np.ndarray, expected: np.ndarray) -> Iterator[Fault]:
    near = np.abs(got - expected) <= _REL * np.abs(expected).max()
    if near.all():
        return
    step, index = (int(i) for i in np.argwhere(~near)[0])
    told, wanted = show_apart(float(got[step, index]), float(expected[step, index]))
    yield Fault(
        case.decides[0],
        f"after step {step + 1} `weights[{index}]` is {told}, in torch.optim {wanted}",
        _cause(case.inputs, got),
    )


_SGD_SAYS = {
    "dampened": "That is an average, with weights momentum and 1 - momentum. Here the gradient is "
    "added in full: `v = momentum * v + gradient`.",
    "nesterov": "That is Nesterov's variant, which looks a step ahead. Plain momentum moves by v.",
    "aliased": "Did you keep the gradient tensor itself? The next backward writes into it. Keep a "
    "copy.",
    "no momentum": "Nothing is left of earlier gradients. Is the momentum kept in `state`?",
    "uphill": "That goes up the gradient.",
}
_ADAM_SAYS = {
    "no correction": "Both averages begin at 0, so at first they are too small. Divide each by "
    "1 - beta to the power of the step.",
    "only the first corrected": "The average of squares begins at 0, too, and needs its own "
    "correction.",
    "one step too many": "The first step is number 1 in the correction, not 2.",
    "eps in the root": "eps stands outside of the root, added to it. In the root it acts like its "
    "own root, which is much larger.",
    "eps before the correction": "eps is added to the root of the *corrected* average. Here it is "
    "scaled along with the correction.",
    "no root": "The second average is of squares. What brings it back to a gradient's size?",
    "betas the other way round": "beta1 is for the gradients, beta2 for their squares.",
    "decay in the gradient": "The decay went through the averages: Adam divides by the size of the "
    "gradient, and so weakens the decay where gradients are large. AdamW decays apart from them.",
    "decay without the rate": "The weights shrink by lr * decay in a step, not by decay.",
    "decay behind the step": "The weights are shrunk first, then moved. You shrink the step, too.",
    "no decay": "The weights do not decay.",
}


def _cause(inputs: Mapping[str, Any], got: np.ndarray) -> str:
    """Which known slip gives these weights."""
    if (got == inputs["weights"]).all():
        return (
            "The weights are what they were. `weights = weights - ...` makes another tensor; "
            "`weights -= ...` and `weights.sub_(...)` change this one."
        )
    walk, says = (walk_sgd, _SGD_SAYS) if inputs["rule"] == "sgd" else (walk_adam, _ADAM_SAYS)
    for way, told in says.items():
        theirs = walk(inputs, way)
        if np.allclose(got, theirs, rtol=1e-8, atol=1e-12):
            return told
    return "Do the first step by hand, for one weight. Does the second differ, or already that?"


def _state_fault(case: Case, got: int) -> Iterator[Fault]:
    rule, options = case.inputs["rule"], case.inputs["options"]
    copies = 0 if options.get("momentum") == 0 else _KEEPS[rule]
    size = case.inputs["weights"].nbytes
    # Between n and n + 1 numbers a weight there is room for a few single numbers.
    if got > copies * size + min(_SMALL_BYTES, size - 8):
        yield Fault(
            "state",
            f"the state holds {got} bytes beside {size} bytes of weights; {copies * size} are "
            f"enough, and a few for the count of steps",
            "Without momentum nothing has to be kept."
            if copies == 0
            else "What is kept must be needed in the next step. The gradient and what was computed "
            "from the averages is not.",
        )


JUDGE = Judge(
    title="Three ways to take a step",
    properties=(
        Property("sgd", "SGD moves against the gradient, in place", 1),
        Property("momentum", "momentum sums up earlier gradients", 1),
        Property("averages", "Adam's two averages, corrected for their beginning", 1),
        Property("eps", "eps is where it belongs", 1),
        Property("decay", "AdamW shrinks the weights apart from the averages", 1),
        Property("state", "the state holds 0, 1 or 2 numbers a weight, not more", 1),
    ),
    hints=(
        "Write the formulas with their step numbers first. What of step t is used in step t + 1? "
        "That, and nothing else, is the state.",
        "`state.setdefault(name, torch.zeros_like(weights))` gives the kept tensor, or a new one. "
        "The step's number is kept, too. All changes in place: `.mul_(...)`, `.add_(...)`.",
        "Adam: `m.mul_(beta1).add_(gradient, alpha=1 - beta1)`, `v.mul_(beta2).addcmul_(gradient, "
        "gradient, value=1 - beta2)`; then `weights -= lr * (m / (1 - beta1**t)) / ((v / (1 - "
        "beta2**t)).sqrt() + eps)`. AdamW: `weights *= 1 - lr * decay`, then Adam's step.",
    ),
    cases=cases,
    verdict=verdict,
    predictions={
        "sgd-or-adam": Prediction(
            "Adam's first step. One weight has a gradient of 10, another one of 0.001: how many "
            "times as far does the first one move?",
            truth=1,
            because="In the first step the corrected averages are the gradient and its square, so "
            "each weight moves by lr (nearly: eps is 1e-8). Adam takes the sign and the history, "
            "not the size.",
        )
    },
)
