"""What a saved state holds, however it is written down: as tensors, numbers, bytes or text.

A run that is resumed in the same process can take what it needs from that process's memory. So it
is asked whether the numbers that another process could not know are in the state at all.
"""

from __future__ import annotations

import base64
import binascii
import io
import random
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_ARCHIVE = b"PK"
_BYTE, _DIGITS = 256, 3
_WHOLE = (
    torch.nn.Module,
    torch.optim.Optimizer,
    torch.optim.lr_scheduler.LRScheduler,
    torch.amp.GradScaler,
)


@dataclass
class _Contents:
    """All numbers in a state, and all its bytes."""

    numbers: set[float] = field(default_factory=set)
    parts: list[bytes] = field(default_factory=list)

    def add(self, value: Any) -> None:
        """Take in a value with all that is in it; what no state has is passed over."""
        if isinstance(value, torch.Tensor):
            self._add_tensor(value)
        elif isinstance(value, np.ndarray):
            self._add_numbers(value.ravel().tolist(), value.tobytes())
        elif isinstance(value, Mapping):
            for one in value.values():
                self.add(one)
        elif isinstance(value, (list, tuple)):
            self._add_bytes_of(value)
            for one in value:
                self.add(one)
        elif isinstance(value, (int, float)):
            self.numbers.add(value)
        elif isinstance(value, (bytes, bytearray)):
            self._add_bytes(bytes(value))
        elif isinstance(value, str):
            self._add_text(value)
        elif isinstance(value, _WHOLE):  # which no file should hold
            self.add(value.state_dict())

    def _add_tensor(self, tensor: torch.Tensor) -> None:
        if tensor.layout is torch.strided:
            flat = tensor.detach().contiguous().view(-1)
            self._add_numbers(flat.tolist(), flat.view(torch.uint8).numpy().tobytes())

    def _add_numbers(self, numbers: list[Any], raw: bytes) -> None:
        self.numbers.update(one for one in numbers if isinstance(one, (int, float)))
        self._add_bytes(raw)

    def _add_bytes_of(self, values: list[Any] | tuple[Any, ...]) -> None:
        if all(type(one) is int and 0 <= one < _BYTE for one in values):
            self._add_bytes(bytes(values))

    def _add_bytes(self, raw: bytes) -> None:
        self.parts.append(raw)
        if raw.startswith(_ARCHIVE):  # what `torch.save` wrote
            try:
                self.add(torch.load(io.BytesIO(raw), weights_only=True))
            except Exception:
                return

    def _add_text(self, text: str) -> None:
        found = _NUMBER.findall(text)
        self.numbers.update(map(float, found))
        small = [one for one in found if len(one) <= _DIGITS and one.isdecimal()]
        if len(small) == len(found):
            self._add_bytes_of([int(one) for one in small])
        for decode in (bytes.fromhex, lambda one: base64.b64decode(one, validate=True)):
            try:
                self._add_bytes(decode(text))
            except (ValueError, binascii.Error):
                continue

    def count(self, words: Iterable[tuple[float, bytes]]) -> int:
        """How many of some numbers are there, as such or as their bytes."""
        raw = b"".join(self.parts)
        return sum(number in self.numbers or word in raw for number, word in words)

    def have(self, words: Iterable[tuple[float, bytes]]) -> bool:
        """Whether each number is there, as such or as its bytes."""
        words = list(words)
        return self.count(words) == len(words)


Words = Collection[tuple[float, bytes]]
"""Numbers, each with its bytes."""


def words_of(run: Any) -> dict[str, Words]:
    """The numbers of a run that no other process could know, by its part, in no order.

    Of the scheduler, the scaler and the place in a pass nothing is asked: they are a few small
    numbers, which are in every state.
    """
    return {
        "model": set(_words_of_tensors(run.model.state_dict())),
        "optimizer": set(_words_of_tensors(run.optimizer.state_dict()["state"])),
        "chance": set(_words_of_chance()),
    }


def parts_not_held(asked: Mapping[str, Words], state: Any) -> list[str]:
    """Parts whose numbers, as ``words_of`` gives them, a state does not hold."""
    contents = _Contents()
    contents.add(state)
    return [part for part, words in asked.items() if not contents.have(words)]


def place_of_data(data: torch.Tensor, state: Any) -> str:
    """Where in a state samples are, as ``['inputs']``; empty where less than one sample is.

    It is the innermost place that holds all that are there, in whatever order.
    """
    words, path = _words_of_tensors(data), ""
    there = _count_in(state, words)
    if there < data.shape[-1]:
        return ""
    while True:
        inside = next(((k, v) for k, v in _pairs(state) if _count_in(v, words) == there), None)
        if inside is None:
            return path or "[...]"
        key, state = inside
        path += f"[{key!r}]"


def _count_in(state: Any, words: list[tuple[float, bytes]]) -> int:
    contents = _Contents()
    contents.add(state)
    return contents.count(words)


def _pairs(state: Any) -> list[tuple[Any, Any]]:
    if isinstance(state, Mapping):
        return list(state.items())
    return list(enumerate(state)) if isinstance(state, (list, tuple)) else []


def _words_of_tensors(state: Any) -> list[tuple[float, bytes]]:
    if isinstance(state, torch.Tensor):
        array = state.detach().reshape(-1).numpy()
        is_asked = state.is_floating_point() and array.size > 1
        return [(float(one), one.tobytes()) for one in array] if is_asked else []
    inside = state.values() if isinstance(state, Mapping) else ()
    return [word for one in inside for word in _words_of_tensors(one)]


def _words_of_chance() -> list[tuple[float, bytes]]:
    """Of PyTorch's generator all bytes in a row, of Python's its numbers."""
    whole = torch.get_rng_state().numpy().tobytes()
    _, numbers, _ = random.getstate()
    return [(float("nan"), whole), *((one, one.to_bytes(4, "little")) for one in numbers)]
