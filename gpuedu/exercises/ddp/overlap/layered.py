"""A model whose backward takes simulated time: what hooks on its parameters overlap with.

Each layer charges its time to the clock of its light rank, half of it in the forward and all of it
in the backward, before its gradients are handed out. PyTorch runs the backward of tensors on a CPU
in the thread that called it, which is the rank's. Away from light ranks nothing is charged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from gpuedu.multi import work_for

FORWARD_SHARE = 0.5
"""Time of a layer's forward, of that of its backward: half as many products."""
BATCH = 3
IDLE = -1
"""In place of a branch: the rank computes nothing, and its loss has no parameter in it."""


@dataclass(frozen=True)
class Plan:
    """A training run: a stem of layers in a chain, behind it branches whose results are added.

    Attributes:
        widths: of the stem's layers: layer i is ``widths[i]`` to ``widths[i + 1]``.
        times_s: of the backward of each layer, first those of the stem, then the branches.
        routes: by step and rank, which branches are computed, in order; one may come twice.
        ranks: how many.
        seed: of weights and data.
        lr: learning rate of the SGD steps between the exchanges.
    """

    widths: tuple[int, ...]
    times_s: tuple[float, ...]
    routes: tuple[tuple[tuple[int, ...], ...], ...]
    ranks: int
    seed: int
    lr: float = 0.1

    @property
    def stem(self) -> int:
        """Layers of the stem."""
        return len(self.widths) - 1

    @property
    def steps(self) -> int:
        """Training steps."""
        return len(self.routes)

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Shape of each parameter: weight and bias of each layer, in order."""
        pairs = list(zip(self.widths[1:], self.widths[:-1], strict=True))
        last = self.widths[-1]
        pairs += [(last, last)] * (len(self.times_s) - self.stem)
        return [shape for out, into in pairs for shape in ((out, into), (out,))]


class _Layer(torch.autograd.Function):
    """tanh(x @ weight.T + bias), which charges its time."""

    @staticmethod
    def forward(ctx: Any, x: Any, weight: Any, bias: Any, time_s: float, name: str) -> Any:
        work_for(FORWARD_SHARE * time_s, f"forward {name}")
        out = torch.tanh(x @ weight.t() + bias)
        ctx.save_for_backward(x, weight, out)
        ctx.time_s, ctx.name = time_s, name
        return out

    @staticmethod
    def backward(ctx: Any, grad: Any) -> tuple[Any, ...]:
        x, weight, out = ctx.saved_tensors
        work_for(ctx.time_s, f"backward {ctx.name}")
        inner = grad * (1 - out * out)
        return inner @ weight, inner.t() @ x, inner.sum(0), None, None


def make_parameters(plan: Plan) -> list[Any]:
    """Weights and biases, float64, the same for every rank."""
    rng = np.random.default_rng(plan.seed)
    return [torch.nn.Parameter(torch.tensor(rng.normal(0, 0.3, shape))) for shape in plan.shapes]


def compute_loss(parameters: Sequence[Any], plan: Plan, rank: int, step: int) -> Any:
    """The forward of one rank on its share of the batch; the mean of the squared errors."""
    if IDLE in plan.routes[step][rank]:
        return torch.zeros((), requires_grad=True).sum()
    rng = np.random.default_rng((plan.seed, rank, step))
    x = torch.tensor(rng.normal(0, 1, (BATCH, plan.widths[0])))
    wanted = torch.tensor(rng.normal(0, 1, (BATCH, plan.widths[-1])))

    def layer(place: int, x: Any) -> Any:
        weight, bias = parameters[2 * place], parameters[2 * place + 1]
        return _Layer.apply(x, weight, bias, plan.times_s[place], str(place))

    for place in range(plan.stem):
        x = layer(place, x)
    out = x
    for branch in plan.routes[step][rank]:
        out = out + layer(plan.stem + branch, x)
    return ((out - wanted) ** 2).mean()


def apply_sgd(parameters: Sequence[Any], plan: Plan) -> None:
    """One step of plain SGD; a parameter without a gradient stays as it is."""
    with torch.no_grad():
        for one in parameters:
            if one.grad is not None:
                one -= plan.lr * one.grad
