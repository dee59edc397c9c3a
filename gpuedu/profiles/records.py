"""What the profiler saw of a few steps, as plain records, and what can be read off them.

Times are seconds from the start of the first step. The profiled time goes from there to the end of
the last step, or of the last kernel or copy, if that is later: a device runs behind its host.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from gpuedu.clock.timeline import Interval, Timeline, length_s, union
from gpuedu.errors import UnknownNameError
from gpuedu.profiles.computing import computing_operators
from gpuedu.profiles.errors import ProfileError
from gpuedu.profiles.spans import Cost, Gap, Span, StepSpan

HOST, DEVICE, COPIES = "host", "device", "copies"
_NOTHING_S = 0.5e-9
"""Half of what the profiler's clock can tell apart: less is rounding."""


@dataclass(frozen=True)
class Profile:
    """Operators, kernels and copies of a few steps.

    ``device`` is the GPU's name, or "cpu" where nothing ran on a GPU. ``operators`` are in order of
    lane and start, each before what is inside it. ``ranges`` are named parts of the program
    (PyTorch marks an optimizer's step and a loader's next batch so). ``trace`` is PyTorch's own
    trace, compressed by gzip.
    """

    device: str
    steps: tuple[StepSpan, ...]
    operators: tuple[Span, ...]
    kernels: tuple[Span, ...]
    copies: tuple[Span, ...]
    ranges: tuple[Span, ...] = ()
    trace: bytes = field(default=b"", repr=False, compare=False)

    @property
    def is_on_gpu(self) -> bool:
        """Whether something ran on a GPU."""
        return self.device != "cpu"

    @property
    def end_s(self) -> float:
        """The profiled time: see the top of this module."""
        return max(one.end_s for one in (*self.steps, *self.kernels, *self.copies))

    @property
    def lanes(self) -> tuple[str, ...]:
        """The lanes that ``gaps`` and ``busy_s`` accept: "host" first.

        "device" is all kernels of all streams together.
        """
        host = dict.fromkeys([HOST, *(one.lane for one in self.operators)])
        # The shorter one first: "stream 7" before "stream 20".
        streams = sorted({one.lane for one in self.kernels}, key=lambda lane: (len(lane), lane))
        return (*host, *((DEVICE, *streams, COPIES) if self.is_on_gpu else ()))

    def on(self, lane: str) -> tuple[Span, ...]:
        """What ran on a lane.

        Raises:
            UnknownNameError: the profile has no such lane.
        """
        if lane not in self.lanes:
            raise UnknownNameError(
                f"this profile has no lane {lane!r}", remedy=f"one of {', '.join(self.lanes)}"
            )
        if lane == DEVICE:
            return self.kernels
        return tuple(
            one for one in (*self.operators, *self.kernels, *self.copies) if one.lane == lane
        )

    def busy_s(self, lane: str) -> float:
        """How long at least one operator, kernel or copy ran on a lane; what overlaps counts once.

        For "device" that is the time in which a kernel ran: a copy alone does not make it busy.
        """
        return length_s(self._busy(lane))

    def gaps(self, lane: str) -> tuple[Gap, ...]:
        """When nothing ran on a lane within the profiled time.

        On "host" that is Python between two operators, or waiting outside all of them.
        """
        edges = [0.0, *(edge for busy in self._busy(lane) for edge in busy), self.end_s]
        between = zip(edges[::2], edges[1::2], strict=True)
        return tuple(
            Gap(start_s, end_s - start_s)
            for start_s, end_s in between
            if end_s > start_s + _NOTHING_S
        )

    def idle_share(self, lane: str) -> float:
        """The gaps of a lane as a share of the profiled time."""
        return 1.0 - self.busy_s(lane) / self.end_s if self.end_s > 0 else 0.0

    def _busy(self, lane: str) -> tuple[tuple[float, float], ...]:
        return union((one.start_s, min(one.end_s, self.end_s)) for one in self.on(lane))

    def costs(self, top: int = 10, *, lane: str = "") -> tuple[Cost, ...]:
        """The names that took the most time, most expensive first.

        Args:
            top: how many rows.
            lane: "host": operators, by their own time, all threads together; "device": the kernels
                that each operator launched; "" for the device if there is one.
        """
        if lane not in ("", HOST, DEVICE) or (lane == DEVICE and not self.is_on_gpu):
            raise UnknownNameError(
                f"costs are given for the host and the device, not for {lane!r}",
                remedy='`lane="host"`',
            )
        if self.is_on_gpu and lane != HOST:
            pairs = ((one.operator or one.name, one.time_s) for one in self.kernels)
        else:
            pairs = ((one.name, one.self_s) for one in self.operators)
        rows = sorted(_added_up(pairs, self.end_s), key=lambda row: (-row.self_s, row.name))
        return tuple(rows[:top])

    @property
    def kernels_per_step(self) -> float:
        """Kernels on the device; on the CPU the operators that compute (``computing_operators``).

        A mean over the steps: it is a fraction if only some steps do something.
        """
        count = len(self.kernels) if self.is_on_gpu else len(computing_operators(self.operators))
        return count / len(self.steps)

    @property
    def timeline(self) -> Timeline:
        """The same for ``gpuedu.clock``'s questions: outermost operators, kernels, copies."""
        kinds = (("work", self.operators), ("kernel", self.kernels), ("copy", self.copies))
        return Timeline.of(
            Interval(one.lane, kind, one.start_s, one.end_s, one.name)
            for kind, spans in kinds
            for one in spans
            if one.depth == 0
        )

    def export(self, path: str | Path) -> Path:
        """Write PyTorch's own trace, which https://ui.perfetto.dev opens; `.gz` compresses it.

        Raises:
            ProfileError: there is no such folder, or it cannot be written to.
        """
        path = Path(path)
        try:
            path.write_bytes(self.trace if path.suffix == ".gz" else gzip.decompress(self.trace))
        except OSError as fault:
            raise ProfileError(
                f"the trace cannot be written to {path}: {fault.strerror or fault}",
                remedy="a file name such as `step.json` in a folder that exists",
            ) from fault
        return path


def _added_up(pairs: Iterable[tuple[str, float]], whole_s: float) -> list[Cost]:
    times: dict[str, list[float]] = {}
    for name, time_s in pairs:
        times.setdefault(name, []).append(time_s)
    return [
        Cost(name, len(each), sum(each), sum(each) / whole_s if whole_s else 0.0)
        for name, each in times.items()
    ]
