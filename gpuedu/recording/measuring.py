"""Measure the points of a series, one after another, within their time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpuedu.clock import Timing
from gpuedu.errors import CatalogError
from gpuedu.hardware.plausibility import require_plausible
from gpuedu.hardware.record_form import describe
from gpuedu.recording.bench import GpuBench, LostDeviceError, is_out_of_memory, one_line
from gpuedu.recording.points import Measured, NotHereError, Point, PreparedPoint
from gpuedu.recording.timing import LEAST, in_unit, time_work
from gpuedu.units import format_time

# A point may take three times its equal share of what is left: the large sizes come last, and
# points before them take less than theirs. One run warms up and is checked, one tells the length.
_GENEROUS = 3.0
_RUNS = LEAST + 2
_SAMPLES_S = 0.4

Tell = Callable[[str], None]


def measure_points(
    points: Sequence[Point],
    bench: GpuBench,
    unit: str,
    time_s: float,
    tell: Tell = lambda text: None,
    rescue: Callable[[Measured], None] = lambda measured: None,
) -> Measured:
    """Measure points in order; what cannot be measured is left out and reported.

    A result is checked before its time counts. A point is left out if its time, predicted from a
    smaller one of its group, is more than its share; if there is not enough memory; if its result
    is wrong or its kernel fails; and if its rate is above what the device can do.

    Args:
        points: What to measure.
        bench: The GPU.
        unit: ``"s"`` or ``"B/s"``.
        time_s: Seconds for all of them.
        tell: Gets a line about each point.
        rescue: Is given what there is, if measuring ends with an exception.

    Raises:
        LostDeviceError: A kernel broke the context; nothing more can be measured in this process.
    """
    run = _Run(bench, unit, tell)
    deadline_s = bench.now_s() + time_s
    with warnings.catch_warnings():
        # Numba advises larger launches; here small ones are measured on purpose.
        warnings.filterwarnings("ignore", message=".*GPU under-utilization.*")
        try:
            for place, point in enumerate(points):
                left_s = deadline_s - bench.now_s()
                run.measure(point, left_s / (len(points) - place), left_s)
        except BaseException:
            run.is_cut = True
            rescue(run.measured())
            raise
    return run.measured()


class _Run:
    """What was found so far."""

    def __init__(self, bench: GpuBench, unit: str, tell: Tell) -> None:
        self.bench, self.unit, self.tell = bench, unit, tell
        self.rows: list[Mapping[str, Any]] = []
        self.left_out: list[str] = []
        self.faults: list[str] = []
        self.is_cut = False
        self._seconds_per_unit: dict[str, float] = {}

    def measured(self) -> Measured:
        """All of it."""
        return Measured(tuple(self.rows), tuple(self.left_out), tuple(self.faults), self.is_cut)

    def measure(self, point: Point, share_s: float, left_s: float) -> None:
        """One point, with its share of the time that is left."""
        if left_s <= point.least_s:
            self.is_cut = True
            return self._leave_out(point, "the time of the series was used up")
        foretold_s = self._seconds_per_unit.get(point.group, 0.0) * point.units
        if foretold_s * _RUNS > min(_GENEROUS * share_s, left_s):
            return self._leave_out(
                point, f"a run would take about {format_time(foretold_s)}: more than its share"
            )
        try:
            self._measure(point, share_s)
        except NotHereError as fault:
            self._leave_out(point, str(fault))
        except (LostDeviceError, KeyboardInterrupt):
            raise
        except Exception as fault:
            self._after(point, fault)
        return None

    def _measure(self, point: Point, share_s: float) -> None:
        work = point.prepare()
        work.run()
        self.bench.sync()
        wrong = work.check()
        if wrong:
            return self._leave_out(point, f"the result is wrong: {wrong}", is_fault=True)
        if work.values:
            return self._keep(point, work, Timing(tuple(work.values)))
        # While the host compiled and checked, the device had nothing to do.
        self.bench.wake()
        timing = time_work(self.bench, work, min(share_s, _SAMPLES_S))
        if point.group:
            self._seconds_per_unit[point.group] = timing.median_s / point.units
        return self._keep(point, work, in_unit(timing, self.unit, work.moved_bytes))

    def _keep(self, point: Point, work: PreparedPoint, timing: Any) -> None:
        row = {**point.row, **work.fields, "median": timing.median_s, "spread": timing.spread_s}
        try:
            series = {"device": self.bench.name, "name": "row", "unit": self.unit, "rows": [row]}
            require_plausible(series, "measured")
        except CatalogError as fault:
            return self._leave_out(point, f"the time cannot be: {fault.message}", is_fault=True)
        self.rows.append(row)
        return self.tell(f"{describe(point.row)}: {_shown(row['median'], self.unit)}")

    def _after(self, point: Point, fault: Exception) -> None:
        """A fault at a point: is the device still there for the next ones?"""
        is_memory = is_out_of_memory(fault)
        reason = "memory is not enough" if is_memory else one_line(fault)
        self._leave_out(point, reason, is_fault=not is_memory)
        # The frames of a fault hold the arrays of its point.
        fault.__traceback__ = None
        try:
            self.bench.free()
            self.bench.sync()
        except Exception as lost:
            raise LostDeviceError(f"{describe(point.row)}: {reason}") from lost

    def _leave_out(self, point: Point, reason: str, *, is_fault: bool = False) -> None:
        text = f"{describe(point.row)}: {reason}"
        self.left_out.append(text)
        if is_fault:
            self.faults.append(text)
        self.tell(f"left out: {text}")


def _shown(value: float, unit: str) -> str:
    if unit == "B/s":
        return f"{value / 1e9:.3g} GB/s"
    return format_time(value) if unit == "s" else f"{value:.3g} {unit}"
