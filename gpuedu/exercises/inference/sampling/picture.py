"""sampling: what top-p and top-k leave where a model is sure, and where it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gpuedu.exercises.compare import show
from gpuedu.exercises.inference.sampling.play import distribution
from gpuedu.exercises.inference.sampling.written_pictures import next_scores
from gpuedu.figures.caption import Caption
from gpuedu.figures.token_bars import TokenPanel, plot_token_bars
from gpuedu.training.library_text import VOCABULARY

_AFTER = ("    if x is No", "    if x is not ")
_SHOWN = 14
_OFF = 1e-6
"""How far from 1 a sum of probabilities may be."""
_SETTINGS = {"top-p 0.9": (1.0, None, 0.9), "top-k 5": (1.0, 5, None)}
_NAMES = {" ": "\N{OPEN BOX}", "\n": "\\n"}


def draw_sampling(probabilities: Callable[..., Any]) -> Any:
    """The learner's distributions over the characters that a small GPT may write next."""
    panels, told = [], []
    for text in _AFTER:
        scores = next_scores(text)
        model = np.exp(scores - scores.max(), dtype=np.float64)
        model /= model.sum()
        ranked = np.argsort(-model, kind="stable")[:_SHOWN]
        left, counts = {}, []
        for name, settings in _SETTINGS.items():
            p = distribution(probabilities, scores.copy(), *settings)
            counts.append(f"{name} {_what_it_gives(p)}")
            left[name] = (p[ranked], counts[-1])
        shown = tuple(_NAMES.get(VOCABULARY[token], VOCABULARY[token]) for token in ranked)
        title = f'after "{text.lstrip()}"'
        panels.append(TokenPanel(title, shown, model[ranked], left))
        told.append(f"{title} {' and '.join(counts)}")
    caption = Caption(
        title="Top-p keeps few tokens where the model is sure, and many where it isn't",
        x=f"character, the {_SHOWN} most likely",
        y="probability",
        source="Computed by your function from the scores of a small GPT that has read Python "
        "code.",
        alt=f"Bars of probabilities, of {len(VOCABULARY)} characters: {'; '.join(told)}.",
    )
    return plot_token_bars(panels, caption=caption)


def _what_it_gives(p: np.ndarray) -> str:
    """How many tokens are left, or why these are no probabilities."""
    if not np.isfinite(p).all():
        return "gives NaN or infinity"
    if (p < 0).any():
        return "gives negative numbers"
    if abs(p.sum() - 1) > _OFF:
        return f"adds up to {show(float(p.sum()))}"
    return f"keeps {np.count_nonzero(p)}"


PICTURE = draw_sampling
