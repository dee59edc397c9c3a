"""N of the rule 6 N D, for a GPT: what a picture and a judge both need."""

from __future__ import annotations


def used_weights(width: int, layers: int, vocabulary: int) -> int:
    """Weights of the matrices that a GPT's products use; biases and places are left out.

    >>> used_weights(64, layers=2, vocabulary=97)
    104512
    """
    return layers * 12 * width**2 + width * vocabulary
