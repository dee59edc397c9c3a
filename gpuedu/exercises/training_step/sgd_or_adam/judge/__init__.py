"""sgd-or-adam: the update rules of SGD with momentum, Adam and AdamW, as torch.optim has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gpuedu.exercises.contract import (
    Case,
    Fault,
    Inputs,
    Judge,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.training.properties import at_most, differing, of_largest
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training_step.sgd_or_adam.play import NAMES

_ROW, _MATRIX, _STEPS = (7,), (2, 5), 6
_REL, _REL_32 = 1e-9, 1e-5
"""Six steps: each order of the operations is within 1e-14 of the others, in float32 1e-6."""
_SMALL_BYTES = 64
"""What a count of steps and the like may take."""
_KEEPS = {"sgd": 1, "adam": 2, "adamw": 2}


def cases(rng: np.random.Generator) -> list[Case]:
    """Each rule on a matrix, and on gradients of tiny size; numbers that are not the defaults."""
    betas = {"beta1": float(rng.uniform(0.8, 0.95)), "beta2": float(rng.uniform(0.95, 0.999))}
    usual = {"lr": float(rng.uniform(0.01, 0.1)), **betas, "eps": 1e-12}
    tiny = {**usual, "eps": 1e-3}
    decay = {"decay": float(rng.uniform(0.2, 0.6))}
    momentum = {"lr": float(rng.uniform(0.05, 0.2)), "momentum": float(rng.uniform(0.5, 0.9))}
    return [
        _case(rng, "sgd", {**momentum, "momentum": 0.0}, 1.0, "without momentum", ("sgd", "state")),
        _case(rng, "sgd", momentum, 1.0, "with momentum", ("momentum", "state")),
        _case(rng, "adam", usual, 1.0, "usual gradients", ("averages", "state"), _ROW),
        _case(rng, "adam", tiny, 1e-3, "gradients as small as eps", ("eps",), _ROW),
        _case(rng, "adamw", {**usual, **decay}, 1.0, "weight decay", ("decay", "state")),
        _case(
            rng,
            "adam",
            usual,
            1.0,
            "float32 weights",
            ("averages", "state"),
            dtype=np.float32,
        ),
    ]


def _case(
    rng: np.random.Generator,
    rule: str,
    options: Mapping[str, float],
    size: float,
    label: str,
    decides: tuple[str, ...],
    shape: tuple[int, ...] = _MATRIX,
    dtype: type = np.float64,
) -> Case:
    """The first steps go at one rate, as far as a first counterexample needs; then it changes."""
    gradients = size * rng.normal(size=(_STEPS, *shape)) + size * rng.normal(size=shape)
    gradients[2] = gradients[1, ..., 0] = 0  # what is remembered moves weights then, too
    inputs = {
        "rule": rule,
        "weights": rng.normal(size=shape).astype(dtype),
        "gradients": gradients.astype(dtype),
        "rates": [options["lr"] * (1.0 if step < 3 else 0.5**step) for step in range(_STEPS)],
        "options": {name: options[name] for name in NAMES[rule][1:]},
    }
    return Case(f"`{rule}`, {label}, shape {shape}", inputs, decides)


def walk_with_torch(inputs: Inputs) -> dict[str, np.ndarray]:
    """The weights (steps, *shape) after each step of ``torch.optim``."""
    import torch

    weights = torch.nn.Parameter(torch.from_numpy(inputs["weights"].copy()))
    rows = []
    with quiet_torch():
        optimizer = _optimizer(inputs["rule"], weights, inputs["options"])
        for gradient, rate in zip(
            torch.from_numpy(inputs["gradients"]), inputs["rates"], strict=True
        ):
            optimizer.param_groups[0]["lr"] = rate
            weights.grad = gradient.clone()
            optimizer.step()
            rows.append(weights.detach().numpy().copy())
    return {"walked": np.array(rows)}


def _optimizer(rule: str, weights: Any, options: Mapping[str, float]) -> Any:
    from torch import optim

    if rule == "sgd":
        return optim.SGD([weights], momentum=options["momentum"])
    shared = {"betas": (options["beta1"], options["beta2"]), "eps": options["eps"]}
    if rule == "adam":
        return optim.Adam([weights], **shared)
    return optim.AdamW([weights], **shared, weight_decay=options["decay"])


def _needed_bytes(inputs: Inputs) -> int:
    copies = 0 if inputs["options"].get("momentum") == 0 else _KEEPS[inputs["rule"]]
    return copies * inputs["weights"].nbytes


def _most_bytes(inputs: Inputs) -> int:
    """Between n and n + 1 numbers a weight there is room for a few single numbers."""
    return _needed_bytes(inputs) + min(_SMALL_BYTES, inputs["weights"].nbytes - 8)


def _tell_bytes(inputs: Inputs, got: int, _: int) -> str:
    return (
        f"the state holds {got} bytes beside {inputs['weights'].nbytes} bytes of weights; "
        f"{_needed_bytes(inputs)} are enough, and a few for the count of steps"
    )


def _place(step: int, *index: int) -> str:
    return f"after step {step + 1} `weights[{', '.join(map(str, index))}]`"


def _off_path(name: str, case: Case, observed: Plain) -> Iterable[Fault]:
    """A fault at the first weight that is not what it is in ``torch.optim``."""
    wanted = walk_with_torch(case.inputs)["walked"]
    room = of_largest(_REL_32 if wanted.dtype == np.float32 else _REL)
    return differing(name, observed["walked"], wanted, room=room, place=_place, of="in torch.optim")


def _walks(name: str, says: str) -> Property:
    """The weights after each step are those of ``torch.optim``, and nothing was returned."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        yield from _off_path(name, case, observed)
        if observed["returned"]:
            told = f"`{case.inputs['rule']}` returned a {observed['returned']}, expected nothing"
            yield Fault(name, told, "The tensor `weights` itself changes. What is returned?")

    asks = (
        "Work out the steps of one weight by hand, each with its own rate, until yours differs. "
        "Which numbers go into that step, from the call and from earlier steps, and is `weights` "
        "itself changed?"
    )
    return Property(name, says, 1, asks, test)


