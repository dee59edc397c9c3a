"""count-the-work: FLOP and bytes of two layers, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gpuedu.exercises.compare import Misconception, likely_cause, number_fault
from gpuedu.exercises.contract import Case, Fault, Judge, Plain, Prediction, Property
from gpuedu.exercises.why_gpus.judge.layer_work import (
    CONV2D_SIZES,
    LINEAR_SIZES,
    Sizes,
    conv2d_elements,
    conv2d_work,
    linear_elements,
    linear_work,
    shrunk,
)


def _wrong(gives: Callable[[Sizes], float], says: str) -> Misconception:
    return Misconception(lambda **sizes: gives(sizes), says)


def _padded(s: Sizes) -> Sizes:
    border = s["kernel"] - 1
    return {**s, "height": s["height"] + border, "width": s["width"] + border}


_HALF = "That counts a multiply-add as one. It is a multiplication and an addition."
_ONE_SAMPLE = "That is the work for a batch of 1. Which argument says how large the batch is?"
_SHRUNK = (
    "That is for an output that shrinks at the border. The output has the same height and width "
    "as the input."
)


def _known_bytes(
    elements: Callable[[Sizes], tuple[int, int, int]],
) -> tuple[Misconception, ...]:
    """Arrays left out, and element sizes left out, of either layer."""
    return (
        _wrong(
            lambda s: sum(elements(s)[:2]) * s["itemsize"],
            "That is what is read. Which array is written?",
        ),
        _wrong(
            lambda s: (elements(s)[0] + elements(s)[2]) * s["itemsize"],
            "That is input and output. Which third array has to come from memory?",
        ),
        _wrong(
            lambda s: elements(s)[1] * s["itemsize"],
            "That is the weights alone. What goes in, and what comes out?",
        ),
        _wrong(
            lambda s: sum(elements(s)),
            "That counts elements. How many bytes does each have?",
        ),
        _wrong(
            lambda s: sum(elements(s)) * 4,
            "That is right for elements of 4 bytes only. Which argument is not used yet?",
        ),
        _wrong(
            lambda s: (sum(elements(s)) + (s["batch"] - 1) * elements(s)[1]) * s["itemsize"],
            "That moves the weights `batch` times. How often must they move?",
        ),
        _wrong(
            lambda s: (sum(elements(s)) + s.get("outputs", s.get("channels_out"))) * s["itemsize"],
            "That has a bias. This layer has none.",
        ),
    )


_LINEAR_FLOP = (
    _wrong(lambda s: linear_work(s)[0] / 2, _HALF),
    _wrong(lambda s: linear_work(s)[0] / s["batch"], _ONE_SAMPLE),
    _wrong(
        lambda s: linear_work(s)[0] - s["batch"] * s["outputs"],
        "That counts one addition fewer for each result. Here every product has its addition, the "
        "first one too.",
    ),
    _wrong(
        lambda s: linear_work(s)[0] * s["itemsize"],
        "FLOP do not depend on how many bytes a number has. Which argument is too many here?",
    ),
)
_LINEAR_BYTES = (
    *_known_bytes(linear_elements),
    _wrong(
        lambda s: linear_work(s)[0] * s["itemsize"] + linear_elements(s)[2] * s["itemsize"],
        "That moves an input and a weight for every multiply-add. How often must each move, if "
        "the device can keep it?",
    ),
)
_CONV_FLOP = (
    _wrong(lambda s: conv2d_work(s)[0] / 2, _HALF),
    _wrong(
        lambda s: conv2d_work(s)[0] / s["kernel"],
        "That is a window of `kernel` elements. The window is `kernel` by `kernel`.",
    ),
    _wrong(
        lambda s: conv2d_work(s)[0] / s["kernel"] ** 2,
        "That reads one pixel for each result. How many does a window hold?",
    ),
    _wrong(
        lambda s: conv2d_work(s)[0] / s["channels_in"],
        "That reads one channel. Over how many does a result sum?",
    ),
    _wrong(
        lambda s: conv2d_work(s)[0] / s["channels_out"],
        "That makes one channel. How many does the output have?",
    ),
    _wrong(lambda s: conv2d_work(s)[0] / s["batch"], _ONE_SAMPLE),
    _wrong(lambda s: conv2d_work(s)[0] * shrunk(s), _SHRUNK),
)
_CONV_BYTES = (
    *_known_bytes(conv2d_elements),
    _wrong(
        lambda s: (
            (conv2d_elements(s)[0] * s["kernel"] ** 2 + sum(conv2d_elements(s)[1:])) * s["itemsize"]
        ),
        "That moves each pixel once for every window that it is in. How often must it move, if the "
        "device can keep it for the neighbours?",
    ),
    _wrong(
        lambda s: (sum(conv2d_elements(s)[:2]) + conv2d_elements(s)[2] * shrunk(s)) * s["itemsize"],
        _SHRUNK,
    ),
    _wrong(
        lambda s: (
            (sum(conv2d_elements(s)[::2]) + conv2d_elements(s)[1] / s["channels_in"])
            * s["itemsize"]
        ),
        "That has one window for each output channel. For how many input channels does it need "
        "one?",
    ),
    _wrong(
        lambda s: (
            (sum(conv2d_elements(s)[::2]) + conv2d_elements(s)[1] / s["channels_out"])
            * s["itemsize"]
        ),
        "That has the weights of one output channel. How many channels does the output have?",
    ),
    _wrong(
        lambda s: (2 * conv2d_elements(s)[0] + conv2d_elements(s)[1]) * s["itemsize"],
        "That gives the output as many channels as the input. Which argument says how many it has?",
    ),
    _wrong(
        lambda s: (conv2d_elements(_padded(s))[0] + sum(conv2d_elements(s)[1:])) * s["itemsize"],
        "That moves the zeros around the image. Do they have to come from memory?",
    ),
)
_INTENSITY = (
    Misconception(
        lambda flop, size_bytes: size_bytes / flop,
        "That is bytes for each FLOP. Which of the two is divided by the other?",
    ),
    Misconception(
        lambda flop, size_bytes: flop // size_bytes, "That is rounded down. `//` cuts, `/` divides."
    ),
)
_TRAINING = (
    Misconception(
        lambda params, tokens: 2 * params * tokens,
        "That is the forward pass: a multiply-add for each parameter. The backward pass costs "
        "about twice as much again.",
    ),
    Misconception(
        lambda params, tokens: 4 * params * tokens,
        "That is two products. How many are there, forward and backward together?",
    ),
    Misconception(
        lambda params, tokens: 3 * params * tokens,
        "That counts three passes of one FLOP each. A multiply-add is two.",
    ),
    Misconception(lambda params, tokens: 6 * params, "That is for one token. How many are there?"),
)


def cases(rng: np.random.Generator) -> list[Case]:
    """Layers whose sizes all differ, a batch of one, a 1 x 1 convolution, other item sizes."""
    drawn = []
    for batch, itemsize in ((1, 2), (int(rng.integers(2, 64)), 4), (int(rng.integers(65, 600)), 8)):
        inputs, outputs = (int(n) for n in rng.permutation(np.arange(100, 5000))[:2])
        label = f"a batch of {batch}, {_bytes(itemsize)} a number"
        drawn.append(_case("linear", label, (batch, inputs, outputs, itemsize), ("linear",)))
    for kernel, batch, itemsize in ((3, int(rng.integers(2, 40)), 4), (5, 7, 2), (1, 1, 1)):
        channels = (int(n) for n in rng.permutation(np.arange(3, 300))[:2])
        side = (int(n) for n in rng.permutation(np.arange(8, 120))[:2])
        sizes = (batch, *channels, *side, kernel, itemsize)
        label = f"a window of {kernel} x {kernel}, {_bytes(itemsize)} a number"
        drawn.append(_case("conv2d", label, sizes, ("conv2d-flop", "conv2d-bytes")))
    work = int(rng.integers(10**9, 10**12)), int(rng.integers(10**7, 10**9))
    drawn.append(_case("intensity", "more FLOP than bytes", work, ("ratios",)))
    drawn.append(_case("intensity", "more bytes than FLOP", work[::-1], ("ratios",)))
    training = int(rng.integers(10**8, 10**11)), int(rng.integers(10**9, 10**13))
    return [*drawn, _case("training", "a training", training, ("ratios",))]


def _bytes(itemsize: int) -> str:
    return "1 byte" if itemsize == 1 else f"{itemsize} bytes"


def _case(ask: str, label: str, sizes: tuple[int, ...], decides: tuple[str, ...]) -> Case:
    return Case(label, {"ask": ask, "sizes": sizes}, decides)


def verdict(case: Case, observed: Plain) -> Iterable[Fault]:
    """Counts against the formulas, each of the two numbers of a layer by itself."""
    ask, sizes = case.inputs["ask"], case.inputs["sizes"]
    if ask == "linear":
        yield from _layer("linear", ("linear", "linear"), sizes, observed)
    elif ask == "conv2d":
        yield from _layer("conv2d", ("conv2d-flop", "conv2d-bytes"), sizes, observed)
    elif ask == "intensity":
        flop, size_bytes = sizes
        inputs = {"flop": flop, "size_bytes": size_bytes}
        cause = likely_cause(observed["got"], _INTENSITY, inputs)
        call, expected = f"intensity({flop}, {size_bytes})", flop / size_bytes
        yield from number_fault("ratios", call, observed["got"], expected, cause=cause)
    else:
        params, tokens = sizes
        cause = likely_cause(observed["got"], _TRAINING, {"params": params, "tokens": tokens})
        call = f"training_flop({params}, {tokens})"
        got, expected = observed["got"], 6 * params * tokens
        yield from number_fault("ratios", call, got, expected, unit="FLOP", cause=cause)


_LAYERS: dict[str, tuple[Any, ...]] = {
    "linear": (linear_work, LINEAR_SIZES, _LINEAR_FLOP, _LINEAR_BYTES),
    "conv2d": (conv2d_work, CONV2D_SIZES, _CONV_FLOP, _CONV_BYTES),
}


def _layer(
    layer: str, props: tuple[str, str], sizes: tuple[int, ...], observed: Plain
) -> Iterable[Fault]:
    work, names, *known = _LAYERS[layer]
    inputs = dict(zip(names, sizes, strict=True))
    flop, size_bytes = work(inputs)
    got = observed["flop"], observed["bytes"]
    call = f"{layer}_work({', '.join(f'{name}={size}' for name, size in inputs.items())})"
    if _swapped(got, (flop, size_bytes)):
        for prop in dict.fromkeys(props):
            yield Fault(prop, f"`{call}` gave (bytes, FLOP), expected (FLOP, bytes)")
        return
    for prop, unit, mine, truth, misconceptions in zip(
        props, ("FLOP", "bytes"), got, (flop, size_bytes), known, strict=True
    ):
        cause = likely_cause(mine, misconceptions, inputs)
        yield from number_fault(prop, call, mine, truth, unit=unit, cause=cause)


def _swapped(got: tuple[float, float], truth: tuple[float, float]) -> bool:
    return got[0] != got[1] and all(
        math.isclose(a, b) for a, b in zip(got, truth[::-1], strict=True)
    )


JUDGE = Judge(
    title="How much work is a layer?",
    properties=(
        Property("linear", "`linear_work`: FLOP and bytes of a linear layer", 1),
        Property("conv2d-flop", "`conv2d_work`: FLOP of a convolution", 1),
        Property("conv2d-bytes", "`conv2d_work`: bytes of a convolution", 1),
        Property("ratios", "`intensity` and `training_flop`", 1),
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
    verdict=verdict,
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
