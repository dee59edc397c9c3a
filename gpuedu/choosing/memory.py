"""The memory that a model needs on its devices, in bytes.

Training holds weights, gradients and the optimizer's numbers whatever the batch, and for each token
what the forward pass saves for the backward pass. Inference holds weights, and for each token a key
and a value in each layer. Only tensors are counted here. A device also needs a reserve: its
context, the libraries' workspaces, and memory in pieces too small to use.

What the forward pass saves was counted tensor by tensor, for the transformer of V. Korthikanti et
al., "Reducing Activation Recomputation in Large Transformer Models", arXiv:2205.05198, section 4.1,
without dropout. With 16-bit numbers they count 32 for a number of the width, and 2 for a pair of
positions in a head. PyTorch's autocast keeps the residual stream and the softmax in float32 and so
saves 36 and 6; float32 saves 64 and 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from gpuedu.choosing.models import Model, ShapeError, require_count
from gpuedu.syllabus import unknown

RESERVE = 0.1
"""The share of a device's memory that is kept free."""


@dataclass(frozen=True)
class Precision:
    """Bytes that a precision takes.

    ``state`` is what each number of weights, gradients and optimizer takes, ``copy`` what a second
    copy of each weight takes while a step computes, ``width`` and ``pair`` what a layer saves for a
    number of the width and for a pair of positions in a head, ``residual`` a number of the residual
    stream, ``score`` what the last layer and its loss take for a token of the vocabulary,
    ``feature`` what a convolution with batch norm and ReLU saves for each number of its output.
    """

    state: int
    copy: int
    width: int
    pair: int
    residual: int
    score: int
    feature: int
    compute: str


PRECISIONS = {
    "fp32": Precision(4, 0, 64, 4, 4, 12, 8, "fp32"),
    "tf32": Precision(4, 0, 64, 4, 4, 12, 8, "tf32"),
    "mixed": Precision(4, 2, 36, 6, 4, 10, 4, "bf16"),
    "bf16": Precision(2, 0, 32, 2, 2, 6, 4, "bf16"),
}
"""``mixed`` is autocast with bfloat16 or float16: weights in float32, matrices in 16 bits."""

OPTIMIZERS = {"sgd": 0, "momentum": 1, "adam": 2}
"""How many numbers an optimizer keeps for each parameter."""


def precision_named(name: str) -> Precision:
    """A training precision; UnknownNameError lists those that exist."""
    if name not in PRECISIONS:
        raise unknown("precision", name, PRECISIONS)
    return PRECISIONS[name]


def state_bytes(parameters: int, precision: str = "mixed", optimizer: str = "adam") -> int:
    """What training keeps at any batch size: weights, gradients, optimizer, and a 16-bit copy.

    >>> state_bytes(10**9, "fp32", "adam") / 1e9, state_bytes(10**9, "mixed", "adam") / 1e9
    (16.0, 18.0)
    """
    require_count("parameters", parameters)
    if optimizer not in OPTIMIZERS:
        raise unknown("optimizer", optimizer, OPTIMIZERS)
    found = precision_named(precision)
    return parameters * ((2 + OPTIMIZERS[optimizer]) * found.state + found.copy)


def layer_bytes(model: Model, length: int, precision: str = "mixed", *, fused: bool = True) -> int:
    """What one layer saves for one token; with fused attention no pairs of positions are kept."""
    found = precision_named(precision)
    pairs = 0 if fused else found.pair * model.heads * length
    return found.width * model.width + pairs


def activation_bytes(
    model: Model,
    batch: int,
    length: int,
    precision: str = "mixed",
    *,
    fused: bool = True,
    recompute: bool = False,
) -> int:
    """What the forward pass saves, in bytes, for a batch of texts of ``length`` tokens.

    With ``recompute`` each layer saves only its input; its other tensors are recomputed and exist
    for one layer at a time.

    >>> from gpuedu.choosing.models import known_model
    >>> gpt2 = known_model("gpt2")
    >>> [round(activation_bytes(gpt2, 8, 1024, recompute=on) / 2**30, 1) for on in (False, True)]
    [6.4, 4.4]
    """
    require_count("batch", batch)
    require_count("length", length)
    found, one = precision_named(precision), layer_bytes(model, length, precision, fused=fused)
    layers = model.layers * one
    if recompute:
        layers = model.layers * found.residual * model.width + one
    head = found.score * model.vocabulary + (found.residual + 2) * model.width
    return batch * length * (layers + head)


def convolution_bytes(
    shapes: Iterable[tuple[int, int, int]], batch: int, precision: str = "mixed"
) -> int:
    """What convolutions save, each followed by batch norm and ReLU.

    Args:
        shapes: (channels, height, width) of each convolution's output for one picture.
        batch: pictures.
        precision: of training.

    >>> convolution_bytes([(64, 32, 32)], 256) / 2**20
    64.0
    """
    require_count("batch", batch)
    numbers = sum(math.prod(shape) for shape in shapes)
    return batch * numbers * precision_named(precision).feature


def peak_bytes(parameters: int, states: int, activations: int) -> int:
    """The most that a step takes: in the backward pass with all saved tensors, or in the update.

    PyTorch's optimizers update all weights in a few launches, and for that need one more float32
    number for each parameter for a moment.
    """
    return states + max(activations, 4 * parameters)


def cache_bytes(model: Model, batch: int, length: int, element_bytes: int = 2) -> int:
    """Keys and values of all layers for ``batch`` texts of ``length`` tokens.

    >>> from gpuedu.choosing.models import known_model
    >>> cache_bytes(known_model("opt-13b"), 1, 1) / 1024
    800.0
    """
    require_count("batch", batch)
    require_count("length", length)
    numbers = 2 * model.layers * model.kv_heads * (model.width // model.heads)
    return batch * length * numbers * element_bytes


def usable_bytes(memory_bytes: float) -> float:
    """What a device has for tensors: its memory less the reserve."""
    return memory_bytes * (1 - RESERVE)


def devices_needed(shared_bytes: float, own_bytes: float, memory_bytes: float) -> float:
    """The fewest devices that can hold it: ``shared`` is divided among them, ``own`` is on each.

    Infinity if even what each device needs for itself does not fit.

    >>> devices_needed(100, 10, 50), devices_needed(100, 60, 50)
    (3, inf)
    """
    if shared_bytes < 0 or own_bytes < 0 or memory_bytes <= 0:
        raise ShapeError(
            f"sizes cannot be {shared_bytes}, {own_bytes} and {memory_bytes} bytes",
            remedy="sizes of 0 bytes or more, and a device with memory",
        )
    free = usable_bytes(memory_bytes) - own_bytes
    return math.inf if free <= 0 else max(1, math.ceil(shared_bytes / free))
