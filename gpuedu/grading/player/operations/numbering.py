"""Numbers for the tensors and random generators that a program is about."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True)
class _Known:
    """A tensor that has a number, and the storage that it had when it got it."""

    number: int
    tensor: weakref.ref[torch.Tensor]
    storage: int


class TensorNumbers:
    """Numbers of tensors, kept as long as any tensor is in their memory.

    The end of a tensor is reported; for the last one in its memory, only when the memory itself
    ends, because tensors saved for backward may share it.

    Args:
        ended: is told the number of each tensor that has ended.
        memory_ended: is told of each storage that has ended.
    """

    def __init__(
        self, ended: Callable[[int], None], memory_ended: Callable[[int], None] = lambda _: None
    ) -> None:
        self._ended, self._memory_ended = ended, memory_ended
        self._next = 1
        self._known: dict[int, _Known] = {}
        self._in_storage: dict[int, dict[int, _Known]] = {}
        self._last: dict[int, tuple[int, torch.dtype]] = {}
        self._ends: dict[int, weakref.finalize] = {}

    def find(self, tensor: torch.Tensor) -> int | None:
        """The number of a tensor; None if it has none, or has moved to another memory since."""
        known = self._known.get(id(tensor))
        is_same = known is not None and known.tensor() is tensor
        is_there = is_same and known.storage == tensor.untyped_storage()._cdata
        return known.number if is_there else None

    def beside(self, tensor: torch.Tensor) -> int | None:
        """The number of a tensor of the same storage and dtype."""
        last = self._last.get(tensor.untyped_storage()._cdata)
        if last is not None and last[1] == tensor.dtype:
            return last[0]
        for known in self._in_storage.get(tensor.untyped_storage()._cdata, {}).values():
            other = known.tensor()
            if other is not None and other is not tensor and other.dtype == tensor.dtype:
                return known.number
        return None

    def in_memory(self, storage: int) -> torch.Tensor | None:
        """A tensor that has a number and is in this storage."""
        inside = (one.tensor() for one in self._in_storage.get(storage, {}).values())
        return next((one for one in inside if one is not None), None)

    def add(self, tensor: torch.Tensor) -> int:
        """Give a tensor the next number."""
        number, self._next = self._next, self._next + 1
        at, storage, dtype = id(tensor), tensor.untyped_storage()._cdata, tensor.dtype

        def end(reference: weakref.ref) -> None:
            if at in self._known and self._known[at].tensor is reference:
                del self._known[at]
            inside = self._in_storage.get(storage, {})
            inside.pop(number, None)
            if inside or storage not in self._ends:
                self._ended(number)
            else:
                if storage in self._last:
                    self._ended(self._last[storage][0])
                self._last[storage] = number, dtype

        if storage not in self._ends:
            ends = weakref.finalize(tensor.untyped_storage(), self._end_storage, storage)
            ends.atexit = False
            self._ends[storage] = ends

        known = _Known(number, weakref.ref(tensor, end), storage)
        self._known[at] = known
        self._in_storage.setdefault(storage, {})[number] = known
        return number

    def _end_storage(self, storage: int) -> None:
        """The memory of what is known is over, and with it the last tensor that lay there."""
        del self._ends[storage]
        self._memory_ended(storage)
        self._in_storage.pop(storage, None)
        if storage in self._last:
            self._ended(self._last.pop(storage)[0])


class GeneratorNumbers:
    """Numbers of random generators, as long as they exist, and their known states.

    The global one has the number 0.

    Args:
        ended: is told the number of each generator that has ended.
    """

    def __init__(self, ended: Callable[[int], None] = lambda _: None) -> None:
        self._ended = ended
        self._next = 0
        self._numbers: dict[int, int] = {}
        self._generators: dict[int, weakref.ref[torch.Generator]] = {}
        self._states: dict[int, np.ndarray] = {}
        self.add(torch.default_generator)

    def find(self, generator: torch.Generator) -> int | None:
        """The number of a generator; None if it has none."""
        return self._numbers.get(generator._cdata)

    def add(self, generator: torch.Generator) -> int:
        """Give a generator the next number, in the state that it is in."""
        number, self._next = self._next, self._next + 1
        at = generator._cdata

        def end(_: weakref.ref) -> None:
            self._numbers.pop(at, None)
            self._states.pop(number, None)
            if self._generators.pop(number, None) is not None:
                self._ended(number)

        self._numbers[at] = number
        self._generators[number] = weakref.ref(generator, end)
        self._states[number] = _state_of(generator)
        return number

    def known(self) -> list[int]:
        """The numbers of the existing ones."""
        return list(self._generators)

    def settle(self) -> None:
        """From now on, the current states of all are known."""
        for number in self.known():
            self.news(number)

    def news(self, number: int) -> np.ndarray | None:
        """The state of one, known from now on; None if it was known already, or has ended."""
        reference = self._generators.get(number)
        generator = reference() if reference is not None else None
        if generator is None:
            return None
        state, known = _state_of(generator), self._states[number]
        self._states[number] = state
        return None if np.array_equal(state, known) else state


def _state_of(generator: torch.Generator) -> np.ndarray:
    with torch._C.DisableTorchFunction():
        return generator.get_state().numpy()
