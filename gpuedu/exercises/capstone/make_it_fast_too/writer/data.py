"""Rows of text: from the store onto the device, in batches and their parts."""

import json

import numpy as np
import torch

ALPHABET = " efghinorstuvwxz"


def to_tokens(texts, device):
    """Texts of one length on the device: (N, length) int64."""
    numbers = [[ALPHABET.index(letter) for letter in text] for text in texts]
    return torch.tensor(numbers).to(device)


def read_rows(store, settings):
    """All rows to learn from: (N, length) int64 on the device."""
    return to_tokens(json.loads(store.read("rows.json")), settings["device"])


def batches(rows, epoch, settings):
    """For each step of an epoch, this rank's share of the batch, in parts of "micro" rows.

    More than "micro" rows at once do not fit into the device's memory.
    """
    order = np.random.default_rng([settings["seed"], epoch]).permutation(len(rows))
    size, rank, ranks = (settings[name] for name in ("batch", "rank", "ranks"))
    for first in range(0, len(rows), size):
        chosen = torch.from_numpy(order[first : first + size][rank::ranks])
        yield rows[chosen.to(settings["device"])].split(settings["micro"])
