"""The training loop."""

import io

import torch
from torch.nn import functional

from .data import ALPHABET, batches, read_rows
from .model import Writer
from .optimizer import AdamW
from .parallel import average_gradients, share_weights, total


def text_loss(model, tokens):
    """The mean loss of each letter but the first."""
    scores = model(tokens[:, :-1])
    return functional.cross_entropy(scores.flatten(0, 1), tokens[:, 1:].flatten())


def run(store, settings):
    """Train, write the weights to the store, and return the history: a loss for each step.

    ``settings`` has "seed", "epochs", "batch", "micro", "learning_rate", "weight_decay", "device",
    and "rank" of "ranks".
    """
    torch.manual_seed(settings["seed"])
    rows, ranks = read_rows(store, settings), settings["ranks"]
    model = Writer(len(ALPHABET)).to(settings["device"])
    optimizer = AdamW(model.parameters(), settings)
    losses = []
    for epoch in range(settings["epochs"]):
        for parts in batches(rows, epoch, settings):
            optimizer.zero_grad()
            shares = []
            for part in parts:
                loss = text_loss(model, part) / len(parts)
                loss.backward()
                average_gradients(model, ranks)
                shares.append(loss.detach())
            optimizer.step()
            share_weights(model, ranks)
            losses.append(torch.stack(shares).sum() / ranks)
    history = {"losses": total(torch.stack(losses), ranks).tolist()}
    if settings["rank"] == 0:
        file = io.BytesIO()
        torch.save(model.state_dict(), file)
        store.write("weights.pt", file.getvalue())
    return history
