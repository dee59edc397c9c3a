"""break-even: its picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from gpuedu.exercises.why_gpus import machines
from gpuedu.exercises.why_gpus.pictures import drawable
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Mark, plot_curves
from gpuedu.figures.decades import write_decade
from gpuedu.hardware import Record, records
from gpuedu.hardware.names import short_name
from gpuedu.units import US

FLOP_PER_ELEMENT, BYTES_PER_ELEMENT = 300, 8


ELEMENTS = tuple(float(n) for n in np.geomspace(1e3, 1e7, 41))


def draw_break_even(
    break_even: Callable[..., Any], break_even_with_copies: Callable[..., Any]
) -> Any:
    """Time against n for a CPU, a GPU, and a GPU behind its link, with the learner's points."""
    gpu = machines.large_gpu()
    work = FLOP_PER_ELEMENT, BYTES_PER_ELEMENT
    cpu_rate = machines.elements_per_s(machines.CPU_FLOP_PER_S, machines.CPU_BYTES_PER_S, *work)
    gpu_rate = machines.elements_per_s(gpu.fp32_flop_per_s, gpu.bytes_per_s, *work)
    link, launch = machines.PCIE5_BYTES_PER_S, machines.LAUNCH_S
    copied_s = 1 / gpu_rate + BYTES_PER_ELEMENT / link
    curves = [
        _time_curve("CPU", 0.0, 1 / cpu_rate, style.BLUE),
        _time_curve("GPU", launch, 1 / gpu_rate, style.RED),
        _time_curve("GPU and copies", launch, copied_s, style.GREEN),
    ]
    points = {
        "GPU": break_even(launch, cpu_rate, gpu_rate),
        "GPU and copies": break_even_with_copies(
            launch, cpu_rate, gpu_rate, link, BYTES_PER_ELEMENT
        ),
    }
    taken = records("break-even")
    curves += [_recorded_curve(record) for record in taken]
    return _plot_break_even(curves, points, 1 / cpu_rate, gpu.name, _recorded_note(taken))


def _recorded_curve(record: Record) -> Curve:
    """A device's recorded times, drawn as dots."""
    points = sorted((row["n"], row["median"]) for row in record.rows)
    n, time_s = zip(*points, strict=True)
    whose = " (yours)" if record.is_own else ""
    return Curve(f"{short_name(record.device)}{whose}, recorded", n, time_s, style.PINK, dots=True)


def _recorded_note(taken: Sequence[Record]) -> str:
    """The devices of recorded times, or a note that there are none."""
    if not taken:
        return "There are no recorded times of this yet."
    found = ", ".join(f"{short_name(r.device)}, {r.date}" for r in taken)
    return f"Triangles: recorded on {found}, from the call until the host knows it is done."


def _time_curve(name: str, start_s: float, each_s: float, color: str) -> Curve:
    return Curve(name, ELEMENTS, tuple(start_s + n * each_s for n in ELEMENTS), color)


def _plot_break_even(
    curves: Sequence[Curve], points: Mapping[str, Any], cpu_s: float, gpu: str, recorded: str
) -> Any:
    said = {name: _say_point(n) for name, n in points.items()}
    marks = [
        Mark(f"{name}:\n{said[name]}", float(n), float(n) * cpu_s, offset)
        for (name, n), offset in zip(points.items(), ((10, -20), (-8, 24)), strict=True)
        if _is_on_axis(n)
    ]
    named = [
        curve
        if curve.name not in said or _is_on_axis(points[curve.name])
        else replace(curve, name=f"{curve.name}\n(you: {said[curve.name]})")
        for curve in curves
    ]
    caption = Caption(
        title="With too little work, the launch and the copies eat up the gain",
        x=f"elements n, {FLOP_PER_ELEMENT} FLOP and {BYTES_PER_ELEMENT} bytes each",
        y="time (µs)",
        source=f"Computed from data sheets: a desktop CPU of {machines.CPU_CORES} cores, {gpu}, "
        f"PCIe 5.0 x16; a launch of 5 µs. Circles: your functions.\n{recorded}",
        alt=f"Time against the number of elements for {', '.join(c.name for c in curves)}. "
        "Your functions say: " + "; ".join(f"{name} {text}" for name, text in said.items()) + ".",
    )
    return plot_curves(named, (), marks, caption=caption, format_y=_write_us)


def _write_us(time_s: float) -> str:
    """A tick of the time axis: one unit for all, so that they can be compared."""
    return write_decade(time_s / US)


def _is_on_axis(n: Any) -> bool:
    return ELEMENTS[0] / 10 <= drawable(n) <= ELEMENTS[-1] * 10


def _say_point(n: Any) -> str:
    """The learner's break-even in words."""
    if isinstance(n, Real) and n == math.inf:
        return "never faster"
    return f"faster from n = {n:,.6g}" if drawable(n) > 0 else "no number above 0"


PICTURE = draw_break_even
