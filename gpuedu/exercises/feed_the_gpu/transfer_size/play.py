"""transfer-size: beside the learner's code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.contract import Answer, Inputs, Play
from gpuedu.exercises.feed_the_gpu.torch_faults import with_causes
from gpuedu.exercises.given import left_as_given
from gpuedu.exercises.guard import explain
from gpuedu.exercises.plain import items, number, numbers
from gpuedu.exercises.training.quiet import quiet_torch
from gpuedu.exercises.training.tensors import as_array, require_tensor

_FLATTEN = (
    "`torch.cat` joins tensors that are alike but for one dimension. Make each of them flat first, "
    "by `tensor.reshape(-1)`."
)


_CAUSES = {
    "Sizes of tensors must match": _FLATTEN,
    "same number of dimensions": _FLATTEN,
    "zero-dimensional tensor": _FLATTEN,
    "view size is not compatible": "One of them is transposed: its numbers are not stored row by "
    "row. `reshape` copies where `view` cannot.",
}


def play_transfer_size(answers: Sequence[Any], inputs: Inputs) -> dict[str, Any]:
    """Times of copies, a fit, or what became of a batch of tensors."""
    copy_time, half_size, fit, send = answers
    if inputs["ask"] == "model":
        cost = inputs["latency_s"], inputs["bandwidth_bytes_per_s"]
        return {
            "time_s": number(copy_time(inputs["size_bytes"], *cost), "copy_time's result"),
            "half": number(half_size(*cost), "half_size's result"),
        }
    if inputs["ask"] == "fit":
        given = {name: inputs[name].copy() for name in ("sizes_bytes", "times_s")}
        with left_as_given("fit", **given):
            found = fit(*given.values())
        # Apart, as beside the bandwidth the latency is next to nothing.
        latency_s, bandwidth = numbers(found, 2, "fit's result")
        return {"latency_s": latency_s, "bandwidth_bytes_per_s": bandwidth}
    return _counted(send, inputs) if inputs["ask"] == "copies" else _send(send, inputs)


def _counted(send: Any, inputs: Inputs) -> dict[str, Any]:
    """Which copies were made; none are told where it fails, as what arrives tells of that."""
    try:
        return {"copied": _send(send, inputs)["copied"]}
    except Exception as fault:
        if explain(fault, 0).ends_check:
            raise
        return {"copied": None}


def _send(send: Any, inputs: Inputs) -> dict[str, Any]:
    """Which copies were made, and what arrived; the host's tensors are spoilt before it is read."""
    import torch

    from gpuedu.exercises.feed_the_gpu.transfer_size.on_device import OnDevice

    copied: list[int] = []
    device = OnDevice(copied.append)

    def copy(tensor: Any) -> Any:
        require_tensor(tensor, "what you gave to `copy`")
        copied.append(tensor.numel() * tensor.element_size())
        return device.receive(tensor)

    with quiet_torch():
        tensors = [torch.tensor(one) for one in inputs["tensors"]]
        tensors = [
            tensor.t() if is_turned else tensor
            for tensor, is_turned in zip(tensors, inputs["turned"], strict=True)
        ]
        tensors += tensors[-1:] * inputs["is_repeated"]
        with with_causes(_CAUSES), device, left_as_given("send", tensors=tensors):
            got = send(tensors, copy)
        got = items(got, "`send`'s result", "a list of tensors")
        if len(got) != len(tensors):
            count = f"{len(tensors)} tensor{'' if len(tensors) == 1 else 's'}"
            raise AnswerError(f"`send` got {count} and returned {len(got)}")
        for tensor in tensors:
            tensor.fill_(float("nan"))
        arrived = [_float32(one, f"tensor {i} of the result") for i, one in enumerate(got)]
    return {"copied": copied, "arrived": arrived, "on_host": [one not in device for one in got]}


def _float32(value: Any, name: str) -> np.ndarray:
    """A copy of the learner's tensor, of whatever shape."""
    shape = tuple(require_tensor(value, name).shape)
    return as_array(value, shape, name, "float32").astype(np.float32)


PLAY = Play(
    (
        Answer("copy_time", signature=("size_bytes", "latency_s", "bandwidth_bytes_per_s")),
        Answer("half_size", signature=("latency_s", "bandwidth_bytes_per_s")),
        Answer("fit", signature=("sizes_bytes", "times_s")),
        Answer("send", signature=("tensors", "copy")),
    ),
    play_transfer_size,
    by_operations=True,
    lends=True,
)
