"""augment-on-device: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.feed_the_gpu.torch_faults import with_causes
from gpuedu.exercises.likewise import likewise
from gpuedu.exercises.plain import describe, items
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array, require_tensor

FIELDS = ("pictures", "flips", "tops", "lefts", "size", "mean", "std")
"""Of a batch, and what ``augment`` gets."""

_CAUSES = {
    "could not be broadcast": "Does each of the four indices broadcast to the result's four "
    "dimensions: (N, 1, 1, 1), (1, C, 1, 1), (N, 1, size, 1) and (N, 1, 1, size)?",
    "must match the size": "What are the two shapes? `x[:, None]` and `x[:, None, None]` add "
    "dimensions of length 1, which fit any length.",
}


def play_augment_on_device(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """An augmented batch, its kernels by size of the batch, whether it waits; or random draws."""
    augment, draw = answers
    asked = {"values": _values, "kernels": _kernels, "stays": _stays}
    with quiet_torch(), with_causes(_CAUSES):
        if inputs["ask"] == "draws":
            return _draws(draw, inputs)
        if inputs["ask"] == "draws-stay":
            return _draws_stay(draw, inputs)
        if inputs["ask"] == "draws-made":
            return _draws_made(draw, inputs)
        if inputs["ask"] == "small-draws":
            return _small_draws(draw, inputs)
        return asked[inputs["ask"]](augment, inputs)


def as_tensors(batch: Inputs) -> list[Any]:
    """What the learner's function is called with, arrays as tensors of their own."""
    import torch

    given = (batch[name] for name in FIELDS)
    return [torch.tensor(one) if isinstance(one, np.ndarray) else one for one in given]


def _array(got: Any, batch: Inputs) -> np.ndarray:
    count, channels = batch["pictures"].shape[:2]
    shape = (count, channels, batch["size"], batch["size"])
    return as_array(got, shape, "augment's result", "float32")


def _values(augment: Any, inputs: Inputs) -> dict[str, Any]:
    given = as_tensors(inputs)
    got = _array(augment(*given), inputs)
    pairs = zip(FIELDS, given, strict=True)
    changed = [name for name, one in pairs if not np.array_equal(np.asarray(one), inputs[name])]
    return {"got": got, "changed": changed}


def _kernels(augment: Any, inputs: Inputs) -> dict[str, Any]:
    counts = [count_kernels(augment, first_of(inputs, count))[0] for count in inputs["counts"]]
    return {"counts": counts, **_likewise(augment, inputs["other"])}


def _likewise(augment: Any, other: Inputs) -> dict[str, Any]:
    """What comes of another batch by what was done with the last one, or why nothing does."""
    from gpuedu.exercises.feed_the_gpu.augment_on_device.device_calls import NoArrays

    given = as_tensors(other)
    try:
        with likewise(), NoArrays():
            got = augment(*given)
        return {"likewise": _array(got, other), "failed": ""}
    except AnswerError as refusal:
        return {"likewise": None, "failed": refusal.message}


def first_of(batch: Inputs, count: int) -> dict[str, Any]:
    """The first ``count`` pictures of a batch."""
    per_picture = FIELDS[:4]
    return {n: batch[n][:count] if n in per_picture else batch[n] for n in FIELDS}


def count_kernels(augment: Any, batch: Inputs) -> tuple[int, Any]:
    """How many kernels a call starts, and what it returns."""
    from gpuedu.exercises.feed_the_gpu.augment_on_device.device_calls import KernelCounter

    given = as_tensors(batch)
    with KernelCounter() as counter:
        got = augment(*given)
    return len(counter.names), got


def _stays(augment: Any, inputs: Inputs) -> dict[str, Any]:
    from gpuedu.exercises.feed_the_gpu.augment_on_device.device_calls import find_leaving

    def call(*given: Any) -> None:
        require_tensor(augment(*given), "augment's result")

    found = find_leaving(call, as_tensors(inputs))
    call(*as_tensors(inputs))
    return {"leaves": found.kind, "told": found.told, **_likewise(augment, inputs["other"])}


def _draws(draw: Any, inputs: Inputs) -> dict[str, Any]:
    """What is drawn: from a seed, then from the same generator, from that seed again, another.

    ``alone`` tells whether the global random numbers were left alone.
    """
    import torch

    def drawn(generator: Any) -> list[np.ndarray]:
        return drawn_arrays(draw(*_asked(inputs), generator), inputs["count"])

    generator, before = _seeded(inputs["seed"]), torch.get_rng_state()
    first, second = drawn(generator), drawn(generator)
    alone = torch.equal(before, torch.get_rng_state())
    torch.rand(3)
    again, other = drawn(_seeded(inputs["seed"])), drawn(_seeded(inputs["seed"] + 1))
    return {
        **dict(zip(_DRAWN, first, strict=True)),
        "alone": alone,
        "repeats": all(map(np.array_equal, first, again)),
        "goes_on": [not np.array_equal(a, b) for a, b in zip(first, second, strict=True)],
        "differs": [not np.array_equal(a, b) for a, b in zip(first, other, strict=True)],
    }


