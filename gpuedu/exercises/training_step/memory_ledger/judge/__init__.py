"""memory-ledger: where the bytes of a step are, from shapes alone, beside what is counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from gpuedu.exercises.compare import number_fault, show
from gpuedu.exercises.contract import (
    Case,
    Fault,
    Finding,
    Judge,
    Level,
    Plain,
    Prediction,
    Property,
    Undecided,
)
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training_step.memory_ledger.judge.saved_storages import (
    FLOAT_BYTES,
    is_kind_slip,
    saved_bytes,
)
from gpuedu.exercises.training_step.memory_ledger.small_nets import (
    Layer,
    Measured,
    measure,
    mlp_layers,
)

CRUMBS = (0, FLOAT_BYTES, 2 * FLOAT_BYTES)
"""The loss also keeps a number of its own; counting it is as right as leaving it out."""

STATES = {"sgd": 0, "momentum": 1, "adam": 2}
"""Numbers that an optimizer keeps for each weight."""

_SLIP = 2
"""How many times as large or small as the right one a sum is that may be a slip."""
TOLERANCE = 0.05


def weight_tensors(layers: Sequence[Layer]) -> list[int]:
    """Numbers in each weight and bias.

    >>> weight_tensors([("linear", 4, 3), ("norm", 3, 3)])
    [12, 3, 3, 3]
    """
    found: list[int] = []
    for kind, inputs, outputs in layers:
        if kind == "linear":
            found += [inputs * outputs, outputs]
        elif kind == "norm":
            found += [inputs, inputs]
    return found


def cases(rng: np.random.Generator) -> list[Case]:
    """Networks in which each storage has one owner, others in which it has two, and real ones."""

    def width() -> int:
        return int(rng.integers(5, 60)) * 2 + 1

    a, b, c, d = (width() for _ in range(4))
    # Two GELUs: who takes an output for what it saves differs from who tells storages by widths.
    plain: list[Layer] = [("linear", a, b), ("gelu", b, b), ("gelu", b, b), ("linear", b, c)]
    normed: list[Layer] = [("linear", a, b), ("norm", b, b), ("gelu", b, b), ("linear", b, c)]
    dropping = mlp_layers([a, b, c, d], between=("gelu", "dropout"))
    shared = mlp_layers([a, b, c, d])
    in_place = mlp_layers([a, b, c], between=("relu_",))
    mixed: list[Layer] = [
        *mlp_layers([a, b, c], between=("sigmoid",)),
        ("relu_", c, c),
        ("dropout", c, c),
        ("linear", c, d),
    ]
    # In these each storage has one owner, too; who takes an input for an output is seen.
    pressed: list[Layer] = [("linear", a, b), *(("relu", b, b), ("sigmoid", b, b)) * 2]
    pressed += [("dropout", b, b), ("linear", b, c), ("relu_", c, c), ("dropout", c, c)]
    # Norm and GELU after a storage that is saved already, and after the batch. One norm saves its
    # input itself, so that its two numbers a row are known to be counted there.
    behind: list[Layer] = [("norm", a, a), ("linear", a, b), ("norm", b, b), ("relu", b, b)]
    behind += [("norm", b, b), ("relu", b, b), ("gelu", b, b), ("linear", b, c)]
    # Views in the middle: of a storage that is saved already, and of one that is not.
    viewed: list[Layer] = [("linear", a, b), ("relu", b, b), ("linear", b, b)]
    viewed += [("relu", b, b), ("flatten", b, b), ("linear", b, c)]
    viewed += [("flatten", c, c), ("gelu", c, c), ("flatten", c, c), ("linear", c, d)]
    over_the_batch: list[Layer] = [("relu_", a, a), ("linear", a, b), ("relu_", b, b)]
    over_the_batch += [("linear", b, c)]
    # The last result is saved, and the loss saves its own tensor all the same.
    squashed: list[Layer] = [("linear", a, b), ("gelu", b, b), ("linear", b, c), ("sigmoid", c, c)]
    # Even, while widths are odd: what is counted by columns is never right by chance.
    samples = [int(n) for n in rng.permutation(np.arange(4, 90, 2))[:11]]
    once = (shared, in_place, mixed, behind, viewed, over_the_batch)
    drawn = [_held(layers, name) for layers, name in ((shared, "sgd"), (normed, "sgd"))]
    drawn += [_held(layers, name) for layers, name in ((normed, "momentum"), (shared, "adam"))]
    drawn += [
        _saved(n, layers, "layers")
        for n, layers in zip(samples[:5], (plain, normed, dropping, pressed, squashed), strict=True)
    ]
    drawn += [_saved(n, layers, "once") for n, layers in zip(samples[5:], once, strict=True)]
    return drawn + [_real(*network) for network in REAL]


REAL: tuple[tuple[str, int, list[Layer], str], ...] = (
    ("an MLP on digits, Adam", 256, mlp_layers([64, 256, 256, 10]), "adam"),
    (
        "the same with dropout, in place, momentum",
        512,
        mlp_layers([64, 256, 256, 10], between=("relu_", "dropout")),
        "momentum",
    ),
    (
        "a network with norms and GELU, SGD",
        384,
        mlp_layers([64, 192, 192, 10], between=("norm", "gelu")),
        "sgd",
    ),
)


def _held(layers: list[Layer], optimizer: str) -> Case:
    inputs = {"layers": layers, "optimizer": optimizer}
    return Case(f"{_told(layers)}; {optimizer}", inputs, ("weights", "optimizer"))


def _saved(samples: int, layers: list[Layer], decides: str) -> Case:
    inputs = {"layers": layers, "samples": samples}
    return Case(f"{samples} samples through {_told(layers)}", inputs, (decides,))


def _real(label: str, samples: int, layers: list[Layer], optimizer: str) -> Case:
    inputs = {"layers": layers, "samples": samples, "optimizer": optimizer}
    return Case(label, inputs, ("measured",))


def _told(layers: Sequence[Layer]) -> str:
    return ", ".join(
        f"{kind} {inputs}-{outputs}" if kind == "linear" else kind
        for kind, inputs, outputs in layers
    )


def verdict(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    """Held bytes and saved bytes by formula; on real networks by what is counted in a step."""
    if "measured" in case.decides:
        yield from _against_count(case, observed)
    elif "held" in observed:
        yield from _held_verdict(case, observed["held"])
    else:
        yield from _saved_verdict(case, observed["saved"])


def _held_verdict(case: Case, got: dict[str, float]) -> Iterable[Fault]:
    tensors, optimizer = weight_tensors(case.inputs["layers"]), case.inputs["optimizer"]
    size = FLOAT_BYTES * sum(tensors)
    for name in ("weights", "gradients"):
        call = f'held_bytes(layers, "{optimizer}")["{name}"]'
        yield from number_fault("weights", call, got[name], size, unit="bytes")
    truth, crumbs = STATES[optimizer] * size, FLOAT_BYTES * len(tensors)
    is_slip = size / _SLIP <= got["weights"] <= size * _SLIP  # of what is made up, nothing follows
    own = STATES[optimizer] * (got["weights"] if is_slip else size)
    if got["optimizer"] not in (truth, own, *([truth + crumbs] if optimizer == "adam" else [])):
        call = f'held_bytes(layers, "{optimizer}")["optimizer"]'
        yield from number_fault("optimizer", call, got["optimizer"], truth, unit="bytes")


def _saved_verdict(case: Case, got: Sequence[float]) -> Iterable[Fault]:
    samples, layers, (prop,) = case.inputs["samples"], case.inputs["layers"], case.decides
    truth = saved_bytes(samples, layers)
    if prop == "once" and is_kind_slip(samples, layers, got):
        return  # one slip is one slip: that is the matter of `layers`
    for at, (mine, wanted) in enumerate(zip(got, truth, strict=True)):
        is_loss = at == len(layers)
        # Whether the batch is counted is the matter of `once`.
        of_batch = prop == "layers" and not any(truth[: at + 1]) and wanted == 0
        if mine - wanted in (CRUMBS if is_loss else (0,)) or of_batch:
            continue
        name = "the loss" if is_loss else f"layer {at}, `{layers[at]}`,"
        told = f"{name} has {show(mine)} bytes, expected {show(float(wanted))}"
        yield Fault(prop, told, is_near=abs(mine - wanted) <= TOLERANCE * wanted)
        return


def _against_count(case: Case, observed: Plain) -> Iterable[Fault | Finding]:
    measured = counted(case.label)
    pairs = {name: (observed["held"][name], getattr(measured, name)) for name in observed["held"]}
    pairs["saved"] = sum(observed["saved"]), sum(measured.saved)
    for name, (mine, real) in pairs.items():
        if not abs(mine - real) <= TOLERANCE * real:
            saved = case.inputs["samples"], case.inputs["layers"], observed["saved"]
            if name == "saved" and is_kind_slip(*saved):  # that is the matter of `layers`
                told = "what a layer saves is not right yet, so the sum of all says nothing"
                yield Undecided("measured", told)
                return
            off = f"{100 * (mine / real - 1):+.1f}%" if real else "more than nothing"
            yield Fault(
                "measured",
                f"{name}: {show(float(mine))} bytes, counted in a step: {real} ({off})",
            )
            return
    if all(abs(mine - real) <= 64 for mine, real in pairs.values()):
        yield Finding(Level.NOTE, f"{case.label}: your sums are right to the byte.")


@cache
def counted(label: str) -> Measured:
    """What is counted on the CPU in a step of one of the real networks; the same each time."""
    ((_, samples, layers, optimizer),) = (network for network in REAL if network[0] == label)
    with quiet_torch():
        return measure(samples, layers, optimizer)


def batch_that_weighs_more(layers: Sequence[Layer]) -> int:
    """From which batch on saved activations are more than weights, gradients and Adam's state."""
    held = (2 + STATES["adam"]) * FLOAT_BYTES * sum(weight_tensors(layers))
    return held // sum(saved_bytes(1, layers)) + 1


