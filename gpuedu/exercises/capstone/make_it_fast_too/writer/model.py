"""A small GPT that reads letters."""

import torch
from torch import nn
from torch.nn import functional


class Block(nn.Module):
    """Causal attention, then a network at each position, each added to what it was given."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.attention_norm = nn.LayerNorm(width)
        self.query_key_value = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.network_norm = nn.LayerNorm(width)
        self.network = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def attention(self, states):
        """What each position takes from those before it: (N, T, width)."""
        parts = self.query_key_value(self.attention_norm(states))
        query, key, value = parts.unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        scores = query @ key.transpose(-1, -2) / query.shape[-1] ** 0.5
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
        shares = functional.softmax(scores.masked_fill(later, float("-inf")), dim=-1)
        return self.out((shares @ value).transpose(1, 2).flatten(2))

    def forward(self, states):
        """(N, T, width) to (N, T, width)."""
        states = states + self.attention(states)
        return states + self.network(self.network_norm(states))


class Writer(nn.Module):
    """The first letters of texts to scores of the letter that comes next, after each of them."""

    def __init__(self, letters, length=64, width=32, heads=4, layers=2):
        super().__init__()
        self.letters = nn.Embedding(letters, width)
        self.places = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, letters)

    def forward(self, tokens):
        """Tokens (N, T) to scores (N, T, letters)."""
        places = torch.arange(tokens.shape[1], device=tokens.device)
        states = self.letters(tokens) + self.places(places)
        for block in self.blocks:
            states = block(states)
        return self.head(self.norm(states))
