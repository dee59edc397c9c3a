"""Attention of whole texts, computed again for each new token; and caches, place by place."""

from __future__ import annotations

import math

import numpy as np

from gpuedu.exercises.contract import Inputs


def results_of(inputs: Inputs) -> list[np.ndarray]:
    """Of all calls in all layers, (N, H, T, D) each, in float64, from texts without a cache."""
    count, lengths = len(inputs["cache_k"]), inputs["lengths"]
    texts = [_Texts(inputs["cache_k"][at], inputs["cache_v"][at], lengths) for at in range(count)]
    results = []
    for call in inputs["calls"]:
        for at, layer in enumerate(texts):
            new = [call[name][at].astype(np.float64) for name in ("query", "key", "value")]
            results.append(layer.attend(*new, call["kept"]))
    return results


class _Texts:
    """Keys and values (G, tokens, D) of each text so far, and nothing else."""

    def __init__(self, cache_k: np.ndarray, cache_v: np.ndarray, lengths: np.ndarray) -> None:
        self._texts = [
            [one[n, :, :length].astype(np.float64) for one in (cache_k, cache_v)]
            for n, length in enumerate(lengths)
        ]

    def attend(
        self, query: np.ndarray, key: np.ndarray, value: np.ndarray, kept: np.ndarray
    ) -> np.ndarray:
        results = np.empty(query.shape)
        for n, (keys, values) in enumerate(self._texts):
            before = keys.shape[1]
            keys, values = (
                np.concatenate(both, axis=1) for both in ((keys, key[n]), (values, value[n]))
            )
            results[n] = _whole_text(query[n], keys, values, before)
            end = before + int(kept[n])  # what is padding is forgotten
            self._texts[n] = [keys[:, :end], values[:, :end]]
        return results


def _whole_text(query: np.ndarray, keys: np.ndarray, values: np.ndarray, before: int) -> np.ndarray:
    """(H, T, D) of the tokens behind the first ``before`` of one text."""
    results = np.empty(query.shape)
    heads, group = query.shape[0], query.shape[0] // keys.shape[0]
    for head in range(heads):
        for token in range(query.shape[1]):
            seen = slice(0, before + token + 1)
            k, v = keys[head // group, seen], values[head // group, seen]
            scores = k @ query[head, token] / math.sqrt(query.shape[2])
            weights = np.exp(scores - scores.max())
            results[head, token] = weights @ v / weights.sum()
    return results


def caches_of(inputs: Inputs) -> dict[str, np.ndarray]:
    """Both caches of the first layer after the first call."""
    call, found = inputs["calls"][0], {}
    for name, new in (("cache_k", "key"), ("cache_v", "value")):
        cache = inputs[name][0].astype(np.float64)
        for n, length in enumerate(inputs["lengths"]):
            for token in range(call[new].shape[3]):
                cache[n, :, length + token] = call[new][0][n, :, token]
        found[name] = cache
    return found
