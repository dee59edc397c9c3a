"""The records of a profile: steps, operators, kernels, copies, and the gaps between them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """An operator on the host, a kernel or a copy on the device.

    ``name`` is PyTorch's, in full (``short_name`` shortens it). ``lane`` is "host" for the thread
    that runs the steps, "host thread 2" for another one, "stream 7" for a kernel and "copies" for
    a copy. ``start_s`` counts from the start of the first step. ``depth`` counts the operators
    around this one, and ``self_s`` is ``time_s`` without the operators directly inside it.

    ``operator`` names the operator that launched a kernel or a copy, and is "" if the trace does
    not say. ``stream`` and ``size_bytes`` (what a copy or a fill moved) are None on the host, and
    if the trace does not give them.
    """

    name: str
    lane: str
    start_s: float
    time_s: float
    depth: int = 0
    self_s: float = 0.0
    operator: str = ""
    stream: int | None = None
    size_bytes: int | None = None

    @property
    def end_s(self) -> float:
        """When it ended."""
        return self.start_s + self.time_s


@dataclass(frozen=True)
class StepSpan:
    """One call of the step, as the host saw it; ``number`` is that of its mark in the trace."""

    number: int
    start_s: float
    time_s: float

    @property
    def end_s(self) -> float:
        """When it returned; on a GPU its kernels may still run."""
        return self.start_s + self.time_s


@dataclass(frozen=True)
class Gap:
    """A time in which nothing ran on a lane."""

    start_s: float
    time_s: float


@dataclass(frozen=True)
class Cost:
    """What all calls of the same name took together; ``share`` is of the profiled time."""

    name: str
    calls: int
    self_s: float
    share: float
