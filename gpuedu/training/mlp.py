"""A multi-layer perceptron: linear layers with ReLU between them."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn


class MLP(nn.Sequential):
    """Pictures or vectors (N, ...) to scores (N, classes).

    With ``inputs`` = I, one hidden layer of H and C classes it has (I + 1) H + (H + 1) C weights.
    For the backward pass it saves the flattened input (N I numbers), each hidden layer's output
    after ReLU (N H) and, with dropout, what that leaves (N H) and what it took (N H).

    Args:
        inputs: numbers in a sample, such as 64 for 8x8 pixels.
        classes: scores to give.
        hidden: widths of the hidden layers.
        dropout: share of the hidden numbers that training sets to 0.

    >>> import torch
    >>> model = MLP(64, 10, hidden=(32,))
    >>> tuple(model(torch.zeros(5, 1, 8, 8)).shape)
    (5, 10)
    >>> sum(weights.numel() for weights in model.parameters()) == 65 * 32 + 33 * 10
    True
    """

    def __init__(
        self, inputs: int, classes: int, *, hidden: Sequence[int] = (128,), dropout: float = 0.0
    ) -> None:
        layers: list[nn.Module] = [nn.Flatten()]
        for width in hidden:
            layers += [nn.Linear(inputs, width), nn.ReLU()]
            layers += [nn.Dropout(dropout)] if dropout else []
            inputs = width
        super().__init__(*layers, nn.Linear(inputs, classes))

    def forward(self, images: Tensor) -> Tensor:
        """Scores (N, classes) of images (N, ...)."""
        return super().forward(images)
