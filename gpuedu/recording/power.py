"""What a GPU draws: idle, bound by arithmetic, bound by memory; and under lower limits."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from gpuedu.recording.bandwidth import copy_work, place_of
from gpuedu.recording.bench import GpuBench, PowerReading
from gpuedu.recording.operands import Operands
from gpuedu.recording.points import Point, PreparedPoint, Series
from gpuedu.recording.power_meter import PowerWatch
from gpuedu.recording.sizes import Sizes
from gpuedu.recording.tensor_cores import library_product

IDLE, MATMUL, COPY = "idle", "matmul", "copy"
CAPS = (0.8, 0.6)
"""Shares of the default limit."""

_BURST_S = 0.25


@dataclass(frozen=True)
class Load:
    """What the GPU does: ``work`` again and again, ``amount`` of ``unit`` each time; or nothing."""

    work: PreparedPoint | None = None
    amount: float = 0.0
    unit: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)


def draws(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """Each load under the limit that is in force."""
    return [_point(bench, sizes, {"load": load}, nullcontext) for load in (IDLE, MATMUL, COPY)]


def draws_under_caps(bench: GpuBench, sizes: Sizes) -> Sequence[Point]:
    """The loads with no lower limit and with each."""
    points = []
    for share in (1.0, *CAPS):
        cap = nullcontext if share == 1.0 else lambda share=share: bench.power_cap(share)
        for load in (MATMUL, COPY):
            points.append(_point(bench, sizes, {"load": load, "cap_share": share}, cap))
    return points


def _point(
    bench: GpuBench,
    sizes: Sizes,
    row: Mapping[str, Any],
    cap: Callable[[], AbstractContextManager[float | None]],
) -> Point:
    times = sizes.power
    before_s = times.rest_s if row["load"] == IDLE else times.settle_s
    return Point(
        row,
        lambda: _measured(bench, sizes, row["load"], cap),
        least_s=before_s + times.window_s,
    )


def _load(bench: GpuBench, sizes: Sizes, name: str) -> Load:
    if name == MATMUL:
        n = sizes.matmul[-1]
        work = library_product(bench, Operands(bench), n)
        return Load(work, 2.0 * n**3, "FLOP/s", {"dtype": "bfloat16", "n": n})
    if name == COPY:
        size = sizes.copy_bytes[-1]
        work = copy_work(bench, size)
        place = place_of(work.moved_bytes, bench.l2_bytes)
        return Load(work, work.moved_bytes, "B/s", {"size_bytes": size, "from": place})
    return Load()


def _measured(
    bench: GpuBench,
    sizes: Sizes,
    name: str,
    cap: Callable[[], AbstractContextManager[float | None]],
) -> PreparedPoint:
    """A load that was kept up for a while, with the watts of that time as its values."""
    load, times = _load(bench, sizes, name), sizes.power
    with bench.power_meter() as read, cap() as cap_w:
        keep_up(bench, load, times.rest_s if load.work is None else times.settle_s)
        with PowerWatch(read) as watch:
            per_s = keep_up(bench, load, times.window_s)
    watts = [reading.power_w for reading in watch.readings]
    fields = {**load.fields, **({} if cap_w is None else {"cap_w": cap_w})}
    fields |= summary(watch.readings, load, per_s)
    if load.work is None:
        return PreparedPoint(lambda: None, lambda: "", values=watts, fields=fields)
    return PreparedPoint(load.work.run, load.work.check, values=watts, fields=fields)


def keep_up(bench: GpuBench, load: Load, time_s: float) -> float:
    """Keep the GPU at a load for about this long; returns how many units it did in a second."""
    if load.work is None:
        bench.rest(time_s)
        return 0.0
    run, start_s, runs = load.work.run, bench.now_s(), 0
    burst = 1
    while bench.now_s() - start_s < time_s:
        one_s = bench.host_time_s(run, burst)
        runs += burst
        # The first run may be slow, where it is compiled or the clock is low: measured each time.
        burst = max(1, round(_BURST_S / max(one_s, 1e-6)))
    return runs * load.amount / (bench.now_s() - start_s)


def summary(readings: Sequence[PowerReading], load: Load, per_s: float) -> dict[str, Any]:
    """The fields of a row: mean power, middle clock and temperature, the rate, joules a unit."""
    power_w = statistics.fmean(reading.power_w for reading in readings)
    found: dict[str, Any] = {"power_w": power_w, "readings": len(readings)}
    for name in ("clock_mhz", "temperature_c"):
        told = [value for r in readings if (value := getattr(r, name)) is not None]
        if told:
            found[name] = statistics.median(told)
    if load.work is not None:
        found |= {"rate": per_s, "rate_unit": load.unit, "joules_per_unit": power_w / per_s}
    return found


_HOW = (
    "Watts as the driver tells them about ten times a second, their median, and their mean as "
    "`power_w`; the clock of the SMs and the temperature. `matmul` is a bfloat16 product of random "
    "matrices on Tensor Cores, `copy` one array into another, each again and again{idle}. `rate` "
    "is in `rate_unit`, `joules_per_unit` is `power_w` over `rate`: J/FLOP or J/B."
)
SERIES = (
    Series(
        "power",
        "power.json",
        "W",
        _HOW.format(idle="; `idle` is nothing to do, with a context open"),
        draws,
        3.0,
    ),
    Series(
        "power-caps",
        "power.json",
        "W",
        "Under a power limit of `cap_share` of the default one. " + _HOW.format(idle=""),
        draws_under_caps,
        5.0,
        changes_power_limit=True,
    ),
)
