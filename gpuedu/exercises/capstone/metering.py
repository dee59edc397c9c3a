"""What a training program costs, counted while it runs: what the bill of the capstone adds up.

PyTorch's function modes see what the host asks for, its dispatcher every operation, those of
backward included; CPU tensors stand for those of a device (``gpuedu.training.synchronizations``
says how). Which part of a step an operation belongs to is told by what it touches: a step's update
ends with the last write to a weight, and an evaluation runs from ``model.eval()`` to
``model.train()``.

What it simplifies: an operation is a launch, where a GPU may run several kernels; one of a list
(``_foreach``) is one, too, and PyTorch's optimizers take those wherever they would on a GPU.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.flop_counter import flop_registry
from torch.utils.weak import WeakIdKeyDictionary

from gpuedu.errors import AnswerError
from gpuedu.exercises.capstone.operations import AllowedOperations, require_allowed
from gpuedu.exercises.capstone.saved_values import SavedValues
from gpuedu.profiles.computing import NO_WORK
from gpuedu.training.memory.counter import LiveCounter
from gpuedu.training.placement import named_device
from gpuedu.training.synchronizations import Synchronization, SynchronizationCounter
from gpuedu.training.tensors import tensors_in

_FREE = NO_WORK - {"_to_copy"}
_UPLOAD = "copy to the device"
_TAKE_BOTH_SIDES = frozenset(
    {"_to_copy", "copy_", "index", "index_put", "index_put_", "_index_put_impl_"}
)
"""Operators that read from the other side themselves; of any other, it has to be copied before."""
_SENDERS = ("to", "cuda")


@dataclass
class Operation:
    """One launch: its part of the program, its FLOP, and what lived when it was done, in bytes.

    ``is_half``: the first floating-point numbers that it was given have 16 bits.
    """

    name: str
    part: str
    flop: int
    writes_weight: bool
    live_bytes: int
    is_half: bool = False


@dataclass
class Meter:
    """What was counted between its ``with``'s begin and end."""

    operations: list[Operation] = field(default_factory=list)
    waits: list[tuple[bool, Synchronization]] = field(default_factory=list)
    """Synchronizations that are no copies to the device; True for those of an evaluation."""
    copies: list[tuple[bool, int]] = field(default_factory=list)
    """Copies to the device, in bytes; True for those of an evaluation."""
    evaluated: list[int] = field(default_factory=list)
    """How many images each convolution of an evaluation took."""
    recorded_in_evaluation: int = 0
    """Operations of evaluations that autograd recorded."""
    is_evaluating: bool = False
    most_saved: int = 0
    """The most numbers that were kept for backward at a time, weights left out."""
    evaluations: int = 0
    """How often a model was put into evaluation."""
    moved: Callable[[Tensor, Tensor], None] = lambda copied, given: None
    """Called with each copy to the other side, and what it is a copy of."""


@contextlib.contextmanager
def metered(*, saves: bool = False) -> Iterator[Meter]:
    """Count what the calling thread's program costs, as on a device.

    Only ``AllowedOperations`` run, and no other mode that was entered before sees them: each of
    those takes its time.

    Args:
        saves: what is kept for backward, too.
    """
    meter = Meter()
    host = _Host(meter)
    device = _Device(meter, host)
    meter.moved = device.follow
    saved = SavedValues(device.is_weight) if saves else contextlib.nullcontext()
    with _modes_told(meter), _foreach_as_on_a_gpu(), _disable_current_modes(), host, device, saved:
        yield meter
    if isinstance(saved, SavedValues):
        meter.most_saved = saved.most


