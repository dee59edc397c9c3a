"""What a function of tensors asks of a device: its kernels, its waits, tensors of the host.

PyTorch's dispatcher hands every operation to a mode, with views and allocations; those start no
kernel and are not counted. What it simplifies: an operation counts once, where a GPU may run
several kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._device import _device_constructors

from gpuedu.errors import AnswerError
from gpuedu.exercises.guard import ToldProblemError, learner_line
from gpuedu.profiles.computing import NO_WORK
from gpuedu.training.dispatch import DispatchWatch
from gpuedu.training.synchronizations import SynchronizationCounter
from gpuedu.training.tensors import tensors_in

_FREE = NO_WORK - {"_to_copy"}
"""To the profiler, the copy of a ``to`` is a call inside it; here it is the operation itself."""


class KernelCounter(DispatchWatch):
    """Counts the operations that compute while its ``with`` block runs.

    >>> pictures = torch.zeros(4, 3, 8, 8, dtype=torch.uint8)
    >>> with KernelCounter() as counter:
    ...     shares = pictures[:, :, 2:6].permute(0, 2, 3, 1) / 255
    >>> counter.names
    ['div']
    """

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.mixed: list[str] = []
        """Operations that were given a tensor of the host beside one of another device."""
        self.uploads = 0
        """Tensors that were made on another device of numbers that the host had."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Note an operation, and let it happen."""
        name = func.overloadpacket.__name__
        if not (func.is_view or name in _FREE):
            self.names.append(name)
        tensors = tensors_in(args, kwargs)
        # A single number of the host is handed over with the launch.
        devices = {one.device.type for one in tensors if one.ndim}
        if len(devices) > 1 and "cpu" in devices:
            self.mixed.append(name)
        self.uploads += name == "lift_fresh" and args[0].device.type != "cpu"
        return func(*args, **(kwargs or {}))


@dataclass(frozen=True)
class Leaving:
    """What a call asks of the host first: its kind, "" for nothing, and that in words."""

    kind: str = ""
    told: str = ""


class NoArrays(TorchFunctionMode):
    """Refuses to hand a tensor's values to NumPy, where nothing that is done with them is seen."""

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = getattr(func, "__name__", "")
        if name in ("numpy", "__array__"):
            raise AnswerError("its numbers are computed by NumPy, which starts no kernel")
        return func(*args, **(kwargs or {}))


class WithoutDevice(TorchFunctionMode):
    """Notes which functions made tensors and were told no device.

    >>> with WithoutDevice() as makers:
    ...     found = torch.rand(3) < torch.rand(3, device="cpu")
    >>> makers.names
    ['rand']
    """

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Note a function, and let it happen."""
        given = kwargs or {}
        if func in _device_constructors() and given.get("device") is None:
            name = func.__name__
            self.names += [] if name in self.names else [name]
        return func(*args, **given)


def find_leaving(call: Callable[..., object], inputs: Sequence[Any]) -> Leaving:
    """Call it twice with these inputs, the tensors among them put onto a device.

    First on the device (without a GPU, CPU tensors stand for it), with hidden synchronizations
    seen; then on tensors that have a device and a shape and no values, as PyTorch's "meta" device
    makes them: what needs a value, or mixes in a tensor of the host, fails there.
    """
    placed = _put(inputs, "cuda" if torch.cuda.is_available() else "cpu")
    with SynchronizationCounter() as counter:
        call(*placed)
    placed, fault = _put(inputs, "meta"), None
    with KernelCounter() as meta:
        try:
            call(*placed)
        except Exception as raised:  # whatever the learner's code raises there
            fault = raised
    if counter.synchronizations:
        first = counter.synchronizations[0]
        return Leaving(first.kind, f"the host waits for the device: {first}")
    if fault is not None:
        told = fault_text(fault)
        is_mixed = "expected device" in told or "same device" in told
        where = "with tensors on a device whose values the host cannot see"
        return Leaving("two devices" if is_mixed else "a value", f"{where}, {told}")
    if meta.mixed:
        told = f"`{meta.mixed[0]}` gets a tensor on the host and others on the device"
        return Leaving(f"mixed in {meta.mixed[0]}", told)
    if meta.uploads:
        return Leaving("copy to the device", "the host waits for the device: copy to the device")
    return Leaving()


def fault_text(fault: Exception) -> str:
    """What was raised, and on which of the learner's lines."""
    if isinstance(fault, ToldProblemError):
        return fault.problem.message
    said = f"{type(fault).__name__}: {(str(fault).strip().splitlines() or [''])[0][:160]}"
    return f"{said}, {learner_line(fault)}".strip(", ")


def _put(inputs: Sequence[Any], place: str) -> list[Any]:
    return [one.to(place) if isinstance(one, torch.Tensor) else one for one in inputs]
