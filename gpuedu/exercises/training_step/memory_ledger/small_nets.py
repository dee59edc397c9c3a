"""Small networks as lists of layers: built, and their memory measured. Plays and judges share it.

A layer is ``(kind, inputs, outputs)``; the kinds are those of ``_kinds``. Behind the last layer
comes ``cross_entropy``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

Layer = tuple[str, int, int]

DROPPED = 0.5


def _kinds() -> dict[str, Callable[[int, int], Any]]:
    from torch import nn

    return {
        "flatten": lambda inputs, outputs: nn.Flatten(),
        "linear": nn.Linear,
        "relu": lambda inputs, outputs: nn.ReLU(),
        "relu_": lambda inputs, outputs: nn.ReLU(inplace=True),
        "sigmoid": lambda inputs, outputs: nn.Sigmoid(),
        "gelu": lambda inputs, outputs: nn.GELU(),
        "norm": lambda inputs, outputs: nn.LayerNorm(inputs),
        "dropout": lambda inputs, outputs: nn.Dropout(DROPPED),
    }


def build(layers: Sequence[Layer]) -> Any:
    """The network as an ``nn.Sequential``, its layers in this order.

    >>> sum(p.numel() for p in build([("linear", 3, 2), ("norm", 2, 2)]).parameters())
    12
    """
    from torch import nn

    kinds = _kinds()
    return nn.Sequential(*(kinds[kind](inputs, outputs) for kind, inputs, outputs in layers))


def optimizer_for(name: str, model: Any) -> Any:
    """``sgd``, ``momentum`` or ``adam`` over a model's parameters."""
    import torch

    if name == "adam":
        return torch.optim.Adam(model.parameters())
    return torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9 if name == "momentum" else 0.0)


@dataclass(frozen=True)
class Measured:
    """Bytes of a step, counted: ``saved`` by layer, the loss last; ``device`` where it ran."""

    weights: int
    gradients: int
    optimizer: int
    saved: tuple[int, ...]
    device: str


def measure(samples: int, layers: Sequence[Layer], optimizer: str, device: str = "cpu") -> Measured:
    """Take two steps and watch the second: saved at the end of forward, gradients of backward.

    >>> found = measure(8, [("linear", 6, 5), ("relu", 5, 5), ("linear", 5, 4)], "sgd")
    >>> found.weights, found.saved[:3]
    (236, (0, 160, 0))
    """
    import torch

    from gpuedu.training.memory import end_of, ledger_at, watch_step

    model = build(layers).to(device)
    batch = torch.rand(samples, layers[0][1]), torch.zeros(samples, dtype=torch.long)
    loss = torch.nn.functional.cross_entropy
    trace = watch_step(model, batch, loss, optimizer_for(optimizer, model))
    forward = ledger_at(trace, end_of(trace, "forward"))
    saved = {row.layer: row.size_bytes for row in forward.rows if row.kind == "activations"}
    names = [*map(str, range(len(layers))), ""]
    return Measured(
        weights=forward.of_kind("weights"),
        gradients=ledger_at(trace, end_of(trace, "backward")).of_kind("gradients"),
        optimizer=forward.of_kind("optimizer"),
        saved=tuple(saved.get(name, 0) for name in names),
        device=forward.device,
    )


def mlp_layers(widths: Sequence[int], *, between: Sequence[str] = ("relu",)) -> list[Layer]:
    """Flatten, then linear layers with the same kinds between each two.

    >>> mlp_layers([4, 3, 2])
    [('flatten', 4, 4), ('linear', 4, 3), ('relu', 3, 3), ('linear', 3, 2)]
    """
    layers: list[Layer] = [("flatten", widths[0], widths[0])]
    for inputs, outputs in pairwise(widths):
        layers.append(("linear", inputs, outputs))
        layers += [(kind, outputs, outputs) for kind in between]
    return layers[: len(layers) - len(between)]
