"""A small transformer-like model, whose parameters are grouped into units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from gpuedu.training.seeds import generator


@dataclass(frozen=True)
class BlocksSpec:
    """Sizes of a model.

    Attributes:
        words: of the vocabulary.
        width: of a token.
        hidden: the inner width of each block.
        tied: the head's matrix is that of the embedding.
        seed: of all numbers.
    """

    words: int
    width: int
    hidden: tuple[int, ...]
    tied: bool = False
    seed: int = 0

    @classmethod
    def of(cls, fields: dict[str, Any]) -> BlocksSpec:
        """From what a case holds."""
        return cls(**(fields | {"hidden": tuple(fields["hidden"])}))


class Block(nn.Module):
    """A norm and an MLP beside a residual connection."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(width)
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x: Tensor) -> Tensor:
        """(N, width) to the same."""
        return x + self.down(torch.tanh(self.up(self.norm(x))))


class BlocksModel(nn.Module):
    """An embedding, blocks, a norm and a head; ``scale`` is a parameter of the model itself."""

    def __init__(self, spec: BlocksSpec) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(spec.width))
        self.embed = nn.Embedding(spec.words, spec.width)
        self.blocks = nn.ModuleList(Block(spec.width, hidden) for hidden in spec.hidden)
        self.norm = nn.RMSNorm(spec.width)
        self.head = nn.Linear(spec.width, spec.words, bias=False)
        if spec.tied:
            self.head.weight = self.embed.weight

    def forward(self, words: Tensor) -> Tensor:
        """Scores (N, words) of N words."""
        x = self.embed(words) * self.scale
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def build_blocks(spec: BlocksSpec, dtype: torch.dtype = torch.float32) -> BlocksModel:
    """The model, whose numbers come from the seed."""
    chance, model = generator(spec.seed), BlocksModel(spec).to(dtype)
    with torch.no_grad():
        for one in model.parameters():
            one.copy_(torch.randn(one.shape, generator=chance, dtype=torch.float64) / 2)
    return model


def words_of(spec: BlocksSpec, count: int, *seeds: int) -> tuple[Tensor, Tensor]:
    """Words (count), and which should come next."""
    chance = generator(spec.seed, *seeds)
    drawn = torch.randint(spec.words, (2, count), generator=chance)
    return drawn[0], drawn[1]


def shapes_in(model: nn.Module) -> dict[str, Sequence[int]]:
    """The shapes of all parameters, by name; a tied one is there once."""
    return {name: tuple(one.shape) for name, one in model.named_parameters()}
