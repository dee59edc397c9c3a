"""Models that go backward layer by layer: some weights frozen, some not used by every rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from gpuedu.training.seeds import generator

KINDS = ("plain", "frozen", "heads", "skipped")
HEADS = 2


@dataclass(frozen=True)
class ChainTask:
    """A run of training steps.

    Attributes:
        widths: layer i has ``widths[i]`` inputs and ``widths[i + 1]`` outputs; the last is the
            number of classes.
        ranks: how many.
        kind: one of ``KINDS``. The weights of the second layer are frozen, or it has two heads, of
            which a rank takes one, or some ranks skip it.
        steps: how many.
        parts: micro-batches in a step.
        samples: in each of them, on each rank.
        seed: of weights and data.
    """

    widths: tuple[int, ...]
    ranks: int
    kind: str = "plain"
    steps: int = 2
    parts: int = 1
    samples: int = 3
    seed: int = 0

    @classmethod
    def of(cls, fields: dict[str, Any]) -> ChainTask:
        """From what a case holds."""
        return cls(**(fields | {"widths": tuple(fields["widths"])}))


class Layer(nn.Module):
    """One or more linear maps, of which ``route`` takes one, and tanh; the last layer has none.

    Where it can be skipped, odd routes take its inputs in place of what the map makes.
    """

    def __init__(
        self, into: int, out: int, heads: int, *, is_last: bool, can_skip: bool = False
    ) -> None:
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(into, out) for _ in range(heads))
        self.is_last, self.can_skip = is_last, can_skip
        self.inputs = [at % into for at in range(out)]

    def forward(self, x: Tensor, route: int) -> Tensor:
        """Its output for ``x``."""
        is_skipped = self.can_skip and route % 2 == 1
        out = x[:, self.inputs] if is_skipped else self.heads[route % len(self.heads)](x)
        return out if self.is_last else torch.tanh(out)


def build_chain(task: ChainTask) -> list[Layer]:
    """The layers of a model, float64, whose numbers all come from the task's seed."""
    chance, last = generator(task.seed), len(task.widths) - 2
    layers = []
    for at, (into, out) in enumerate(zip(task.widths, task.widths[1:], strict=False)):
        heads = HEADS if task.kind == "heads" and at == 1 else 1
        can_skip = task.kind == "skipped" and at == 1
        layer = Layer(into, out, heads, is_last=at == last, can_skip=can_skip).double()
        with torch.no_grad():
            for one in layer.parameters():
                one.copy_(torch.randn(one.shape, generator=chance, dtype=one.dtype) / 2)
        layers.append(layer)
    if task.kind == "frozen":
        layers[1].heads[0].weight.requires_grad_(False)
    return layers


def data_of(task: ChainTask, step: int, part: int, rank: int) -> tuple[Tensor, Tensor, int]:
    """A rank's samples, targets and route in a micro-batch."""
    chance = generator(task.seed, step, part, rank)
    x = torch.randn(task.samples, task.widths[0], generator=chance, dtype=torch.float64)
    y = torch.randint(task.widths[-1], (task.samples,), generator=chance)
    return x, y, rank + part


def backward_by_layer(
    layers: Sequence[Layer], data: tuple[Tensor, Tensor, int], share: float
) -> Iterator[int]:
    """Go backward from the last layer to the first, and give the number of each when it is done.

    A gradient is added to the one that is there, as PyTorch does; a weight that was not used gets
    none. ``share`` is what the loss is multiplied by.
    """
    x, y, route = data
    into, outs = [x], []
    for layer in layers:
        outs.append(layer(into[-1], route))
        into.append(outs[-1].detach().requires_grad_())
    outs[-1] = functional.cross_entropy(outs[-1], y) * share
    grad = None
    for at in reversed(range(len(layers))):
        trained = trained_of(layers[at])
        wanted = [into[at]] * (at > 0) + trained
        found = list(torch.autograd.grad(outs[at], wanted, grad, allow_unused=True))
        grad = found.pop(0) if at > 0 else None
        for weight, one in zip(trained, found, strict=True):
            if one is not None:
                weight.grad = one if weight.grad is None else weight.grad + one
        yield at


def trained_of(layer: nn.Module) -> list[Any]:
    """The parameters that have a gradient."""
    return [one for one in layer.parameters() if one.requires_grad]
