"""A small GPT that reads characters and says what comes next."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from gpuedu.training.library_text import decode, encode
from gpuedu.training.seeds import generator


class CausalAttention(nn.Module):
    """Each position looks at itself and those before it: (N, T, width) to (N, T, width).

    The scores of all pairs, (N, heads, T, T), are in memory and are saved for the backward pass;
    ``fused`` makes PyTorch's kernel compute the same without keeping them. Source: Vaswani et al.,
    "Attention Is All You Need", 2017, section 3.2.
    """

    def __init__(self, width: int, heads: int, context: int, *, fused: bool = False) -> None:
        super().__init__()
        self.heads, self.fused = heads, fused
        self.query_key_value = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        future = torch.ones(context, context, dtype=torch.bool).triu(1)
        self.register_buffer("future", future, persistent=False)

    def forward(self, states: Tensor) -> Tensor:
        """What each position takes from the others."""
        samples, length, width = states.shape
        parts = self.query_key_value(states).view(samples, length, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)  # each (N, heads, T, width / heads)
        if self.fused:
            mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        else:
            scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
            scores = scores.masked_fill(self.future[:length, :length], -math.inf)
            mixed = scores.softmax(dim=-1) @ value
        return self.out(mixed.transpose(1, 2).reshape(samples, length, width))


class Block(nn.Module):
    """Attention, then a two-layer network at each position, each added to its input."""

    def __init__(self, width: int, heads: int, context: int, *, fused: bool = False) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = CausalAttention(width, heads, context, fused=fused)
        self.network_norm = nn.LayerNorm(width)
        self.network = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, states: Tensor) -> Tensor:
        """(N, T, width) to (N, T, width)."""
        states = states + self.attention(self.attention_norm(states))
        return states + self.network(self.network_norm(states))


class CharacterGPT(nn.Module):
    """Numbers of characters (N, T) int64 to scores of the next one (N, T, vocabulary).

    ``tied`` uses one matrix to read characters and to score them, (vocabulary, width). Source:
    Radford et al., "Language Models are Unsupervised Multitask Learners", 2019, section 2.3;
    Press and Wolf, "Using the Output Embedding to Improve Language Models", 2016.

    Args:
        vocabulary: how many characters there are.
        context: the longest T.
        width: numbers per position; ``heads`` divides it.
        layers: blocks.
        heads: attention heads side by side in a block.
        tied: whether the first and the last matrix are the same.
        fused: attention by PyTorch's kernel.

    >>> model = CharacterGPT(97, context=16, width=32, layers=1)
    >>> tuple(model(torch.zeros(2, 16, dtype=torch.long)).shape)
    (2, 16, 97)
    """

    def __init__(
        self,
        vocabulary: int,
        *,
        context: int = 64,
        width: int = 64,
        layers: int = 2,
        heads: int = 4,
        tied: bool = True,
        fused: bool = False,
    ) -> None:
        super().__init__()
        self.context = context
        self.characters = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(context, width)
        self.blocks = nn.Sequential(
            *(Block(width, heads, context, fused=fused) for _ in range(layers))
        )
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.apply(_start_small)
        if tied:
            self.head.weight = self.characters.weight

    def forward(self, characters: Tensor) -> Tensor:
        """Scores (N, T, vocabulary); T is at most ``context``."""
        places = torch.arange(characters.shape[1], device=characters.device)
        states = self.characters(characters) + self.places(places)
        return self.head(self.norm(self.blocks(states)))


def _start_small(layer: nn.Module) -> None:
    """Weights of spread 0.02, so that the first scores are all alike and the loss is log(V)."""
    if isinstance(layer, nn.Linear | nn.Embedding):
        nn.init.normal_(layer.weight, std=0.02)
    if isinstance(layer, nn.Linear) and layer.bias is not None:
        nn.init.zeros_(layer.bias)


def character_loss(scores: Tensor, targets: Tensor) -> Tensor:
    """Mean cross-entropy in nats a character: scores (N, T, V), targets (N, T); a scalar.

    >>> even = torch.zeros(2, 3, 97)
    >>> f"{character_loss(even, torch.zeros(2, 3, dtype=torch.long)):.3f}"   # log(97)
    '4.575'
    """
    return functional.cross_entropy(scores.flatten(0, 1), targets.flatten())


@torch.no_grad()
def write_text(model: CharacterGPT, start: str, *, characters: int = 200, seed: int = 0) -> str:
    """``start``, and what the model writes after it, each character drawn from its scores."""
    chance = generator(seed)
    numbers = encode(start or "\n")
    device = next(model.parameters()).device
    for _ in range(characters):
        scores = model(numbers[None, -model.context :].to(device))[0, -1]
        drawn = torch.multinomial(scores.float().softmax(0).cpu(), 1, generator=chance)
        numbers = torch.cat([numbers, drawn])
    return decode(numbers)
