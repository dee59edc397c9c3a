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
from unittest.mock import patch

import numpy as np
import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils.flop_counter import flop_registry
from torch.utils.weak import WeakIdKeyDictionary

from gpuedu.errors import AnswerError
from gpuedu.exercises.capstone.operations import AllowedOperations, require_allowed
from gpuedu.exercises.capstone.saved_values import SavedValues
from gpuedu.profiles.computing import NO_WORK
from gpuedu.training.memory.counter import LiveCounter
from gpuedu.training.placement import is_queued, named_device
from gpuedu.training.synchronizations import VALUES, Synchronization, SynchronizationCounter
from gpuedu.training.tensors import tensors_in

_FREE = NO_WORK - {"_to_copy"}
_UPLOAD = "copy to the device"
_TO_HOST = frozenset({"_to_copy", "copy_", "index", "index_put", "index_put_", "_index_put_impl_"})
"""Operators that may be given tensors of the device for one of the host."""
_READ = "a tensor's number"
_QUEUED = "a queued copy"
_SENDERS = ("to", "cuda", "type_as")
_MAKERS = ("tensor", "as_tensor", "asarray", "new_tensor")


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
    is_met: bool = False
    """Whether something was computed in this evaluation."""
    has_trained: bool = False
    """Whether there was a backward pass: no evaluation comes before the first one."""
    most_saved: int = 0
    """The most numbers that were kept for backward at a time, weights left out."""
    evaluations: int = 0
    """How often a model was put into evaluation, and something was computed then."""
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
        _METERED.append(host)
        try:
            yield meter
        finally:
            _METERED.remove(host)
    if isinstance(saved, SavedValues):
        meter.most_saved = saved.most


class _Host(SynchronizationCounter):
    """Waits and copies, as the host asks for them."""

    def __init__(self, meter: Meter) -> None:
        super().__init__(on_wait=self._waited, stand_in=True)
        self._meter = meter
        self.asked: int | None = None
        """How many waits there were before the call that is carried out; None while none is."""
        self.stays = False
        """Whether what the call that is carried out makes is on the host."""
        self._queued: WeakIdKeyDictionary = WeakIdKeyDictionary()
        """Tensors of the host that are being copied to it; the first read waits for them."""
        self.recomputes = False
        """Whether a part of the program is run again in a backward pass."""

    @contextlib.contextmanager
    def recomputing(self) -> Iterator[None]:
        """While it lasts, what is asked for in a backward pass is seen like everything else."""
        before = self.recomputes, self.asked, self.stays
        self.recomputes, self.asked, self.stays = True, None, False
        try:
            with _Again(self):
                yield
        finally:
            self.recomputes, self.asked, self.stays = before

    def read(self) -> None:
        """A number of the device's is read: a wait, unless the call that does it counted as one."""
        if self.asked is None or len(self.synchronizations) == self.asked:
            self._note(_READ)

    def _waited(self, wait: Synchronization) -> None:
        if wait.kind != _UPLOAD:
            self._meter.waits.append((self._meter.is_evaluating, wait))

    def __torch_function__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Note a copy to the device; all else is seen above."""
        name, given = self._name(func), kwargs or {}
        is_upload = (name in _MAKERS and self._uploads(name, args, given)) or self._sends(
            name, args, given
        )
        if name in VALUES and self._has_queued((args, given)):
            self._note(_QUEUED)
            self._queued.clear()
        before = self.asked, self.stays
        self.asked = len(self.synchronizations)
        self.stays = self.placement.is_for_host(name, args, given)
        try:
            result = super().__torch_function__(func, types, args, kwargs)
        finally:
            self.asked, self.stays = before
        if name in ("cpu", "cuda", "to"):
            result = self._of_its_own(result, args[0])
        self._follow_queued(name, args, given, result)
        is_array = isinstance(result, np.ndarray) and name in ("numpy", "__array__")
        if is_array and self.placement.is_on_device(args[0]):
            result = result.copy()
        if is_upload:
            moved = result if isinstance(result, Tensor) else args[-1]
            size = moved.nbytes if isinstance(moved, Tensor) else 0
            self._meter.copies.append((self._meter.is_evaluating, size))
        return result

    def _sends(self, name: str, args: tuple, given: dict[str, Any]) -> bool:
        """Whether a host's tensor goes to the device: one that is named, or that of a tensor."""
        if name not in _SENDERS or self.placement.is_on_device(args[0]):
            return False
        is_named = self.placement.is_device(named_device(args, given))
        return name == "cuda" or is_named or self.placement.has_any((args[1:], given))

    def _has_queued(self, given: Any) -> bool:
        return any(one in self._queued for one in tensors_in(given))

    def _follow_queued(self, name: str, args: tuple, given: dict[str, Any], result: Any) -> None:
        """Note what shows, on the host, numbers that the device has not computed yet."""
        is_copy = name in ("to", "copy_") and is_queued(args, given)
        if not (is_copy and self.placement.has_any((args, given))) and not self._has_queued(
            (args, given)
        ):
            return
        for one in tensors_in(result):
            if not self.placement.is_on_device(one):
                self._queued[one] = True

    def _waited_for_all(self, device: Any = None) -> None:
        super()._waited_for_all(device)
        self._queued.clear()

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


