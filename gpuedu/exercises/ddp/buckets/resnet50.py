"""The parameters of ResNet-50 by layer, with the products of each: sizes of a model that is used.

Source: K. He, X. Zhang, S. Ren, J. Sun, *Deep Residual Learning for Image Recognition*, CVPR 2016,
table 1 (images of 224 x 224, 1000 classes). The products of batch norms and ReLUs are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

FLOAT32_BYTES = 4
_STAGES = ((3, 64, 56), (4, 128, 28), (6, 256, 14), (3, 512, 7))
"""Blocks, channels inside a block, pixels of a side, of each stage."""
_WIDER = 4


@dataclass(frozen=True)
class Layer:
    """A convolution with its batch norm, or the last product; ``products`` of one image."""

    shapes: tuple[tuple[int, ...], ...]
    products: int


def layers() -> list[Layer]:
    """All layers, in the order of the forward.

    >>> sum(prod(shape) for layer in layers() for shape in layer.shapes)
    25557032
    """
    made = [_convolution(3, 64, 7, 112)]
    into = 64
    for blocks, inside, side in _STAGES:
        for block in range(blocks):
            is_wider = block == 0
            made += _block(into, inside, side, is_wider=is_wider)
            into = _WIDER * inside
    classes = 1000
    return [*made, Layer(((classes, into), (classes,)), classes * into)]


def _block(into: int, inside: int, side: int, *, is_wider: bool) -> Iterator[Layer]:
    """Three convolutions; the first block of a stage has one beside them."""
    out = _WIDER * inside
    # The second convolution makes the picture smaller, where a stage does.
    first_side = 2 * side if is_wider and into != 64 else side
    yield _convolution(into, inside, 1, first_side)
    yield _convolution(inside, inside, 3, side)
    yield _convolution(inside, out, 1, side)
    if is_wider:
        yield _convolution(into, out, 1, side)


def _convolution(into: int, out: int, kernel: int, side: int) -> Layer:
    shape = (out, into, kernel, kernel)
    return Layer((shape, (out,), (out,)), prod(shape) * side * side)


def parameter_bytes() -> list[int]:
    """The bytes of each parameter in float32.

    >>> len(parameter_bytes())
    161
    """
    return [FLOAT32_BYTES * prod(shape) for layer in layers() for shape in layer.shapes]
