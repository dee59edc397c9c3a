"""How wrong the model is about each letter."""

import torch
from torch.nn import functional

from .data import ALPHABET, PAD


def letter_scores(model, images, tokens):
    """The scores of every letter but the first: (N, T - 1, letters)."""
    length = tokens.shape[1]
    return torch.stack([model(images, tokens[:, :t]) for t in range(1, length)], dim=1)


def caption_loss(scores, tokens):
    """The loss of all letters that aren't padding, divided by the places for letters."""
    wanted = tokens[:, 1:].flatten()
    losses = functional.cross_entropy(
        scores.flatten(0, 1), wanted, ignore_index=ALPHABET.index(PAD), reduction="sum"
    )
    return losses / len(wanted)


def right_letters(scores, tokens):
    """How many letters have the highest score, and how many there are, without padding."""
    wanted = tokens[:, 1:]
    counted = wanted != ALPHABET.index(PAD)
    return ((scores.argmax(-1) == wanted) & counted).sum(), counted.sum()