class _Again(TorchFunctionMode):
    """A mode once more, inside of a call that it carries out."""

    def __init__(self, mode: TorchFunctionMode) -> None:
        super().__init__()
        self._mode = mode

    def __torch_function__(
        self, func: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """What the mode does."""
        return self._mode.__torch_function__(func, types, args, kwargs)


_METERED: list[_Host] = []
"""Those that count at the moment: one, or none."""


@contextlib.contextmanager
def recomputing_seen() -> Iterator[None]:
    """What PyTorch's checkpointing runs again is counted; its function modes do not see that."""
    from torch.utils import checkpoint as module

    given = module.checkpoint

    def checkpoint(function: Any, *args: Any, **kwargs: Any) -> Any:
        other = kwargs.keys() - {"use_reentrant", "preserve_rng_state"}
        if other:
            raise AnswerError(f"`checkpoint` takes no `{min(other)}` here")

        def run(*args: Any) -> Any:
            if _METERED and torch._C._current_graph_task_id() != -1:
                with _METERED[-1].recomputing():
                    return function(*args)
            return function(*args)

        return given(run, *args, **kwargs)

    with patch.object(module, "checkpoint", checkpoint):
        yield


class _Device(LiveCounter):
    """Operations on tensors of the device, and the bytes that live there."""

    def __init__(self, meter: Meter, host: _Host) -> None:
        super().__init__(torch.device("cpu"))
        self._meter, self._host, self._placement = meter, host, host.placement
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
        on_device = any(map(self._placement.is_on_device, given))
        if on_device and name == "_local_scalar_dense":
            self._host.read()
        try:
            result = super().__torch_dispatch__(func, types, args, kwargs)
        except (IndexError, RuntimeError):  # what is wrong depends on values, and says some
            if on_device:
                self._host.read()
            raise
        if not on_device and (given or self._host.stays):
            self._placement.mark(result, on_host=True)
        elif name != "copy_" and self._writes_to_host(func, args, kwargs or {}):
            self._host.read()
        if name == "_to_copy" and _storage(args[0]) in self._storages:
            self._casts[result.untyped_storage()] = True
        if func.is_view or name in _FREE or not on_device:
            return result
        if name not in _TO_HOST or (name != "_to_copy" and self._placement.is_on_device(given[0])):
            self._meter.copies += [
                (self._meter.is_evaluating, one.nbytes)  # a GPU would refuse it
                for one in given
                if one.ndim and not self._placement.is_on_device(one)
            ]
        if self._meter.is_evaluating:
            self._meter.evaluations += not self._meter.is_met
            self._meter.is_met = True
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
        if torch._C._current_graph_task_id() != -1 and not self._host.recomputes:
            self._meter.has_trained = True
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

    def _writes_to_host(self, func: Any, args: tuple, kwargs: dict[str, Any]) -> bool:
        if not func._schema.is_mutable:
            return False
        written = self._written(func, args, kwargs)
        return not all(map(self._placement.is_on_device, written))

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
        meter.is_evaluating = not mode and meter.has_trained
        meter.is_met = meter.is_met and meter.is_evaluating
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
