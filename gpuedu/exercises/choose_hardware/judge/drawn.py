"""Drawn transformers."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from gpuedu.choosing.models import Model, count_parameters


def draw_model(rng: np.random.Generator) -> dict[str, int]:
    """A transformer some of whose heads share keys and values."""
    layers, kv_heads = int(rng.integers(6, 81)), int(rng.integers(2, 9))
    heads = kv_heads * int(rng.integers(2, 9))
    width, vocabulary = heads * int(rng.choice([64, 96, 128])), int(rng.integers(20, 130)) * 1000
    parameters = count_parameters(layers, width, vocabulary)
    return asdict(Model(parameters, layers, width, heads, kv_heads, vocabulary))
