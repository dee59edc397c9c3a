"""Scores whose right probabilities leave no doubt, and those probabilities, token by token."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

_APART = 0.01
"""By how much scores differ that are not equal: more than float32 loses."""
_CLEAR = 1e-3
"""How far a sum of probabilities is from top-p: more than any rounding."""


def right(
    scores: Sequence[float],
    temperature: float,
    top_k: int | None = None,
    top_p: float | None = None,
    *,
    is_whole: bool = False,
    cut_at: float | None = None,
) -> list[float]:
    """The probability of each token.

    Args:
        scores: of all tokens; at least one is finite.
        temperature: 0 for the first of the largest scores.
        top_k: None for all.
        top_p: None for all.
        is_whole: top-p goes by the probabilities from before top-k, which is wrong.
        cut_at: the temperature at which tokens are cut, where it is another one, which is wrong.
    """
    ranked = sorted(range(len(scores)), key=lambda token: (-scores[token], token))
    if temperature == 0:
        return [float(token == ranked[0]) for token in range(len(scores))]
    powers = _powers(scores, ranked, cut_at or temperature)
    kept = ranked[: top_k or len(ranked)]
    whole = math.fsum(powers[token] for token in (ranked if is_whole else kept))
    if top_p is not None:
        sums = [math.fsum(powers[one] for one in kept[: n + 1]) for n in range(len(kept))]
        enough = [n for n, one in enumerate(sums) if one >= top_p * whole]
        kept = kept[: enough[0] + 1] if enough else kept
    powers = _powers(scores, ranked, temperature)
    total = math.fsum(powers[token] for token in kept)
    return [powers[one] / total if one in kept else 0.0 for one in range(len(scores))]


def _powers(scores: Sequence[float], ranked: Sequence[int], temperature: float) -> list[float]:
    largest = scores[ranked[0]]
    return [math.exp((one - largest) / temperature) for one in scores]


def draw_scores(rng: np.random.Generator, count: int, spread: float) -> np.ndarray:
    """Normal scores (count,) float32 in any order, of which no two are near each other."""
    rising = np.sort(spread * rng.normal(size=count)) + _APART * np.arange(count)
    return rng.permutation(rising).astype(np.float32)


def is_clear(scores: np.ndarray, temperature: float, top_k: int | None, top_p: float) -> bool:
    """True if no sum of the largest probabilities is near top-p."""
    p = sorted(right(scores.tolist(), temperature, top_k), reverse=True)
    return bool((np.abs(np.cumsum(p) - top_p) > _CLEAR).all())


def draw_clear(
    rng: np.random.Generator, count: int, spread: float, top_p: float, top_k: int | None = None
) -> np.ndarray:
    """Scores on which top-p leaves no doubt at temperature 1."""
    while True:
        scores = draw_scores(rng, count, spread)
        if is_clear(scores, 1.0, top_k, top_p):
            return scores


def draw_telling(
    rng: np.random.Generator, count: int, temperature: float, top_k: int, top_p: float
) -> np.ndarray:
    """Scores on which it matters in which order the settings are applied."""
    while True:
        scores = draw_scores(rng, count, 1.5)
        given = (scores.tolist(), temperature, top_k, top_p)
        truth, whole = right(*given), right(*given, is_whole=True)
        cut, few = right(*given, cut_at=1.0), right(*given[:3])
        are_apart = truth not in (whole, cut, few) and whole != cut
        if are_apart and is_clear(scores, temperature, top_k, top_p):
            return scores