def _if_right(prop: Property) -> Property:
    """The same property, which a rule does not earn whose steps are wrong."""

    def test(case: Case, observed: Plain) -> Iterable[Fault]:
        faults = list(prop.test(case, observed) if prop.test else ())
        yield from faults
        if not faults and list(_off_path(prop.name, case, observed)):
            yield Undecided(prop.name, f"the steps of `{case.inputs['rule']}` are not right yet")

    return replace(prop, test=test)


JUDGE = Judge(
    title="Three ways to take a step",
    properties=(
        _walks("sgd", "SGD moves against the gradient, in place"),
        _walks("momentum", "momentum adds up earlier gradients"),
        _walks("averages", "Adam's two averages, corrected for starting at 0"),
        _walks("eps", "eps is where it belongs"),
        _walks("decay", "AdamW shrinks the weights apart from the averages"),
        _if_right(
            at_most(
                "state",
                "the state holds 0, 1 or 2 numbers per weight, not more",
                1,
                "state_bytes",
                _most_bytes,
                tell=_tell_bytes,
                asks="What part of it does the next step need?",
            ),
        ),
    ),
    hints=(
        "First write the formulas with their step numbers. What does step t + 1 use from step t? "
        "That, and nothing else, is the state.",
        "`state.setdefault(name, torch.zeros_like(weights))` gives the kept tensor, or a new one. "
        "The step's number is kept, too. All changes in place: `.mul_(...)`, `.add_(...)`.",
        "Adam: `m.mul_(beta1).add_(gradient, alpha=1 - beta1)`, `v.mul_(beta2).addcmul_(gradient, "
        "gradient, value=1 - beta2)`; then `weights -= lr * (m / (1 - beta1**t)) / ((v / (1 - "
        "beta2**t)).sqrt() + eps)`. AdamW: `weights *= 1 - lr * decay`, then Adam's step.",
    ),
    cases=cases,
    predictions={
        "sgd-or-adam": Prediction(
            "Adam's first step. One weight has a gradient of 10, another has 0.001. How many "
            "times as far does the first one move?",
            truth=1,
            because="In the first step the corrected averages are the gradient and its square, so "
            "each weight moves by lr (nearly: eps is 1e-8). Adam takes the sign and the history, "
            "not the size.",
        )
    },
)