class _Host(SynchronizationCounter):
    """Waits and copies, as the host asks for them."""

    def __init__(self, meter: Meter) -> None:
        super().__init__(on_wait=self._waited, stand_in=True)
        self._meter = meter

    def _waited(self, wait: Synchronization) -> None:
        if wait.kind != _UPLOAD:
            self._meter.waits.append((self._meter.is_evaluating, wait))

    def __torch_function__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Note a copy to the device; all else is seen above."""
        name, given = self._name(func), kwargs or {}
        is_sent = name in _SENDERS and not self.placement.is_on_device(args[0])
        is_upload = self._uploads(name, args, given) or (
            is_sent and (name == "cuda" or self.placement.is_device(named_device(args, given)))
        )
        result = super().__torch_function__(func, types, args, kwargs)
        if name in ("cpu", "cuda", "to"):
            result = self._of_its_own(result, args[0])
        is_array = isinstance(result, np.ndarray) and name in ("numpy", "__array__")
        if is_array and self.placement.is_on_device(args[0]):
            result = result.copy()
        if is_upload:
            moved = result if isinstance(result, Tensor) else args[-1]
            size = moved.nbytes if isinstance(moved, Tensor) else 0
            self._meter.copies.append((self._meter.is_evaluating, size))
        return result

    def _of_its_own(self, moved: Tensor, given: Tensor) -> Tensor:
        """What was moved to the other side, without sharing its numbers with what stays there."""
        sides = {self.placement.is_on_device(one) for one in (moved, given)}
        if len(sides) == 1 or _storage(moved) != _storage(given):
            return moved
        with _disable_current_modes():
            copied = moved.clone()
        self.placement.mark(copied, on_host=not self.placement.is_on_device(moved))
        self._meter.moved(copied, given)
        return copied


class _Device(LiveCounter):
    """Operations on tensors of the device, and the bytes that live there."""

    def __init__(self, meter: Meter, host: _Host) -> None:
        super().__init__(torch.device("cpu"))
        self._meter, self._placement = meter, host.placement
        self._weights: dict[int, tuple[Tensor, int]] = {}
        """Weights, each with the storage that it had when it was last read, by its own number.

        Several may share a storage, and an address is used again once a storage has ended.
        """
        self._storages: set[int] = set()
        self._touched: dict[int, int] = {}
        """For each storage which operation wrote it last, outside of forward and backward."""
        self._casts: WeakIdKeyDictionary = WeakIdKeyDictionary()
        """Storages of weights in another precision."""

    def follow(self, copied: Tensor, given: Tensor) -> None:
        """Count a copy where its original is counted."""
        if self.block_of(given) is not None:
            self.adopt(copied)

    def is_weight(self, tensor: Tensor) -> bool:
        """Whether a tensor shows the numbers of a weight, in whatever precision."""
        shown = tensor._base if tensor._base is not None else tensor
        is_one = shown.is_leaf and shown.requires_grad  # it may not have been met yet
        is_known = _storage(tensor) in self._storages or tensor.untyped_storage() in self._casts
        return is_one or is_known

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run the operator, and note it where it is a launch."""
        if torch.is_inference_mode_enabled():  # where an operator of several arrives whole
            with self:
                result = func.decompose(*args, **(kwargs or {}))
            if result is not NotImplemented:
                return result
        if not require_allowed(func, args, kwargs or {}):
            with AllowedOperations():
                return self._noted(func, types, args, kwargs)
        return self._noted(func, types, args, kwargs)

    def _noted(self, func: Any, types: Any, args: tuple, kwargs: dict[str, Any] | None) -> Any:
        name = func.overloadpacket.__name__
        given = tensors_in(args, kwargs)
        part = self._part(given)
        written = self._written(func, args, kwargs or {}) if part == "other" else []
        result = super().__torch_dispatch__(func, types, args, kwargs)
        if name == "_to_copy" and _storage(args[0]) in self._storages:
            self._casts[result.untyped_storage()] = True
        if func.is_view or name in _FREE or not any(map(self._placement.is_on_device, given)):
            return result
        if name not in _TAKE_BOTH_SIDES:
            self._meter.copies += [
                (self._meter.is_evaluating, one.nbytes)  # a GPU would refuse it
                for one in given
                if one.ndim and not self._placement.is_on_device(one)
            ]
        if part == "forward" and self._meter.is_evaluating:
            self._meter.recorded_in_evaluation += 1
        if self._meter.is_evaluating and name == "convolution":
            self._meter.evaluated.append(args[0].shape[0])
        formula = flop_registry.get(func._overloadpacket)
        flop = formula(*args, **(kwargs or {}), out_val=result) if formula else 0
        writes = any(_storage(one) in self._storages for one in written)
        if writes or (written and not self._gradients().isdisjoint(map(_storage, written))):
            part = "update"
        if part in ("other", "update"):
            made = tensors_in(result)
            at = len(self._meter.operations)
            self._touched.update((_storage(one), at) for one in (*written, *made))
        part = "evaluation" if self._meter.is_evaluating else part
        self._meter.operations.append(
            Operation(name, part, flop, writes, self.live_bytes, _is_half(given))
        )
        return result

    def _part(self, given: list[Tensor]) -> str:
        if torch._C._current_graph_task_id() != -1:
            if self._meter.is_evaluating:
                raise AnswerError(
                    "the program trains between `model.eval()` and `model.train()`",
                    remedy="Only evaluation may run there.",
                )
            return "backward"
        if not torch.is_grad_enabled() or not any(one.requires_grad for one in given):
            return "other"
        for one in given:
            known = self._weights.get(id(one), (one, -1))
            if one.requires_grad and one.is_leaf and known[1] != _storage(one):
                self._meet(one)
        return "forward"

    def _meet(self, weight: Tensor) -> None:
        """A weight that is new, or has got another storage: what wrote that was an update."""
        storage = _storage(weight)
        is_known = id(weight) in self._weights
        if is_known and (place := self._touched.get(storage)) is not None:
            self._meter.operations[place].writes_weight = True
        self._weights[id(weight)] = (weight, storage)
        self._storages = {one for _, one in self._weights.values()}

    def _gradients(self) -> set[int]:
        return {_storage(one.grad) for one, _ in self._weights.values() if one.grad is not None}

    def _written(self, func: Any, args: tuple, kwargs: dict[str, Any]) -> list[Tensor]:
        found = []
        for place, argument in enumerate(func._schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                value = args[place] if place < len(args) else kwargs.get(argument.name)
                found += tensors_in(value)
        return found


def _storage(tensor: Tensor) -> int:
    return tensor.untyped_storage()._cdata


def _is_half(given: list[Tensor]) -> bool:
    floating = (one for one in given if one.is_floating_point())
    first = next(floating, None)
    return first is not None and first.itemsize == 2


@contextlib.contextmanager
def _modes_told(meter: Meter) -> Iterator[None]:
    """Tell the meter when a model is put into evaluation, and back."""
    given = nn.Module.train

    def train(module: nn.Module, mode: bool = True) -> nn.Module:
        meter.evaluations += not mode and not meter.is_evaluating
        meter.is_evaluating = not mode
        return given(module, mode)

    nn.Module.train = train  # type: ignore[method-assign]
    try:
        yield
    finally:
        nn.Module.train = given  # type: ignore[method-assign]


@contextlib.contextmanager
def _foreach_as_on_a_gpu() -> Iterator[None]:
    """Optimizers choose their implementation as they would for tensors of a GPU."""
    from torch.optim import optimizer

    given = optimizer._default_to_fused_or_foreach
    modules = [
        one
        for name, one in sys.modules.items()
        if name.startswith("torch.optim") and hasattr(one, "_default_to_fused_or_foreach")
    ]

    def choose(params: Any, differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
        return False, not differentiable

    for one in modules:
        one._default_to_fused_or_foreach = choose  # type: ignore[attr-defined]
    try:
        yield
    finally:
        for one in modules:
            one._default_to_fused_or_foreach = given  # type: ignore[attr-defined]
