"""A whole program: its body, what it accesses where, and the arrays that it contains."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from gpuedu.simt.program.expressions import ArraySlot, Slot
from gpuedu.simt.program.statements import Atomic, Statement, walk
from gpuedu.trace import Finding, Place, Source, Space


@dataclass(frozen=True)
class Site:
    """One access of the source, as ``gpuedu.trace.AccessSite`` without its counts."""

    place: Place
    column: int
    text: str
    operation: str
    space: Space
    array: str
    dtype: np.dtype


@dataclass(frozen=True)
class Branch:
    """One condition of the source."""

    place: Place
    text: str


@dataclass(frozen=True)
class BarrierPoint:
    """One barrier of the source; all blocks meet at one ``of_grid``."""

    place: Place
    text: str
    of_grid: bool = False


@dataclass(frozen=True)
class SharedArray:
    """Shared memory of a block; ``shape`` is () for dynamic shared memory."""

    slot: ArraySlot
    shape: tuple[int, ...]
    dynamic: bool
    alignment: int


@dataclass(frozen=True)
class LocalArray:
    """An array of each thread."""

    slot: ArraySlot
    shape: tuple[int, ...]


@dataclass(frozen=True)
class ConstantArray:
    """An array from outside the kernel: a copy of a host array, or device memory."""

    slot: ArraySlot
    data: Any


class Language(StrEnum):
    """The language of a kernel: it decides what an index below zero means, and the remedies."""

    PYTHON = "python"
    CUDA_C = "cuda c"


@dataclass
class Program:
    """A kernel for one set of argument types.

    ``parameters`` are the slots that the launch fills, in order (tuples flattened); ``variables``
    gives the types that each source variable takes, by Numba's names. With ``has_choices`` a name
    may stand for one array or another. ``notes`` are findings that the source alone gives, before
    any launch.
    """

    name: str
    parameters: list[Slot | ArraySlot]
    body: list[Statement]
    sources: list[Source]
    sites: list[Site]
    branches: list[Branch]
    barriers: list[BarrierPoint]
    shared: list[SharedArray]
    local: list[LocalArray]
    constants: list[ConstantArray]
    variables: dict[str, set[str]]
    has_fences: bool = False
    has_choices: bool = False
    language: Language = Language.PYTHON
    notes: tuple[Finding, ...] = ()

    @property
    def is_cooperative(self) -> bool:
        """Whether all its blocks meet: a launch needs them on the device at once."""
        return any(point.of_grid for point in self.barriers)

    @cached_property
    def swaps(self) -> frozenset[int]:
        """The access sites that are a compare-and-swap."""
        return frozenset(
            statement.site
            for statement in walk(self.body)
            if isinstance(statement, Atomic) and statement.operation in ("cas", "compare_and_swap")
        )
