"""The task: rows of digits in words that count up, by one or by more."""

from __future__ import annotations

import json

import numpy as np

from gpuedu.exercises.capstone.digit_rows import NAMES

LENGTH = 65
"""Letters of a row: 64 to read, and 64 to guess."""


def counting_files(seed: int, *, rows: int, prompts: int, prompt: int) -> dict[str, bytes]:
    """The store's files: as many rows, and beginnings of others with ``prompt`` letters.

    >>> files = counting_files(1, rows=2, prompts=1, prompt=16)
    >>> json.loads(files["prompts.json"])
    ['zero two four si']
    """
    draws = np.random.default_rng(seed)
    texts = [_row(draws) for _ in range(rows + prompts)]
    return {
        "rows.json": json.dumps(texts[:rows]).encode(),
        "prompts.json": json.dumps([one[:prompt] for one in texts[rows:]]).encode(),
    }


def _row(draws: np.random.Generator) -> str:
    first, step = draws.integers(10), draws.integers(1, 10)
    words = [NAMES[(first + place * step) % 10] for place in range(LENGTH)]
    return " ".join(words)[:LENGTH]
