"""Tiny models whose copies the ranks train: with buffers, tied, frozen and unused parameters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from gpuedu.training.seeds import generator

WIDTH, HIDDEN, CLASSES = 5, 6, 3
HEADS = 5
"""Branches of a model; a sample says which of them it takes. The last one is taken by none."""
KINDS = ("plain", "buffers", "tied", "frozen", "heads", "uneven-heads")


class Net(nn.Module):
    """Scores (N, classes) of samples (N, 1 + WIDTH), whose first column is the number of a head.

    ``kind`` is one of ``KINDS``; float64 throughout.
    """

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        out = WIDTH if kind == "tied" else HIDDEN
        self.inner = nn.Linear(WIDTH, out)
        if kind == "tied":
            self.outer = nn.Linear(WIDTH, WIDTH)
            self.outer.weight = self.inner.weight
        elif "heads" in kind:
            self.heads = nn.ModuleList(_head(kind, place) for place in range(HEADS))
        else:
            self.outer = nn.Linear(HIDDEN, CLASSES)
        if kind == "frozen":
            self.inner.requires_grad_(False)
            self.norm = nn.Linear(HIDDEN, HIDDEN)
            self.norm.weight.requires_grad_(False)
        if kind == "buffers":
            self.register_buffer("shift", torch.zeros(WIDTH))
            order = torch.zeros(WIDTH, dtype=torch.int64)
            self.register_buffer("order", order, persistent=False)  # in no `state_dict()`
            self.scale = nn.Sequential(nn.Sequential(Scale()))
        self.double()

    def forward(self, x: Tensor) -> Tensor:
        """Scores."""
        routes, x = x[:, 0].long(), x[:, 1:]
        if self.kind == "buffers":
            x = self.scale((x + self.shift)[:, self.order])
        h = torch.tanh(self.inner(x))
        if self.kind == "frozen":
            h = torch.tanh(self.norm(h))
        if "heads" not in self.kind:
            return self.outer(h)
        scores = h.new_zeros(len(x), CLASSES)
        for place, head in enumerate(self.heads):
            rows = routes == place
            if rows.any():
                scores[rows] = head(h[rows])
        return scores


class Scale(nn.Module):
    """Multiplies by a buffer that is one number, of no dimension."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("factor", torch.ones(()))

    def forward(self, x: Tensor) -> Tensor:
        """Scaled."""
        return self.factor * x


def _head(kind: str, place: int) -> nn.Module:
    """One layer; in "uneven-heads" head 1 has two, so that it has other parameters."""
    if kind == "uneven-heads" and place == 1:
        return nn.Sequential(nn.Linear(HIDDEN, HIDDEN), nn.Tanh(), nn.Linear(HIDDEN, CLASSES))
    return nn.Linear(HIDDEN, CLASSES)


def build(kind: str, seed: int) -> Net:
    """A model whose numbers all come from a seed; PyTorch's own random state does not matter."""
    chance, net = generator(seed), Net(kind)
    with torch.no_grad():
        for one in net.parameters():
            one.copy_(torch.randn(one.shape, generator=chance, dtype=one.dtype) / 2)
        if kind == "buffers":
            net.shift.copy_(torch.randn(WIDTH, generator=chance, dtype=torch.float64))
            net.order.copy_(torch.randperm(WIDTH, generator=chance))
            net.scale[0][0].factor.copy_(1 + torch.rand((), generator=chance, dtype=torch.float64))
    return net


def classes_of(kind: str) -> int:
    """How many scores a sample gets."""
    return WIDTH if kind == "tied" else CLASSES


def state_of(net: nn.Module, parameters: Iterable[Tensor] | None = None) -> list[Any]:
    """Parameters and buffers as arrays, each once; by default the parameters that it has now."""
    tensors = [*(net.parameters() if parameters is None else parameters), *net.buffers()]
    return [one.detach().numpy().copy() for one in tensors]


def names_of(kind: str) -> list[tuple[str, str]]:
    """What stands at each place of ``state_of``: "parameters" or "buffers", and its name."""
    net = Net(kind)
    named = [("parameters", name) for name, _ in net.named_parameters()]
    return [*named, *(("buffers", name) for name, _ in net.named_buffers())]


def gradient_bytes(kind: str) -> int:
    """Bytes of the gradients of one step, each once, none for what is frozen."""
    training = [one for one in Net(kind).parameters() if one.requires_grad]
    return sum(one.numel() * one.element_size() for one in training)
