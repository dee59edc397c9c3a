"""What a small network saves for backward: the truth of memory-ledger, and slips about one kind.

Tests hold ``saved_bytes`` against the bytes that are counted in real steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuedu.exercises.training_step.memory_ledger.small_nets import Layer

FLOAT_BYTES = 4
SAVES_INPUT, SAVES_OUTPUT = ("linear", "gelu", "norm"), ("relu", "relu_", "sigmoid")
SHARES_STORAGE = ("flatten", "relu_")


@dataclass(frozen=True)
class Belief:
    """What somebody thinks of saving; the default is what is so.

    ``saves`` has, for some kinds, whether their input and whether their output is saved.
    """

    saves: Mapping[str, tuple[bool, bool]] = field(default_factory=dict)
    mask_bytes: int = FLOAT_BYTES
    norm_numbers: int = 2
    has_loss: bool = True
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
        of_input, of_output = _saves(kind, belief)
        if of_input and not is_counted:
            size, is_counted = size + row, True
        if kind == "linear" and belief.linear_saves_weights:
            size += FLOAT_BYTES * inputs * outputs
        if kind == "norm":
            rows = 2 * inputs if belief.norm_saves_weights else belief.norm_numbers * samples
            size += FLOAT_BYTES * rows
        if kind == "dropout":
            size += belief.mask_bytes * samples * outputs
        is_counted = is_counted and kind in SHARES_STORAGE
        if of_output and not is_counted:
            size, is_counted = size + result, True
        found.append(size)
    scores = FLOAT_BYTES * samples * layers[-1][2]
    return [*found, scores if belief.has_loss else 0]


def _saves(kind: str, belief: Belief) -> tuple[bool, bool]:
    """Whether a layer's input is saved, and whether its output is."""
    return belief.saves.get(kind, (kind in SAVES_INPUT, kind in SAVES_OUTPUT))


def _is_wrong(kind: str, of_input: bool, of_output: bool) -> bool:
    """Input and output of a layer in place are one storage: either is as right as both."""
    if kind in SHARES_STORAGE:
        return not (of_input or of_output)
    return (of_input, of_output) != _saves(kind, Belief())


_ALIKE = (*((kind,) for kind in (*SAVES_INPUT, *SAVES_OUTPUT, "dropout")), ("relu", "relu_"))
"""Kinds that somebody can be wrong about at once."""

KIND_SLIPS = (
    *(
        Belief(dict.fromkeys(kinds, (of_input, of_output)))
        for kinds in _ALIKE
        for of_input in (False, True)
        for of_output in (False, True)
        if _is_wrong(kinds[0], of_input, of_output)
    ),
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
