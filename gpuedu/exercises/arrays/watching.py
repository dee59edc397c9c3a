"""Call a learner's function with device arrays that count, and tell what it cost.

The arrays are those of ``gpuedu.arrays.cupy`` on every tier, also where there is a GPU: CuPy itself
does not count copies, nor the peak of its memory.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.plain import describe

COUNTED = "Counted by gpuedu's stand-in for the device; nothing is timed."
"""What a picture of such a call says of its source."""


@dataclass(frozen=True)
class Copy:
    """One copy between host and device: which way, how many bytes, and what asked for it.

    ``hidden`` is True where the code asked for something else, such as ``float(x)``.
    """

    to_device: bool
    size_bytes: int
    hidden: bool
    what: str


@dataclass(frozen=True)
class Launch:
    """One launch: the name of its function, and the bytes that it read and wrote."""

    name: str
    moved_bytes: int


@dataclass(frozen=True)
class WatchedCall:
    """What a call gave, and what it cost.

    ``steps`` are the launches and copies in order; ``extra_bytes`` is the most device memory that
    was in use at a time, on top of what was in use before. ``contents`` has what each copy carried,
    or None where that is not known: for hidden copies, say.
    """

    result: Any
    steps: tuple[Launch | Copy, ...]
    extra_bytes: int
    contents: tuple[np.ndarray | None, ...] = ()

    @property
    def launches(self) -> tuple[Launch, ...]:
        """The launches, in order."""
        return tuple(step for step in self.steps if isinstance(step, Launch))

    @property
    def moved_bytes(self) -> int:
        """Bytes that the launches read and wrote."""
        return sum(launch.moved_bytes for launch in self.launches)

    @property
    def copies(self) -> tuple[Copy, ...]:
        """The copies, in order."""
        return tuple(step for step in self.steps if isinstance(step, Copy))


class _Ordered(list):
    """A list of operations that also keeps how many copies came before each."""

    def __init__(self) -> None:
        super().__init__()
        self.copies_before: list[int] = []

    def append(self, operation: Any) -> None:
        """Keep an operation, and how many copies there were until now."""
        from gpuedu.backend import transfers

        super().append(operation)
        self.copies_before.append(len(transfers()))


def watch(function: Callable[..., Any], *args: Any) -> WatchedCall:
    """Call ``function`` and keep account of its launches, copies and device memory.

    The account of copies, ``gpuedu.backend.transfers``, begins anew.
    """
    from gpuedu.arrays.account import count_operations
    from gpuedu.arrays.memory import watch_memory
    from gpuedu.arrays.transfer import watch_contents
    from gpuedu.backend import reset_transfers, transfers

    reset_transfers()
    ordered = _Ordered()
    with count_operations() as count, watch_memory() as peak, watch_contents() as contents:
        count.operations = ordered
        result = function(*args)
    copies = [_copy(one) for one in transfers()]
    return WatchedCall(result, _in_order(ordered, copies), peak.extra_bytes, tuple(contents))


_CALLS = {"array()": "`cp.asarray`", "get()": "`.get()`"}
"""How a learner writes the calls that copy."""


def _copy(transfer: Any) -> Copy:
    to_device = str(transfer.direction) == "host-to-device"
    what = _CALLS.get(transfer.what, transfer.what)
    return Copy(to_device, transfer.size_bytes, transfer.implicit, what)


def _in_order(operations: _Ordered, copies: Sequence[Copy]) -> tuple[Launch | Copy, ...]:
    """Launches and copies, as they came."""
    steps: list[Launch | Copy] = []
    done = 0
    for operation, before in zip(operations, operations.copies_before, strict=True):
        steps += [*copies[done:before], Launch(operation.name, operation.moved_bytes)]
        done = before
    return (*steps, *copies[done:])


def plain_copies(watched: WatchedCall) -> list[str]:
    """The copies of a call as plain values; ``read_copies`` reads them."""
    return [json.dumps(asdict(copy)) for copy in watched.copies]


def read_copies(plain: Sequence[str]) -> tuple[Copy, ...]:
    """The copies that ``plain_copies`` made plain.

    >>> read_copies(['{"to_device": true, "size_bytes": 4, "hidden": false, "what": "asarray"}'])
    (Copy(to_device=True, size_bytes=4, hidden=False, what='asarray'),)
    """
    return tuple(Copy(**json.loads(one)) for one in plain)


def library_of(value: Any) -> str:
    """Whose array it is: "numpy", "cupy", or what it is instead."""
    from gpuedu.arrays.ndarray import ndarray

    if isinstance(value, ndarray):
        return "cupy"
    return "numpy" if type(value) is np.ndarray else describe(value)


def on_host(value: Any, name: str) -> np.ndarray:
    """The elements of a result of either library; AnswerError for what is no array."""
    library = library_of(value)
    if library not in ("cupy", "numpy"):
        raise AnswerError(f"`{name}` should return an array, got {library}")
    return value.get() if library == "cupy" else value.copy()
