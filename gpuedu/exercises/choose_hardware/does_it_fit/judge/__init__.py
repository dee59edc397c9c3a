"""does-it-fit: bytes of training and inference, and the devices that hold them."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from gpuedu.choosing import memory
from gpuedu.choosing.models import KNOWN, Model, count_parameters
from gpuedu.exercises.choose_hardware.judge.drawn import draw_model
from gpuedu.exercises.contract import Case, Judge, Prediction
from gpuedu.exercises.functions import call_case, right_result
from gpuedu.units import GB, GIB


def activations(
    model: dict[str, int], batch: int, length: int, fused: bool, recompute: bool
) -> int:
    """In mixed precision, of a model as the learner gets it."""
    shape = Model(**model)
    return memory.activation_bytes(shape, batch, length, fused=fused, recompute=recompute)


def cache(model: dict[str, int], batch: int, length: int) -> int:
    """Keys and values in 16 bits."""
    return memory.cache_bytes(Model(**model), batch, length)


def convolutions(shapes: list[tuple[int, int, int]], batch: int) -> int:
    """In mixed precision."""
    return memory.convolution_bytes(shapes, batch)


def cases(rng: np.random.Generator) -> list[Case]:
    """Each way to train, a published model and drawn ones, devices that just hold it, or do not."""
    parameters = int(rng.integers(1_000, 70_000)) * 100_000
    drawn = [
        call_case(
            "states", "state_bytes", parameters=parameters, precision=precision, optimizer=kept
        )
        for precision, kept in _RECIPES
    ]
    for fused, recompute, decides in (
        (True, False, "activations"),
        (False, False, "activations"),
        (True, True, "recomputed"),
        (False, True, "recomputed"),
    ):
        given = {"batch": int(rng.integers(2, 30)), "length": 128 * int(rng.integers(2, 30))}
        model = draw_model(rng)
        given |= {"fused": fused, "recompute": recompute}
        drawn.append(call_case(decides, "activation_bytes", model=model, **given))
    one_layer = asdict(Model(count_parameters(1, 768, 50_000), 1, 768, 12, 12, 50_000))
    given = {"model": one_layer, "batch": 2, "length": 32_768, "fused": False}
    for recompute, decides in ((False, "activations"), (True, "recomputed")):
        drawn.append(call_case(decides, "activation_bytes", **given, recompute=recompute))
    for model in (asdict(KNOWN["opt-13b"][0]), draw_model(rng), draw_model(rng)):
        length, batch = 64 * int(rng.integers(2, 60)), int(rng.integers(2, 40))
        drawn.append(call_case("cache", "cache_bytes", model=model, batch=batch, length=length))
    width, side = 8 * int(rng.integers(2, 12)), 8 * int(rng.integers(2, 9))
    shapes = [(width, side, side), (2 * width, side // 2, side - 2), (4 * width, side // 4, 5)]
    for some in (shapes, shapes[:1]):
        batch = int(rng.integers(3, 300))
        drawn.append(call_case("convolutions", "convolution_bytes", shapes=some, batch=batch))
    return [*drawn, *_devices(rng)]


_RECIPES = tuple(
    (precision, optimizer)
    for optimizer in ("adam", "momentum", "sgd")
    for precision in ("fp32", "mixed", "bf16")
)


def _devices(rng: np.random.Generator) -> list[Case]:
    """A few devices, one, and none however many; sizes whose quotient is not whole."""
    device = 8 * int(rng.integers(2, 25)) * GB
    own = float(round(device * rng.uniform(0.4, 0.6), -8))
    free = 0.9 * device - own
    # So many that a tenth more of each device would be one device fewer.
    many = float(round(free * (int(rng.integers(16, 24)) + rng.uniform(0.1, 0.5)), -8))
    sizes = [
        (many, own),
        (1e9, float(round(0.2 * device, -8))),
    ]
    drawn = [("devices", *one) for one in sizes]
    drawn += [("never", many, 0.95 * device), ("never", 0.0, 1.2 * device)]
    names = ("shared_bytes", "own_bytes", "memory_bytes")
    asked = [(decides, (*one, device)) for decides, *one in drawn]
    asked += [
        ("devices", (160 * GB, 10 * GB, 100 * GB)),  # 2 devices, and nothing is left
        ("devices", (0.0, 10 * GB, 100 * GB)),  # nothing to divide: one device
        ("devices", (80 * GB, 10 * GB, 100 * GB)),  # one device, and nothing is left
        ("devices", (160.4 * GB, 10 * GB, 100 * GB)),  # a little more than two hold
        ("devices", (160_040 * GB, 10 * GB, 100 * GB)),  # 2,001 devices
        ("devices", (67.2 * GB, 10 * GB, 80 * GIB)),  # one, by a part of a GB
        ("never", (160 * GB, 90 * GB, 100 * GB)),  # no room at all
        ("never", (0.0, 90 * GB, 100 * GB)),  # and nothing to put there
    ]
    return [
        call_case(decides, "devices_needed", **dict(zip(names, one, strict=True)))
        for decides, one in asked
    ]


JUDGE = Judge(
    title="Does it fit?",
    properties=(
        right_result(
            "states",
            "`state_bytes`: weights, gradients, optimizer, and the copy in mixed precision",
            1,
            {"state_bytes": memory.state_bytes},
            asks="How many numbers are kept for each parameter, and how many bytes has each?",
            unit="bytes",
        ),
        right_result(
            "activations",
            "`activation_bytes` with all that the forward pass saves",
            1,
            {"activation_bytes": activations},
            asks="What does one token take: in one layer, in all layers, and after the last one? "
            "And how many tokens are in the batch?",
            unit="bytes",
        ),
        right_result(
            "recomputed",
            "`activation_bytes` with recomputation",
            1,
            {"activation_bytes": activations},
            asks="What does every layer save now, what is there for one layer at a time, and what "
            "comes after the last layer?",
            unit="bytes",
        ),
        right_result(
            "cache",
            "`cache_bytes`, also where heads share keys and values",
            1,
            {"cache_bytes": cache},
            asks="How many numbers does one token keep in one layer? How many bytes has each?",
            unit="bytes",
        ),
        right_result(
            "convolutions",
            "`convolution_bytes`",
            1,
            {"convolution_bytes": convolutions},
            asks="How many numbers do all convolutions give together for one picture?",
            unit="bytes",
        ),
        right_result(
            "devices",
            "`devices_needed`: the smallest number that holds it",
            1,
            {"devices_needed": memory.devices_needed},
            asks="How much of its memory does a device have left for its share? How many "
            "such shares are there, on one device at least?",
        ),
        right_result(
            "never",
            "`math.inf` where no number of devices is enough",
            1,
            {"devices_needed": memory.devices_needed},
            asks="What does each device need for itself, and is there room for that?",
            after=("devices",),
        ),
    ),
    hints=(
        "Write down one token, or one parameter, first. Everything else is a multiplication.",
        "With recomputation: `layers` inputs of 4 bytes for each number of the width, and one "
        "whole layer on top. The last layer's line stays as it is.",
        "A device has `0.9 * memory_bytes - own_bytes` left for its share of `shared_bytes`.",
    ),
    cases=cases,
    predictions={
        "does-it-fit": Prediction(
            "the states of 7 billion parameters, in GB, in mixed precision with Adam?",
            truth=126.0,
            unit="GB",
            because="Four float32 numbers are 16 bytes, and the 16-bit copy is 2 more: 18 bytes "
            "for each of 7e9 parameters. No GPU of 80 GB holds that, though the weights alone, in "
            "16 bits, are 14 GB.",
        )
    },
)
