"""Writing: the model continues prompts, always with the letter that has the highest score."""

import io
import json

import torch

from .data import ALPHABET, to_tokens
from .model import Writer


def read_model(store, settings):
    """The model that was trained, from the store."""
    model = Writer(len(ALPHABET)).to(settings["device"])
    model.load_state_dict(torch.load(io.BytesIO(store.read("weights.pt"))))
    return model.eval()


@torch.no_grad()
def run(store, settings):
    """The prompts, each followed by "letters" more letters; all prompts have the same length."""
    model = read_model(store, settings)
    texts = []
    for text in json.loads(store.read("prompts.json")):
        for _ in range(settings["letters"]):
            scores = model(to_tokens([text], settings["device"]))[0, -1].tolist()
            text += ALPHABET[scores.index(max(scores))]
        texts.append(text)
    return texts
