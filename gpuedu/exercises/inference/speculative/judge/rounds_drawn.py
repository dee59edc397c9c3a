"""Single rounds of speculative decoding, drawn so that wrong ways to end them are seen."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.contract import Case
from gpuedu.exercises.functions import call_case

_TOKENS = 6
_APART = 0.02
"""A uniform keeps that far from the ratio that it is compared with, so that both can be told."""


def residual_of(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """What is missing where the draft is too low; all 0 where nothing is."""
    missing = p - np.minimum(p, q)
    total = missing.sum()
    return missing / total if total else missing


def draw_from(p: np.ndarray, uniform: float) -> int:
    """The token that a number stands for."""
    return int((np.cumsum(p) <= uniform).sum())


def right_round(
    tokens: list[int], q: np.ndarray, p: np.ndarray, uniforms: np.ndarray
) -> tuple[int, list[int]]:
    """How many guesses are accepted, and all that comes out."""
    places = np.arange(len(tokens))
    accepted = uniforms[:-1] * q[places, tokens] < p[places, tokens]
    return _ended(accepted, tokens, q, p, uniforms)


def _ended(
    accepted: np.ndarray, tokens: list[int], q: np.ndarray, p: np.ndarray, uniforms: np.ndarray
) -> tuple[int, list[int]]:
    """The same, where it is known which guesses are accepted."""
    k = len(tokens)
    count = k if accepted.all() else int(np.argmin(accepted))
    last = p[k] if count == k else residual_of(p[count], q[count])
    return count, [*tokens[:count], draw_from(last, uniforms[k])]


def round_cases(rng: np.random.Generator) -> list[Case]:
    """Rounds that end at each place; then zeros, models that agree, and one guess."""
    ends = ((4, 0), (4, 4), (3, 2), (1, 1), (1, 0))
    found = [_drawn(rng, *one) for one in ends]
    return [_telling(rng), *found, _never(rng), _agreeing(rng), _certain(rng)]


def _case(tokens: list[int], q: np.ndarray, p: np.ndarray, uniforms: np.ndarray) -> Case:
    _, came = right_round(tokens, q, p, uniforms)
    inputs = {"call": "verify", "tokens": tokens, "q": q, "p": p, "uniforms": uniforms}
    return Case("one round", inputs, ("kept", "last"), truth=came)


def _drawn(rng: np.random.Generator, k: int, count: int) -> Case:
    """A round of k guesses of which so many are accepted before one is not."""
    while True:
        tokens, q, p, uniforms = _tried(rng, k)
        if _separates(tokens, q, p, uniforms, count):
            return _case(tokens, q, p, uniforms)


def _telling(rng: np.random.Generator) -> Case:
    """A round of 5 guesses that ends at another place for each other way to compare.

    The place is 2. It is 0 with larger and smaller exchanged, 1 where p alone is compared, 3 where
    p and q are exchanged, 4 with the next row of p, and none with the first uniform for all.
    """
    while True:
        tokens = [int(one) for one in rng.permutation(_TOKENS)[:5]]
        uniforms = np.array([0.10, 0.50, 0.60, 0.70, 0.80, rng.random()])
        uniforms = np.round(uniforms + rng.uniform(-0.02, 0.02, 6), 2) % 1
        guessed = (0.40, 0.35, 0.50, 0.20, 0.50)
        q = [_filled(rng, {t: one}) for t, one in zip(tokens, guessed, strict=True)]
        accepted = (0.50, 0.30, 0.10, 0.45, 0.20)
        at_next = (0.20, 0.30, 0.40, 0.25, 0.05)
        fixed: list[dict[int, float]] = [{} for _ in range(6)]
        for place, token in enumerate(tokens):
            fixed[place][token] = accepted[place]
            fixed[place + 1][token] = at_next[place]
        p = [_filled(rng, one) for one in fixed]
        case = _case(tokens, np.array(q), np.array(p), uniforms)
        others = {*tokens[2:], draw_from(residual_of(p[3], q[3]), uniforms[5])}
        is_apart = case.truth[-1] not in others
        if is_apart and _separates(tokens, np.array(q), np.array(p), uniforms, 2):
            return case


def _filled(rng: np.random.Generator, fixed: dict[int, float]) -> np.ndarray:
    """A distribution with these probabilities in it."""
    row = rng.dirichlet(np.ones(_TOKENS))
    for token in fixed:
        row[token] = 0.0
    row *= (1 - sum(fixed.values())) / row.sum()
    for token, chance in fixed.items():
        row[token] = chance
    return row


def _tried(
    rng: np.random.Generator, k: int
) -> tuple[list[int], np.ndarray, np.ndarray, np.ndarray]:
    """Guesses, distributions and uniforms."""
    q = rng.dirichlet(np.ones(_TOKENS), k)
    p = rng.dirichlet(np.ones(_TOKENS), k + 1)
    tokens = [draw_from(row, u) for row, u in zip(q, rng.random(k), strict=True)]
    return tokens, q, p, np.round(rng.uniform(0.03, 0.97, k + 1), 2)


def _separates(
    tokens: list[int], q: np.ndarray, p: np.ndarray, uniforms: np.ndarray, count: int
) -> bool:
    """Whether the round ends there, and no usual mistake gives the same last token."""
    k = len(tokens)
    places = np.arange(k)
    ratios = p[places, tokens] / q[places, tokens]
    if np.abs(ratios - uniforms[:k]).min() < _APART or ratios.max() > 20:
        return False
    found, came = right_round(tokens, q, p, uniforms)
    if found != count or (0 < count < k - 1 and not (uniforms[:k] < ratios)[count + 1]):
        return False
    at = min(count, k - 1)
    others = {draw_from(row, uniforms[k]) for row in (q[at], p[k - count if k > count else k - 1])}
    if count < k:
        last = residual_of(p[count], q[count])
        others |= {draw_from(p[count], uniforms[k]), draw_from(last, uniforms[count])}
        others |= {draw_from(p[count + 1], uniforms[k])}
        if count + 1 < k:
            others |= {draw_from(last, uniforms[count + 1])}
    return came[-1] not in others | {tokens[at]}


def _never(rng: np.random.Generator) -> Case:
    """The target has 0 for a guess, and the smallest uniform there is."""
    case = _drawn(rng, 3, 1)
    q, p = case.inputs["q"], case.inputs["p"].copy()
    tokens, uniforms = case.inputs["tokens"], case.inputs["uniforms"].copy()
    p[1, tokens[1]] = 0.0
    p[1] /= p[1].sum()
    uniforms[1] = 0.0
    return _case(tokens, q, p, uniforms)


def _agreeing(rng: np.random.Generator) -> Case:
    """Both models are the same: all guesses are accepted."""
    case = _drawn(rng, 3, 3)
    p = np.concatenate([case.inputs["q"], case.inputs["p"][-1:]])
    uniforms = np.append(np.round(rng.uniform(0.7, 0.97, 3), 2), case.inputs["uniforms"][-1])
    return _case(case.inputs["tokens"], case.inputs["q"], p, uniforms)


def _certain(rng: np.random.Generator) -> Case:
    """A target that is certain in each place, and a draft that is: right once, then wrong."""
    sure = np.eye(_TOKENS)
    first, second, guess, after = (int(one) for one in rng.permutation(_TOKENS)[:4])
    tokens = [first, guess, after]
    p = sure[[first, second, after, second]]
    return _case(tokens, sure[tokens], p, np.round(rng.uniform(0.03, 0.97, 4), 2))


def formula_cases(rng: np.random.Generator) -> list[Case]:
    """Formulas on the way, and at their ends: no guess, all of them accepted, or none.

    What comes if all are is asked of what is made from ``expected_tokens``, too: it may be wrong
    there because of what it is made from, so that one mistake is told once.
    """
    acceptance, k = round(rng.uniform(0.55, 0.85), 2), int(rng.integers(5, 9))
    tokens = [(acceptance, k), (0.8, 4), (0.6, 1), (1.0, 5), (0.0, 3), (0.7, 0)]
    speeds = [(acceptance, k, 0.22), (0.8, 4, 0.1), (0.9, 4, 0.25), (0.3, 6, 0.4), (0.9, 0, 0.2)]
    speeds += [(1.0, int(rng.integers(3, 8)), 0.2)]
    bests = [(acceptance, 0.08, 20), (0.8, 0.05, 30), (0.95, 0.01, 6), (0.98, 0.25, 7)]
    bests += [(0.3, 0.4, 8), (0.5, 0.5, 5), (1.0, 0.2, int(rng.integers(3, 8)))]
    return [
        *(call_case("expected", "expected_tokens", acceptance=a, k=k) for a, k in tokens),
        *(call_case("speedup", "speedup", acceptance=a, k=k, draft_cost=c) for a, k, c in speeds),
        *(call_case("best", "best_k", acceptance=a, draft_cost=c, most=m) for a, c, m in bests),
    ]
