"""A model that the lesson's loops train, and its batches: made here, small, in float64.

It is called as Trainer calls a model: with the entries of a batch by name, and with the number of
labels that the batches of an update have together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from gpuedu.training.seeds import generator

SYMBOLS, WIDTH, LENGTH = 12, 6, 5
IGNORED = -100
"""The label of a position that does not count, such as padding."""

Batch = dict[str, Tensor]


class Reader(nn.Module):
    """Scores (N, T, SYMBOLS) for the next symbol at each of T positions.

    It has a parameter of each kind that Trainer tells apart: matrices, biases, the weight of a
    layer norm whose name says nothing, and a vector ``gain`` that is neither. With ``more``, it
    also has what only resembles them: a matrix ``bias_table``, which counts as a bias, and an
    ``RMSNorm``, which is no layer norm.
    """

    def __init__(self, seed: int, loud: float = 1.0, more: bool = False) -> None:
        super().__init__()
        self.has_more = more
        self.embed = nn.Embedding(SYMBOLS, WIDTH)
        self.first = nn.LayerNorm(WIDTH)
        self.gain = nn.Parameter(torch.ones(WIDTH))
        if more:
            self.bias_table = nn.Parameter(torch.ones(LENGTH, WIDTH))
            self.second = nn.RMSNorm(WIDTH)
        self.head = nn.Linear(WIDTH, SYMBOLS)
        chance = generator(seed)
        with torch.no_grad():
            for p in self.parameters():
                p.copy_(torch.randn(p.shape, generator=chance) * 0.5 + 0.5 * (p.ndim == 1))
            self.gain *= loud
        self.double()

    def forward(self, input_ids: Tensor, labels: Tensor, **more: Any) -> dict[str, Tensor]:
        """``loss``: the mean over the labels that count, or their sum by ``num_items_in_batch``."""
        found = self.first(self.embed(input_ids)) * self.gain
        if self.has_more:
            found = self.second(found + self.bias_table)
        scores = self.head(found)
        items = more.get("num_items_in_batch")
        loss = functional.cross_entropy(
            scores.flatten(0, 1),
            labels.flatten(),
            ignore_index=IGNORED,
            reduction="mean" if items is None else "sum",
        )
        return {"loss": loss if items is None else loss / items, "logits": scores}


def batches_of(lengths: Sequence[Sequence[int]], seed: int) -> list[Batch]:
    """Batches of rows with ``LENGTH`` symbols, of which ``lengths`` says how many count.

    Args:
        lengths: for each batch, for each of its rows, the labels that count.
        seed: of the symbols.
    """
    chance = generator(seed)
    made = []
    for rows in lengths:
        symbols = torch.randint(SYMBOLS, (len(rows), LENGTH + 1), generator=chance)
        labels = symbols[:, 1:].clone()
        for row, count in enumerate(rows):
            labels[row, count:] = IGNORED
        made.append({"input_ids": symbols[:, :-1].contiguous(), "labels": labels})
    return made


def weights_of(model: nn.Module) -> list[float]:
    """All parameters of a model in one row, in their order."""
    return [float(x) for p in model.parameters() for x in p.detach().reshape(-1)]
