"""Measure series after series within one budget of time, and write each as soon as it is done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gpuedu.recording.bench import GpuBench
from gpuedu.recording.measuring import measure_points
from gpuedu.recording.points import Measured, Series
from gpuedu.recording.progress import Progress
from gpuedu.recording.sizes import Sizes, sizes_for
from gpuedu.recording.writer import RecordFolder, as_series


class Recorder:
    """One run. ``done``, ``skipped`` and ``waiting`` name series; ``current`` is being measured.

    Args:
        bench: The GPU.
        out: The folder that holds the devices' folders.
        progress: Is told about it.
        time_s: Seconds for all series.
        sizes: How large the problems are; by the GPU's memory by default.
    """

    def __init__(
        self,
        bench: GpuBench,
        out: Path,
        progress: Progress,
        time_s: float,
        sizes: Sizes | None = None,
    ) -> None:
        self.bench, self.progress = bench, progress
        self.folder = RecordFolder(out, bench.name)
        self.sizes = sizes or sizes_for(bench.memory_bytes)
        self.done: list[str] = []
        self.skipped: list[str] = []
        self.waiting: list[str] = []
        self.faults: list[str] = []
        self.current = ""
        self._begun_s = bench.now_s()
        self._deadline_s = self._begun_s + time_s

    @property
    def left_s(self) -> float:
        """Seconds of the budget that are left."""
        return max(0.0, self._deadline_s - self.bench.now_s())

    @property
    def spent_s(self) -> float:
        """Seconds since the start."""
        return self.bench.now_s() - self._begun_s

    def measure(self, chosen: Sequence[Series], *, fresh: bool = False) -> None:
        """Measure and write what does not exist yet with the same versions, or all if ``fresh``.

        A series that ends early leaves its time to those after it. One that is cut short leaves
        what it has, unless a complete one exists.

        Raises:
            LostDeviceError: A kernel broke the context, in the series ``current``.
        """
        todo = [s for s in chosen if fresh or not self.folder.has(s, self.bench.versions)]
        self.skipped = [series.name for series in chosen if series not in todo]
        self.waiting = [series.name for series in todo]
        for place, series in enumerate(todo):
            if self.left_s <= 0:
                return
            share = series.weight / sum(later.weight for later in todo[place:])
            self.current = series.name
            self.progress.begin(series.name, place + 1, len(todo), share * self.left_s)
            self._write(series, self._measure(series, share * self.left_s))
            self.waiting.remove(series.name)

    def _measure(self, series: Series, time_s: float) -> Measured:
        self.bench.free()
        points = series.points(self.bench, self.sizes)

        def rescue(measured: Measured) -> None:
            if not self.folder.has(series, self.bench.versions):
                self._put(series, measured)

        return measure_points(points, self.bench, series.unit, time_s, self.progress.point, rescue)

    def _write(self, series: Series, measured: Measured) -> None:
        if self._put(series, measured):
            self.done.append(series.name)
        else:
            self.progress.say(f"{series.name}: no row came out, so nothing is written")

    def _put(self, series: Series, measured: Measured) -> bool:
        """Put a series into the folder, if it has rows; keep its faults."""
        self.faults += [f"{series.name}: {fault}" for fault in measured.faults]
        if measured.rows:
            self.folder.put(series.file, as_series(series, measured, self.bench))
        return bool(measured.rows)
