"""The training loop."""

import torch

from .checkpoint import load, save
from .data import ALPHABET, Data
from .evaluate import evaluate
from .losses import caption_loss, letter_scores, right_letters
from .model import Reader
from .optimizer import AdamW, clip_gradients
from .parallel import average_gradients, total


def run(store, settings):
    """Train, and return the history: a number for each step or epoch.

    ``settings`` has "seed", "epochs", "batch", "learning_rate", "weight_decay", "clip", "device",
    and "rank" of "ranks". If the store holds a checkpoint, the run continues from it.
    """
    torch.manual_seed(settings["seed"])
    train, held_out = (Data(store, split, settings) for split in ("train", "held_out"))
    model = Reader(len(ALPHABET), train.length).to(settings["device"])
    optimizer = AdamW(model.parameters(), settings)
    history, epochs_done = load(store, model, optimizer)
    ranks = settings["ranks"]
    for epoch in range(epochs_done, settings["epochs"]):
        kept = []
        for images, tokens in train.batches(epoch):
            scores = letter_scores(model, images, tokens)
            loss = caption_loss(scores, tokens)
            optimizer.zero_grad()
            loss.backward()
            average_gradients(model, ranks)
            clip_gradients(model.parameters(), settings["clip"])
            optimizer.step()
            if not torch.isfinite(loss):
                raise RuntimeError(f"the loss is {loss.item()}")
            history["losses"].append(total(loss.detach() / ranks, ranks).item())
            kept.append((scores, tokens))
            if settings["rank"] == 0:
                save(store, model, optimizer, history, epoch, "last_step.pt")
        right, letters = map(sum, zip(*(right_letters(*one) for one in kept), strict=True))
        right, letters = total(right, ranks), total(letters, ranks)
        history["train_accuracy"].append((right / letters).item())
        loss, accuracy = evaluate(model, held_out)
        history["loss"].append(loss)
        history["accuracy"].append(accuracy)
        if settings["rank"] == 0:
            save(store, model, optimizer, history, epoch + 1)
    return history
