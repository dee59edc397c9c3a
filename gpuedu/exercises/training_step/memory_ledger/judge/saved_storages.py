"""What a small network saves for backward: the truth of memory-ledger, and known mistakes.

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

    once: bool = True
    batch: bool = False
    every_output: bool = False
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
    is_counted = not belief.batch  # whether the storage at hand is in the ledger already
    for kind, inputs, outputs in layers:
        row, result = FLOAT_BYTES * samples * inputs, FLOAT_BYTES * samples * outputs
        if belief.every_output:
            found.append(result)
            continue
        size = 0
        if _saves_input(kind, belief) and not (is_counted and (belief.once or not found)):
            size, is_counted = size + row, True
        if kind == "linear" and belief.linear_saves_weights:
            size += FLOAT_BYTES * inputs * outputs
        if kind == "norm":
            rows = 2 * inputs if belief.norm_saves_weights else belief.norm_numbers * samples
            size += FLOAT_BYTES * rows
        if kind == "dropout":
            size += belief.mask_bytes * samples * outputs
        is_counted = is_counted and kind in SHARES_STORAGE
        if _saves_output(kind, belief) and not (is_counted and belief.once):
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


STORAGE_MISTAKES = (
    (
        Belief(once=False),
        "That counts a storage for each layer that saves it. A ReLU's output *is* the next "
        "layer's input.",
    ),
    (
        Belief(once=False, batch=True),
        "That counts a storage for each layer that saves it, and the batch, which is there anyway.",
    ),
    (
        Belief(batch=True),
        "That counts the batch, or a view of it that `flatten` makes. It is there anyway, and a "
        "view is no new storage: 0 for who saves it.",
    ),
    (
        Belief(every_output=True),
        "That counts every layer's output. What nobody saves is let go at once.",
    ),
)
"""Of whose storage is counted: the matter of `once`."""

KIND_MISTAKES = (
    (
        Belief(in_place_is_free=True),
        "That has the ReLU in place save nothing. It overwrites its input, and saves the result.",
    ),
    (
        Belief(sigmoid_like_gelu=True),
        "Sigmoid saves its output, as your backward showed: not its input, and not nothing.",
    ),
    (Belief(gelu_saves_both=True), "GELU saves its input alone. Who asks for its output?"),
    (
        Belief(dropout_saves_result=True),
        "Dropout saves its mask alone. Its result is saved by who needs it: the next layer.",
    ),
    (
        Belief(mask_bytes=2 * FLOAT_BYTES),
        "Dropout saves its mask alone. Its result is saved by who needs it: the next layer.",
    ),
    (
        Belief(norm_saves_weights=True),
        "Two numbers for each *row*, a mean and a 1 / deviation. Those for each column are its "
        "weights, which are there anyway.",
    ),
    (
        Belief(linear_saves_weights=True),
        "The weights of linear layers are in it. They are there anyway, in the other ledger.",
    ),
    (Belief(mask_bytes=0), "What does dropout need on the way back? Which numbers it dropped."),
    (Belief(mask_bytes=1), "A byte for each number of the mask: here it holds floats, 4 each."),
    (Belief(norm_numbers=0), "A norm also saves a mean and a 1 / deviation for each row."),
    (Belief(norm_numbers=1), "A norm saves two numbers for each row."),
    (Belief(has_loss=False), "The loss saves the log-softmax of the scores."),
    (Belief(gelu_like_relu=True), "GELU's output does not tell its slope: it saves its input."),
    (
        Belief(relu_like_gelu=True),
        "That has ReLU save its input. Its output is enough, as your backward showed.",
    ),
    (
        Belief(sigmoid_saves=False),
        "Sigmoid saves its output, as your backward showed: not its input, and not nothing.",
    ),
)  # fmt: skip
"""Of what one kind of layer saves: the matter of `layers`."""


def why(samples: int, layers: Sequence[Layer], got: Sequence[float]) -> str:
    """The sentence of the first known mistake that gives this list, but for the loss's crumbs."""
    if list(got) == [size // FLOAT_BYTES for size in saved_bytes(samples, layers)]:
        return "Those are numbers. Each has 4 bytes."
    for belief, says in (*STORAGE_MISTAKES, *KIND_MISTAKES):
        if _is_about(got, saved_bytes(samples, layers, belief)):
            return says
    return ""


def is_kind_slip(samples: int, layers: Sequence[Layer], got: Sequence[float]) -> bool:
    """Whether this is right for somebody who is wrong about one kind of layer, and no more."""
    theirs = (saved_bytes(samples, layers, belief) for belief, _ in KIND_MISTAKES)
    return any(_is_about(got, sizes) for sizes in theirs)


def _is_about(got: Sequence[float], sizes: Sequence[int]) -> bool:
    """Equal but for the numbers of its own that the loss may count."""
    *layers, loss = (abs(a - b) for a, b in zip(got, sizes, strict=True))
    return not any(layers) and loss <= 2 * FLOAT_BYTES
