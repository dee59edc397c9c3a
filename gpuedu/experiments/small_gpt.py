"""A small character GPT that has read Python's standard library, for lessons on inference."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from gpuedu.experiments.results import read_results
from gpuedu.training import CharacterGPT, character_loss, load_library
from gpuedu.training.data import Split
from gpuedu.training.library_text import VOCABULARY
from gpuedu.training.seeds import generator, kept_random_state, seed_all

NAME = "small-gpt"
WHAT = "the weights of a small GPT that has read Python's standard library, character by character"

SIZES = {"context": 64, "width": 64, "layers": 2, "heads": 4}
STEPS, BATCH, RATE, WARMUP = 2_000, 32, 5e-3, 100
_HELD_OUT = 256
"""Windows of text that the loss is taken on."""


def load_small_gpt() -> CharacterGPT:
    """The trained model, in float32 and ready for inference: nothing in it takes gradients.

    >>> load_small_gpt()(torch.zeros(1, 5, dtype=torch.long)).shape
    torch.Size([1, 5, 97])
    """
    values = read_results(NAME).values
    with kept_random_state():
        model = CharacterGPT(len(VOCABULARY), **values["sizes"])
    numbers = np.frombuffer(base64.b64decode(values["float16"]), "<f2").astype(np.float32)
    torch.nn.utils.vector_to_parameters(torch.from_numpy(numbers), model.parameters())
    return model.requires_grad_(False).eval()


def run(tell: Callable[[str], None]) -> dict[str, Any]:
    """The weights in float16, as base64, in the order of ``parameters()``, and the loss."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return _trained(tell)
    finally:
        torch.set_num_threads(threads)


def _trained(tell: Callable[[str], None]) -> dict[str, Any]:
    text = load_library(context=SIZES["context"])
    with kept_random_state():
        seed_all(0)
        model = CharacterGPT(len(VOCABULARY), **SIZES, fused=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, _share_of_rate)
    chance = generator(0, STEPS)
    for step in range(1, STEPS + 1):
        chosen = torch.randint(len(text.train), (BATCH,), generator=chance)
        loss = character_loss(model(text.train.inputs[chosen]), text.train.targets[chosen])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % (STEPS // 8) == 0:
            tell(f"after {step} steps: {held_out_loss(model, text.held_out):.3f} nats a character")
    weights = torch.nn.utils.parameters_to_vector(model.parameters()).detach().numpy()
    return {
        "sizes": SIZES,
        "text": text.source,
        "recipe": {"steps": STEPS, "batch": BATCH, "rate": RATE},
        "held_out_loss": round(held_out_loss(model, text.held_out), 4),
        "float16": base64.b64encode(weights.astype("<f2").tobytes()).decode(),
    }


@torch.no_grad()
def held_out_loss(model: CharacterGPT, held_out: Split) -> float:
    """Mean cross-entropy on some text that the model has not seen, in nats a character."""
    inputs, targets = held_out.inputs[:_HELD_OUT], held_out.targets[:_HELD_OUT]
    return character_loss(model(inputs), targets).item()


def _share_of_rate(step: int) -> float:
    """Up within the first steps, then down along half a cosine."""
    if step < WARMUP:
        return (step + 1) / WARMUP
    return 0.5 + 0.5 * math.cos(math.pi * (step - WARMUP) / (STEPS - WARMUP))
