"""All that a run needs to continue, in one file of the store."""

import io

import torch

NAME = "checkpoint.pt"


def save(store, model, optimizer, history, epoch, name=NAME):
    """Write the state after ``epoch`` epochs."""
    state = {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "history": history,
        "epoch": epoch,
    }
    file = io.BytesIO()
    torch.save(state, file)
    store.write(name, file.getvalue())


def load(store, model, optimizer):
    """The history and the number of epochs of a run that was saved, or a history without any."""
    if NAME not in store:
        return {"losses": [], "train_accuracy": [], "loss": [], "accuracy": []}, 0
    state = torch.load(io.BytesIO(store.read(NAME)))
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["history"], state["epoch"]
