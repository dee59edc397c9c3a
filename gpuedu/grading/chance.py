"""The global random generators of Python, NumPy and PyTorch, as plain values and back."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError

States = dict[str, list]
_TORCH_BYTES = 5056
_TORCH_NUMBERS = 624
"""Numbers that a generator of PyTorch's makes at a time; the one behind them makes the next."""


def states() -> States:
    """The state of each, as arrays and numbers; PyTorch's if it is imported."""
    _, words, more = random.getstate()
    kind, key, *rest = np.random.get_state()
    found = {"python": [np.array(words, np.uint32), more], "numpy": [kind, key, *rest]}
    torch = sys.modules.get("torch")
    return found if torch is None else {**found, "torch": [torch.get_rng_state().numpy()]}


def changed(before: States) -> States:
    """The states of those that have changed."""
    return {name: one for name, one in states().items() if not _is_same(one, before.get(name, []))}


def _is_same(one: list, other: list) -> bool:
    return len(one) == len(other) and all(map(np.array_equal, one, other))


def put(told: Any) -> None:
    """Put the generators into these states, from a process that is not trusted.

    Raises:
        AnswerError: they cannot be in such a state.
    """
    if type(told) is not dict:
        raise AnswerError("the states of random generators arrived in an unknown form")
    for name, state in told.items():
        try:
            _SETTERS[name](*state)
        except Exception as fault:
            raise AnswerError("a random generator arrived in an unknown form") from fault


@contextmanager
def kept() -> Iterator[None]:
    """Put the generators back, as they were before."""
    before = states()
    try:
        yield
    finally:
        put(before)


def _set_python(words: Any, more: Any) -> None:
    if type(more) not in (float, type(None)) or words.dtype != np.uint32:
        raise ValueError(words)
    random.setstate((3, tuple(words.tolist()), more))


def _set_numpy(kind: Any, key: Any, position: Any, has_more: Any, more: Any) -> None:
    if not (kind == "MT19937" and position in range(625) and has_more in (0, 1)):
        raise ValueError(kind)  # NumPy believes positions
    np.random.set_state((kind, key, position, has_more, float(more)))


def require_torch_state(raw: Any) -> None:
    """Raise ValueError for bytes that are not a state of PyTorch's generator on the CPU.

    PyTorch trusts the count of numbers left: if it is too high, it reads past their end.
    """
    if not (type(raw) is np.ndarray and raw.dtype == np.uint8 and raw.shape == (_TORCH_BYTES,)):
        raise ValueError(raw)
    left, following = int(raw[8:12].view(np.int32)[0]), int(raw[16:24].view(np.uint64)[0])
    if not (0 < left <= _TORCH_NUMBERS and following + left <= _TORCH_NUMBERS + 1):
        raise ValueError(raw)


def _set_torch(raw: Any) -> None:
    import torch

    require_torch_state(raw)
    torch.set_rng_state(torch.from_numpy(raw))


_SETTERS = {"python": _set_python, "numpy": _set_numpy, "torch": _set_torch}