def _small_draws(draw: Any, inputs: Inputs) -> dict[str, Any]:
    """In how many of many batches of two pictures both drew the same, for each of the three."""
    generator = _seeded(inputs["seed"])
    batches = range(inputs["batches"])
    drawn = [drawn_arrays(draw(*_asked(inputs), generator), inputs["count"]) for _ in batches]
    return {
        name: sum(int(one[i][0] == one[i][1]) for one in drawn) for i, name in enumerate(_DRAWN)
    }


def _draws_stay(draw: Any, inputs: Inputs) -> dict[str, Any]:
    """What ``draw`` makes elsewhere than where the generator is, or what then fails.

    Tensors that are made without a device go to PyTorch's "meta" device here, which stands for the
    host as seen from a generator of a GPU.
    """
    import torch

    from gpuedu.exercises.feed_the_gpu.augment_on_device.device_calls import fault_text

    generator = _seeded(inputs["seed"])
    try:
        with torch.device("meta"):
            got = draw(*_asked(inputs), generator)
        devices = [require_tensor(one).device for one in _three(got)]
    except (RuntimeError, TypeError) as fault:
        told = f"with a generator that is not on the host, `draw` raised {fault_text(fault)}"
        return {"leaves": "fault", "told": told}
    names = _named_elsewhere(devices, generator.device) or _drawn_on_the_host(draw, inputs)
    told = f"{names}: made on the host, not where the generator is" if names else ""
    return {"leaves": names, "told": told}


def _draws_made(draw: Any, inputs: Inputs) -> dict[str, Any]:
    """What ``draw`` makes without a device in a usual call: on the host, wherever the generator is.

    The call is one that draws are judged by: what only looks out for "meta" makes the same here.
    """
    from gpuedu.exercises.feed_the_gpu.augment_on_device.device_calls import WithoutDevice

    with WithoutDevice() as makers:
        draw(*_asked(inputs), _seeded(inputs["seed"]))
    names = ", ".join(f"`{name}`" for name in makers.names)
    told = f"{names} without `device=`: made on the host, not where the generator is"
    return {"leaves": names, "told": told if names else ""}


def _named_elsewhere(devices: Sequence[Any], wanted: Any) -> str:
    return ", ".join(f"`{name}`" for name, at in zip(_DRAWN, devices, strict=True) if at != wanted)


def _drawn_on_the_host(draw: Any, inputs: Inputs) -> str:
    """What ``draw`` makes on the host although its generator says that it is on "meta".

    Tensors there have no values. An answer that needs one fails, and is not judged here.
    """
    import torch

    class OfMeta(torch.Generator):
        device = torch.device("meta")

    try:
        devices = [require_tensor(one).device for one in _three(draw(*_asked(inputs), OfMeta()))]
    except Exception:
        return ""
    return _named_elsewhere(devices, OfMeta.device)


def _seeded(seed: int) -> Any:
    import torch

    return torch.Generator().manual_seed(seed)


def _asked(inputs: Inputs) -> list[int]:
    return [inputs[name] for name in ("count", "height", "width", "size")]


def drawn_arrays(got: Any, count: int) -> list[np.ndarray]:
    """Flips, tops and lefts as the learner's function returned them, each (count,) int64."""
    return [_whole(one, name, count) for one, name in zip(_three(got), _DRAWN, strict=True)]


def _three(got: Any) -> tuple[Any, ...]:
    flips_tops_lefts = tuple(items(got, "draw's result", "flips, tops and lefts"))
    if len(flips_tops_lefts) != 3:
        raise AnswerError(f"`draw` should return flips, tops and lefts, got {describe(got)}")
    return flips_tops_lefts


def _whole(value: Any, name: str, count: int) -> np.ndarray:
    """Flips as booleans, the rest as whole numbers of 64 bits."""
    dtype = str(require_tensor(value, name).dtype).removeprefix("torch.")
    wanted = "bool" if name == "flips" else "int64"
    if dtype != wanted:
        raise AnswerError(f"{name} has dtype {dtype}, expected {wanted}")
    return as_array(value, (count,), name)


_DRAWN = ("flips", "tops", "lefts")


PLAY = Play(
    (
        Answer("augment", signature=FIELDS),
        Answer("draw", signature=("count", "height", "width", "size", "generator")),
    ),
    play_augment_on_device,
    time_limit_s=60.0,  # PyTorch loads much when operations are first watched
    by_operations=True,
)
