"""The threads of a launch: who they are, what they share, and what they wait for."""

from __future__ import annotations

import math
from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np

from tests.simt.oracle.memory import Memory, View, raw_memory
from tests.simt.oracle.ordering import Ordering, Outcome

WARP = 32
Dim3 = tuple[int, int, int]


class SpinsForeverError(Exception):
    """A thread ran more steps than any kernel of these tests needs."""


@dataclass(frozen=True)
class Request:
    """What a thread waits for: a block barrier or a warp operation at one place of the source.

    Before an atomic or a fence it waits for its ``turn`` only: others may come first.
    """

    what: str
    site: object
    line: int
    value: object = None
    mask: int = 0
    option: object = None


@dataclass(eq=False)
class Block:
    """What the threads of one block share."""

    index: Dim3
    dynamic: Memory
    arrays: dict[object, Memory] = field(default_factory=dict)

    def shared(self, key: object, dtype: np.dtype, shape: tuple[int, ...]) -> View:
        """The shared array that one line of the source declares; (0,) is dynamic memory."""
        if math.prod(shape) == 0:
            return self.dynamic.view(dtype, (self.dynamic.array.size // dtype.itemsize,))
        if key not in self.arrays:
            size = math.prod(shape) * dtype.itemsize
            self.arrays[key] = raw_memory(size, private=False)
        return self.arrays[key].view(dtype, shape)


@dataclass(eq=False)
class Thread:
    """One thread: its indices, and the books of the launch that it writes to."""

    number: int
    rank: int
    index: Dim3
    block: Block
    block_dim: Dim3
    grid_dim: Dim3
    ordering: Ordering
    outcome: Outcome
    steps_left: int
    program: Generator[Request, object, object] | None = None
    waits_for: Request | None = None
    answer: object = None
    done: bool = False
    returned_early: bool = False

    @property
    def lane(self) -> int:
        return self.rank % WARP

    @property
    def warp(self) -> int:
        return self.rank // WARP

    @property
    def can_run(self) -> bool:
        return not self.done and (self.waits_for is None or self.waits_for.what == "turn")

    def advance(self) -> None:
        """Run until the thread waits or ends."""
        try:
            self.waits_for = self.program.send(self.answer)
        except StopIteration as end:
            self.waits_for, self.done = None, True
            self.returned_early = end.value
        self.answer = None
