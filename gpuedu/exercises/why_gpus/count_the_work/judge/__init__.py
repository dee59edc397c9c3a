"""count-the-work: FLOP and bytes of two layers, and what follows from them.

A multiply-add is two FLOP; each array moves once; there is no bias, and the zeros around an image
are multiplied like any other number.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.functions import right_result


def linear_work(batch: int, inputs: int, outputs: int, itemsize: int) -> Mapping[str, int]:
    """Each result is a dot product of ``inputs`` terms.

    >>> linear_work(1, 3, 2, 4)
    {'FLOP': 12, 'bytes': 44}
    """
    elements = batch * inputs + inputs * outputs + batch * outputs
    return {"FLOP": 2 * batch * outputs * inputs, "bytes": elements * itemsize}


def conv2d_flop(kernel: int, **sizes: int) -> Mapping[str, int]:
    """Each result is a dot product over a window of all input channels."""
    results = sizes["batch"] * sizes["height"] * sizes["width"] * sizes["channels_out"]
    return {"FLOP": 2 * results * sizes["channels_in"] * kernel**2}


def conv2d_bytes(kernel: int, itemsize: int, **sizes: int) -> Mapping[str, int]:
    """The output has the height and width of the input."""
    channels_in, channels_out = sizes["channels_in"], sizes["channels_out"]
    pixels = sizes["batch"] * sizes["height"] * sizes["width"]
    weights = channels_in * channels_out * kernel**2
    return {"bytes": (pixels * channels_in + weights + pixels * channels_out) * itemsize}


def cases(rng: np.random.Generator) -> list[Case]:
    """Layers whose sizes all differ, a batch of one, a 1 x 1 convolution, other item sizes.

    The last linear layer has more FLOP than 32 bits count, the last window an even side.
    """
    drawn = []
    for batch, itemsize in ((1, 2), (int(rng.integers(2, 64)), 4), (int(rng.integers(65, 600)), 8)):
        inputs, outputs = (int(n) for n in rng.permutation(np.arange(100, 5000))[:2])
        label = f"a batch of {batch}, {_bytes(itemsize)} a number"
        drawn.append(_case("linear_work", label, (batch, inputs, outputs, itemsize), ("linear",)))
    for kernel, batch, itemsize in ((3, int(rng.integers(2, 40)), 4), (5, 7, 2), (1, 1, 1)):
        channels = (int(n) for n in rng.permutation(np.arange(3, 300))[:2])
        side = (int(n) for n in rng.permutation(np.arange(8, 120))[:2])
        sizes = (batch, *channels, *side, kernel, itemsize)
        label = f"a window of {kernel} x {kernel}, {_bytes(itemsize)} a number"
        drawn.append(_case("conv2d_work", label, sizes, ("conv2d-flop", "conv2d-bytes")))
    work = int(rng.integers(10**9, 10**12)), int(rng.integers(10**7, 10**9))
    drawn.append(_case("intensity", "more FLOP than bytes", work, ("ratios",)))
    drawn.append(_case("intensity", "more bytes than FLOP", work[::-1], ("ratios",)))
    for name in ("a training", "another training"):
        training = int(rng.integers(10**8, 10**11)), int(rng.integers(10**9, 10**13))
        drawn.append(_case("training_flop", name, training, ("ratios",)))
    batch, inputs, outputs = (int(n) for n in rng.permutation(np.arange(2000, 9000))[:3])
    label = f"a batch of {batch}, 2 bytes a number"
    drawn.append(_case("linear_work", label, (batch, inputs, outputs, 2), ("linear",)))
    channels = (int(n) for n in rng.permutation(np.arange(3, 300))[:2])
    side = (int(n) for n in rng.permutation(np.arange(8, 120))[:2])
    sizes = (9, *channels, *side, 4, 2)
    label = "a window of 4 x 4, 2 bytes a number"
    drawn.append(_case("conv2d_work", label, sizes, ("conv2d-flop", "conv2d-bytes")))
    return drawn


def _bytes(itemsize: int) -> str:
    return "1 byte" if itemsize == 1 else f"{itemsize} bytes"


_ARGUMENTS = {
    "linear_work": ("batch", "inputs", "outputs", "itemsize"),
    "conv2d_work": (
        "batch",
        "channels_in",
        "channels_out",
        "height",
        "width",
        "kernel",
        "itemsize",
    ),
    "intensity": ("flop", "bytes"),
    "training_flop": ("params", "tokens"),
}


def _case(call: str, label: str, sizes: tuple[int, ...], decides: tuple[str, ...]) -> Case:
    return Case(label, {"call": call, **dict(zip(_ARGUMENTS[call], sizes, strict=True))}, decides)


JUDGE = Judge(
    title="How much work is a layer?",
    properties=(
        right_result(
            "linear",
            "`linear_work`: FLOP and bytes of a linear layer",
            1,
            {"linear_work": linear_work},
            asks="How many multiply-adds make one output number, and how many numbers does the "
            "layer read and write?",
        ),
        right_result(
            "conv2d-flop",
            "`conv2d_work`: FLOP of a convolution",
            1,
            {"conv2d_work": conv2d_flop},
            asks="How many multiply-adds make one output number, and how many output numbers are "
            "there?",
        ),
        right_result(
            "conv2d-bytes",
            "`conv2d_work`: bytes of a convolution",
            1,
            {"conv2d_work": conv2d_bytes},
            asks="How many numbers are in the input, in the weights and in the output, and how "
            "many bytes are they, each moved once?",
        ),
        right_result(
            "ratios",
            "`intensity` and `training_flop`",
            1,
            {
                "intensity": lambda flop, bytes: flop / bytes,
                "training_flop": lambda params, tokens: 6.0 * params * tokens,  # above 2**53
            },
            asks="What should that number count: the FLOP for each byte, or the FLOP of all "
            "products, forward and backward?",
        ),
    ),
    hints=(
        "How many multiply-adds make one element of the output? How many elements does the output "
        "have? And which three arrays travel?",
        "Linear: `inputs` multiply-adds for each of `batch * outputs` results. Convolution: "
        "`channels_in * kernel * kernel` multiply-adds for each of "
        "`batch * channels_out * height * width` results. Bytes: input, weights and output, each "
        "once, times `itemsize`.",
        "Weights of the convolution: `channels_in * channels_out * kernel**2` elements. Training: "
        "2 FLOP a parameter and token forward, 4 backward: `6 * params * tokens`. Intensity: "
        "`flop / bytes`.",
    ),
    cases=cases,
    predictions={
        "count-the-work": Prediction(
            "a linear layer of 4096 inputs and 4096 outputs in 16 bits, for a batch of one: how "
            "many FLOP does it do for each byte it moves?",
            truth=1.0,
            unit="FLOP per byte",
            because="Each weight is 2 bytes and is used for one multiply-add, 2 FLOP. The vectors "
            "are small beside it. An H100 could do about 295 FLOP in the time that a byte takes.",
        )
    },
)