_ASKED = mlp_layers([64, 512, 512, 10])


def _predictions() -> dict[str, Any]:
    return {
        "memory-ledger": Prediction(
            "all ReLUs of an MLP write their result over their input. How much less is saved "
            "for the backward pass?",
            truth="nothing",
            choices=("nothing", "a third", "half"),
            because="A ReLU saves its output, and nothing saves its input, which is freed a "
            "moment later anyway. Working in place saves that moment.",
        ),
        "memory-ledger-batch": Prediction(
            "an MLP 64-512-512-10 with Adam: from what batch size on do saved activations take "
            "more memory than weights, gradients and state together?",
            truth=float(batch_that_weighs_more(_ASKED)),
            because="There are about 300,000 weights with 16 bytes each, and about 1,000 saved "
            "numbers per sample with 4 bytes each.",
        ),
    }


JUDGE = Judge(
    title="Where are the bytes of a step?",
    properties=(
        Property(
            "weights",
            "`held_bytes`: weights and gradients",
            1,
            asks="Which numbers does each kind of layer learn, including biases and a norm's "
            "weights? Each has 4 bytes, and a gradient.",
        ),
        Property(
            "optimizer",
            "`held_bytes`: the optimizer's state",
            1,
            asks="How many numbers does that optimizer keep per weight, from one step to the next?",
        ),
        Property(
            "layers",
            "`saved_bytes`: what each kind of layer saves",
            1,
            asks="What does that layer need on the way back: its input, its output, something "
            "else?",
        ),
        Property(
            "once",
            "`saved_bytes`: each storage once, and not the batch",
            2,
            asks="Which storages does that layer save, and how large is each? Is one of them the "
            "batch, or saved by a layer before it?",
        ),
        Property(
            "measured",
            "within 5% of what is counted in steps of three networks",
            1,
            asks="Which of the numbers above is in that sum, and is the formula for it right?",
            after=("layers", "once"),
        ),
    ),
    hints=(
        "Follow one batch through the layers, with a finger on the storage that holds it. At each "
        "layer: does it save its input, its output, something else? Is that storage in your "
        "ledger already? And is the result a new storage?",
        "Keep one variable: whether the current storage is in the ledger. It starts as True (the "
        "batch). A layer that saves its input adds it only if the variable is False. A new result "
        "makes it False; a view or an in-place layer leaves it. A layer that saves its output adds "
        "it and makes it True.",
        "In the loop: `if kind in saves_input and not counted: size += 4 * n * a; counted = True`. "
        "Then the norm's `8 * n` and dropout's `4 * n * b`. Then `if kind not in (\"flatten\", "
        '"relu_"): counted = False`. Last `if kind in saves_output and not counted: size += '
        "4 * n * b; counted = True`. The loss: `4 * n * layers[-1][2]`.",
    ),
    cases=cases,
    verdict=verdict,
    predictions=_predictions(),
)
