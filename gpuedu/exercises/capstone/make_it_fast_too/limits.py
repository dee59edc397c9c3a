"""The costs that the second program's bill lists, and how much of each is allowed."""

from __future__ import annotations

from dataclasses import dataclass

from gpuedu.exercises.capstone.counting_rows import LENGTH
from gpuedu.exercises.capstone.limits import Limit
from gpuedu.exercises.capstone.make_it_fast_too.counting import LETTERS, SIZES, TRAINING
from gpuedu.exercises.capstone.units import show_bytes, show_flop


@dataclass(frozen=True)
class Needs:
    """What the task takes.

    ``weight_bytes`` are those of the model in float32, ``row_bytes`` those of all rows; ``saved``
    is how many numbers "micro" rows save for backward, attention without its scores; ``flop`` and
    ``letter_flop`` are those of the weights' matmuls, for a step and for a letter written.
    """

    weight_bytes: int
    row_bytes: int
    saved: float
    flop: float
    letter_flop: float


def show_share(value: float) -> str:
    """A share of the whole.

    >>> show_share(0.254)
    '25%'
    """
    return f"{value:.0%}"


MOST_WIDE = 0.1
"""Of training's work, in more than 16 bits."""
LIMITS = (
    Limit("saved", "most_saved", "saved for backward at once", lambda n: 1.2 * n.saved),
    Limit("half", "wide_flop", "training's work in float32", lambda n: MOST_WIDE, show_share),
    Limit(
        "alive",
        "alive",
        "alive all the time in training",
        lambda n: 4.8 * n.weight_bytes + n.row_bytes,
        show_bytes,
    ),
    Limit(
        "reduced",
        "reduced_bytes",
        "reduced and gathered, a step",
        lambda n: 1.6 * n.weight_bytes,
        show_bytes,
    ),
    Limit(
        "sent", "sent_bytes", "sent otherwise, a step", lambda n: 0.1 * n.weight_bytes, show_bytes
    ),
    Limit("cache", "letter_flop", "work, a letter", lambda n: 1.6 * n.letter_flop, show_flop),
    Limit("batched", "letter_launches", "launches, a letter", lambda n: 12),
    Limit("host", "waits", "waits in writing", lambda n: 4),
)
MOST_FLOP, LEAST_FLOP = 1.2, 0.7
"""How much a step may compute, and has to: as multiples of ``Needs.flop``; a letter has to, too."""


def needs_of() -> Needs:
    """What the task takes, whatever its seed."""
    from gpuedu.exercises.capstone.make_it_fast_too.writer.data import ALPHABET
    from gpuedu.exercises.capstone.make_it_fast_too.writer.model import Writer

    model, letters = Writer(len(ALPHABET)), len(ALPHABET)
    width, layers = model.head.in_features, len(model.blocks)
    matmuls = layers * 12 * width**2 + width * letters
    # Both norms and what they read, query, key and value, what attention gives, the network's two.
    saved = layers * (2 + 2 + 3 + 1 + 4 + 4) * width + 2 * width + 2 * letters
    read = LENGTH - 1
    return Needs(
        weight_bytes=sum(one.numel() * one.itemsize for one in model.parameters()),
        row_bytes=SIZES["rows"] * LENGTH * 8,
        saved=float(TRAINING["micro"] * read * saved),
        flop=3.0 * 2 * matmuls * TRAINING["batch"] * read,
        letter_flop=2 * matmuls * (SIZES["prompt"] + LETTERS - 1) / LETTERS,
    )
