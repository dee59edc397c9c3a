"""FLOP of layers, models and steps: the truth that count-the-step is judged by.

Convention: a multiply-add is two FLOP; models count the products of their matrices and no more, as
``torch.utils.flop_counter`` does. Tests hold these formulas against that counter.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

NORM_OPERATIONS = 7
"""For each number: into the mean, less the mean, squared, into the variance, divided by the root,
times gamma, plus beta. What is done once a row is left out."""


def norm_flop(samples: int, length: int, width: int) -> int:
    """A layer norm of (samples, length, width) numbers."""
    return NORM_OPERATIONS * samples * length * width


def attention_flop(samples: int, length: int, width: int) -> int:
    """Four products with weights of width x width, and two with each other, over all heads."""
    return samples * length * (8 * width**2 + 4 * length * width)


def gpt_flop(samples: int, length: int, width: int, layers: int, vocabulary: int) -> int:
    """Forward: attention and a network of 4 times the width in each layer, then the scores."""
    network = 16 * samples * length * width**2
    scores = 2 * samples * length * width * vocabulary
    return layers * (attention_flop(samples, length, width) + network) + scores


def gpt_step_flop(samples: int, length: int, width: int, layers: int, vocabulary: int) -> int:
    """Forward and backward: the first product's inputs come from an embedding, and need theirs."""
    return 3 * gpt_flop(samples, length, width, layers, vocabulary)


def mlp_flop(samples: int, widths: Sequence[int]) -> int:
    """Forward of linear layers, from ``widths[0]`` numbers to ``widths[-1]``."""
    return 2 * samples * sum(a * b for a, b in pairwise(widths))


def mlp_step_flop(samples: int, widths: Sequence[int]) -> int:
    """Forward and backward; nobody asks for the gradient of the images.

    >>> mlp_step_flop(2, [3, 5]), mlp_step_flop(2, [3, 5, 4])
    (120, 360)
    """
    return 3 * mlp_flop(samples, widths) - mlp_flop(samples, widths[:2])
