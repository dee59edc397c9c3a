"""FLOP and bytes of two layers: the truth that count-the-work is judged by.

Convention: a multiply-add is two FLOP; each array moves once; no bias.
"""

from __future__ import annotations

from collections.abc import Mapping

Sizes = Mapping[str, int]
"""The arguments of a layer, by name."""

LINEAR_SIZES = ("batch", "inputs", "outputs", "itemsize")
CONV2D_SIZES = (
    "batch",
    "channels_in",
    "channels_out",
    "height",
    "width",
    "kernel",
    "itemsize",
)


def linear_elements(s: Sizes) -> tuple[int, int, int]:
    """Elements of input, weights and output of a linear layer."""
    batch, inputs, outputs = s["batch"], s["inputs"], s["outputs"]
    return batch * inputs, inputs * outputs, batch * outputs


def conv2d_elements(s: Sizes) -> tuple[int, int, int]:
    """Elements of input, weights and output of a convolution with stride 1 and same padding."""
    pixels = s["batch"] * s["height"] * s["width"]
    channels_in, channels_out = s["channels_in"], s["channels_out"]
    weights = channels_in * channels_out * s["kernel"] ** 2
    return pixels * channels_in, weights, pixels * channels_out


def linear_work(s: Sizes) -> tuple[int, int]:
    """FLOP and bytes of a linear layer: each result is a dot product of ``inputs`` terms.

    >>> linear_work({"batch": 1, "inputs": 3, "outputs": 2, "itemsize": 4})
    (12, 44)
    """
    _, _, results = elements = linear_elements(s)
    return 2 * results * s["inputs"], sum(elements) * s["itemsize"]


def conv2d_work(s: Sizes) -> tuple[int, int]:
    """FLOP and bytes of a convolution: each result is a dot product over a window of all channels.

    The zeros of the padding are multiplied like any other number.
    """
    _, _, results = elements = conv2d_elements(s)
    return 2 * results * s["channels_in"] * s["kernel"] ** 2, sum(elements) * s["itemsize"]


def shrunk(s: Sizes) -> float:
    """Pixels of an output without padding, as a share of those with."""
    height, width = s["height"] - s["kernel"] + 1, s["width"] - s["kernel"] + 1
    return height * width / (s["height"] * s["width"])
