"""What a small network saves for backward: the truth of memory-ledger, and slips about one kind.

Tests hold ``saved_bytes`` against the bytes that are counted in real steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuedu.exercises.training_step.memory_ledger.small_nets import Layer

FLOAT_BYTES = 4
SAVES_INPUT, SAVES_OUTPUT = ("linear", "gelu", "norm"), ("relu", "relu_", "sigmoid")
SHARES_STORAGE = ("flatten", "relu_")


@dataclass(frozen=True)
class Belief:
    """What somebody thinks of saving; the default is what is so."""

    in_place_is_free: bool = False
    mask_bytes: int = FLOAT_BYTES
    norm_numbers: int = 2
    has_loss: bool = True
    gelu_like_relu: bool = False
    relu_like_gelu: bool = False
    sigmoid_saves: bool = True
    sigmoid_like_gelu: bool = False
    gelu_saves_both: bool = False
    dropout_saves_result: bool = False
    norm_saves_weights: bool = False
    linear_saves_weights: bool = False


def saved_bytes(samples: int, layers: Sequence[Layer], belief: Belief | None = None) -> list[int]:
    """Bytes of each layer, and last of the loss, each storage with the layer that saves it first.

    >>> saved_bytes(2, [("linear", 4, 3), ("relu", 3, 3), ("linear", 3, 2)])
    [0, 24, 0, 16]
    """
    belief = belief or Belief()
    found: list[int] = []
    is_counted = True  # whether the storage at hand is in the ledger already
    for kind, inputs, outputs in layers:
        row, result = FLOAT_BYTES * samples * inputs, FLOAT_BYTES * samples * outputs
        size = 0
        if _saves_input(kind, belief) and not is_counted:
            size, is_counted = size + row, True
        if kind == "linear" and belief.linear_saves_weights:
            size += FLOAT_BYTES * inputs * outputs
        if kind == "norm":
            rows = 2 * inputs if belief.norm_saves_weights else belief.norm_numbers * samples
            size += FLOAT_BYTES * rows
        if kind == "dropout":
            size += belief.mask_bytes * samples * outputs
        is_counted = is_counted and kind in SHARES_STORAGE
        if _saves_output(kind, belief) and not is_counted:
            size, is_counted = size + result, True
        found.append(size)
    scores = FLOAT_BYTES * samples * layers[-1][2]
    return [*found, scores if belief.has_loss else 0]


def _saves_input(kind: str, belief: Belief) -> bool:
    if kind == "gelu":
        return not belief.gelu_like_relu
    if kind == "sigmoid":
        return belief.sigmoid_like_gelu
    if kind in ("relu", "relu_"):
        return belief.relu_like_gelu
    return kind in SAVES_INPUT


def _saves_output(kind: str, belief: Belief) -> bool:
    if kind == "gelu":
        return belief.gelu_like_relu or belief.gelu_saves_both
    if kind == "dropout":
        return belief.dropout_saves_result
    if kind == "relu_" and belief.in_place_is_free:
        return False
    if kind == "sigmoid":
        return belief.sigmoid_saves and not belief.sigmoid_like_gelu
    return kind in SAVES_OUTPUT and not (belief.relu_like_gelu and kind != "sigmoid")


KIND_SLIPS = (
    Belief(in_place_is_free=True),
    Belief(sigmoid_like_gelu=True),
    Belief(sigmoid_saves=False),
    Belief(gelu_saves_both=True),
    Belief(gelu_like_relu=True),
    Belief(relu_like_gelu=True),
    Belief(dropout_saves_result=True),
    *(Belief(mask_bytes=size) for size in (0, 1, 2 * FLOAT_BYTES)),
    Belief(norm_saves_weights=True),
    *(Belief(norm_numbers=numbers) for numbers in (0, 1)),
    Belief(linear_saves_weights=True),
    Belief(has_loss=False),
)
"""Beliefs about what one kind of layer saves: the matter of `layers`, and of nothing else."""


def is_kind_slip(samples: int, layers: Sequence[Layer], got: Sequence[float]) -> bool:
    """Whether this is right for somebody who is wrong about one kind of layer, and no more."""
    theirs = (saved_bytes(samples, layers, belief) for belief in KIND_SLIPS)
    return any(_is_about(got, sizes) for sizes in theirs)


def _is_about(got: Sequence[float], sizes: Sequence[int]) -> bool:
    """Equal but for the numbers of its own that the loss may count."""
    *layers, loss = (abs(a - b) for a, b in zip(got, sizes, strict=True))
    return not any(layers) and loss <= 2 * FLOAT_BYTES
