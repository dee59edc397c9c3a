"""A small ResNet that looks at an image, and a small GPT that says what it shows."""

import torch
from torch import nn
from torch.nn import functional


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions beside a shortcut: (N, C, H, W) to (N, D, H/2, W/2)."""

    def __init__(self, channels, wider):
        super().__init__()
        self.first = nn.Conv2d(channels, wider, 3, stride=2, padding=1)
        self.first_norm = nn.GroupNorm(4, wider)
        self.second = nn.Conv2d(wider, wider, 3, padding=1)
        self.second_norm = nn.GroupNorm(4, wider)
        self.shortcut = nn.Conv2d(channels, wider, 1, stride=2)

    def forward(self, images):
        """The block's output."""
        inner = functional.relu(self.first_norm(self.first(images)))
        inner = self.second_norm(self.second(inner))
        return functional.relu(inner + self.shortcut(images))


class Encoder(nn.Module):
    """An image (N, 1, 8, 24) to three states (N, 3, width), one for each digit."""

    def __init__(self, width):
        super().__init__()
        self.stem = nn.Conv2d(1, 8, 3, padding=1)
        self.blocks = nn.Sequential(ResidualBlock(8, 16), ResidualBlock(16, width))

    def forward(self, images):
        """The states."""
        features = self.blocks(functional.relu(self.stem(images.float())))
        return features.unflatten(-1, (3, 2)).mean(dim=(2, 4)).transpose(1, 2)


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

    def forward(self, states):
        """(N, T, width) to (N, T, width)."""
        parts = self.query_key_value(self.attention_norm(states))
        parts = parts.unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(*parts, is_causal=True)
        states = states + self.out(mixed.transpose(1, 2).flatten(2))
        return states + self.network(self.network_norm(states))


class Reader(nn.Module):
    """Images and the first letters of their captions to scores of the letter that comes next.

    The GPT reads the three states of the image first, and then the letters.
    """

    def __init__(self, letters, length, width=32, heads=4, layers=2):
        super().__init__()
        self.encoder = Encoder(width)
        self.letters = nn.Embedding(letters, width)
        self.places = nn.Embedding(3 + length, width)
        self.blocks = nn.Sequential(*(Block(width, heads) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, letters)

    def forward(self, images, tokens):
        """Scores (N, letters) of the letter after the last of the tokens (N, T)."""
        states = torch.cat([self.encoder(images), self.letters(tokens)], dim=1)
        places = torch.arange(states.shape[1], device=states.device)
        states = self.blocks(states + self.places(places))
        return self.head(self.norm(states))[:, -1]
