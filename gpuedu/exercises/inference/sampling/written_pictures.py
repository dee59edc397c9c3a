"""Texts that a small GPT writes with the learner's own functions."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from gpuedu.exercises.inference.sampling.play import distribution, drawn
from gpuedu.exercises.training.quiet import quiet_torch

_START, _CHARACTERS, _SEED = "def read(", 150, 0
_WAYS: tuple[tuple[str, tuple[float, int | None, float | None]], ...] = (
    ("temperature 0", (0.0, None, None)),
    ("temperature 0.5", (0.5, None, None)),
    ("temperature 1", (1.0, None, None)),
    ("temperature 1, top-p 0.9", (1.0, None, 0.9)),
    ("temperature 1.5", (1.5, None, None)),
)


def tell_texts(probabilities: Callable[..., Any], draw: Callable[..., Any]) -> str:
    """What the GPT writes after the same start, with the same numbers to draw with, five ways."""
    us = np.random.default_rng(_SEED).random(_CHARACTERS)
    found = []
    for name, settings in _WAYS:
        text = _START
        for u in us:
            p = distribution(probabilities, next_scores(text), *settings)
            text += _character(drawn(draw, p, float(u)))
        found.append(f"--- {name}\n{text}")
    return "\n\n".join(found)


def next_scores(text: str) -> np.ndarray:
    """The scores of the character after a text, float32 (vocabulary,)."""
    import torch

    from gpuedu.training.library_text import encode

    model = _model()
    with quiet_torch(), torch.no_grad():
        return model(encode(text)[None, -model.context :])[0, -1].numpy().copy()


@cache
def _model() -> Any:
    from gpuedu.experiments.small_gpt import load_small_gpt

    return load_small_gpt()


def _character(token: int) -> str:
    """A token that there is not is told by a sign of its own."""
    from gpuedu.training.library_text import UNKNOWN, VOCABULARY

    return VOCABULARY[token] if 0 <= token < len(VOCABULARY) else UNKNOWN
