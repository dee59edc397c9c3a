"""Cases of attention-heads: heads, copies of heads, and slices of scores."""

from __future__ import annotations

import numpy as np

from gpuedu.exercises.contract import Case
from gpuedu.exercises.tensor_parallel.attention_heads.judge.truths import heads_on
from gpuedu.exercises.tensor_parallel.attention_heads.play import COPIES, HEADS, LOSS

_HEADS = ((4, 8, 8), (4, 8, 2), (2, 12, 3), (4, 12, 3), (8, 16, 1), (1, 6, 2))
"""Ranks, heads, key-value heads."""
_COPIES = ((4, 8, 2), (8, 16, 4), (4, 8, 8), (4, 12, 3), (2, 12, 3), (6, 12, 1))
_FAR = 1000.0


def cases(rng: np.random.Generator) -> list[Case]:
    """Heads that divide by the ranks and shared ones; vocabularies with padding, and far scores."""
    return [
        *(_heads_case(*sizes) for sizes in (*_HEADS, *(_drawn_heads(rng) for _ in range(2)))),
        *(_copies_case(rng, *sizes) for sizes in _COPIES),
        _loss_case(rng, "12 words on 3 ranks", 3, 12, "losses", "gradient", "bytes"),
        _loss_case(rng, "8 words on 8 ranks", 8, 8, "losses", "gradient", "bytes"),
        _loss_case(rng, "6 words on 1 rank", 1, 6, "losses", "gradient"),
        _loss_case(rng, "13 words on 5 ranks", 5, 13, "padding"),
        _loss_case(rng, "5 words on 4 ranks, far padding", 4, 5, "padding", above=_FAR),
        _loss_case(rng, "5 words on 4 ranks, scores about -1,000", 4, 5, "padding", shift=-_FAR),
        _loss_case(rng, "scores about 1,000", 3, 12, "stable", shift=_FAR),
        _loss_case(rng, "scores about -1,000", 4, 8, "stable", shift=-_FAR),
        _loss_case(rng, "scores that are 1,000 apart", 3, 12, "stable", spread=_FAR),
    ]


def _drawn_heads(rng: np.random.Generator) -> tuple[int, int, int]:
    ranks = int(rng.integers(2, 8))
    heads = ranks * int(rng.integers(2, 7))
    return ranks, heads, int(rng.choice([n for n in range(1, heads + 1) if heads % n == 0]))


def _heads_case(ranks: int, heads: int, kv_heads: int) -> Case:
    inputs = {"asks": HEADS, "ranks": ranks, "heads": heads, "kv_heads": kv_heads}
    return Case(f"{heads} heads, {kv_heads} key-value heads, {ranks} ranks", inputs, ("heads",))


def _copies_case(rng: np.random.Generator, ranks: int, heads: int, kv_heads: int) -> Case:
    held = [heads_on(rank, ranks, heads, kv_heads)[1] for rank in range(ranks)]
    inputs = {
        "asks": COPIES,
        "ranks": ranks,
        "heads": heads,
        "kv_heads": kv_heads,
        "held": held,
        "gradients": [rng.normal(size=(len(mine), 3)) for mine in held],
        "seed": int(rng.integers(2**20)),
    }
    label = f"gradients of {kv_heads} key-value heads for {heads} heads, on {ranks} ranks"
    return Case(label, inputs, ("copies", "copied-bytes"))


def _loss_case(
    rng: np.random.Generator,
    label: str,
    ranks: int,
    vocabulary: int,
    *decides: str,
    shift: float = 0.0,
    spread: float = 1.0,
    above: float = 5.0,
) -> Case:
    """Padding has the largest scores, by ``above``; most ranks' slices have targets."""
    each = -(-vocabulary // ranks)
    near = rng.normal(size=(7, ranks * each))
    scores = shift + spread * near
    scores[:, vocabulary:] += above
    targets = rng.permutation(np.resize(np.arange(vocabulary), 7))
    inputs = {
        "asks": LOSS,
        "ranks": ranks,
        "vocabulary": vocabulary,
        "scores": scores,
        "targets": targets.astype(np.int64),
        "seed": int(rng.integers(2**20)),
    }
    if "padding" in decides or "stable" in decides:
        inputs["first"] = {"scores": near, "vocabulary": near.shape[1]}
    return Case(label, inputs, decides)
