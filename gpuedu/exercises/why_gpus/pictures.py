"""Pictures of the lesson why-gpus, most of them made from the learner's own functions.

They are drawn while the functions are wrong, too: a value that a logarithmic axis cannot show is
left out, and the figure says so where nothing remains.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np

from gpuedu.errors import AnswerError
from gpuedu.exercises.why_gpus import machines, sketches, texts
from gpuedu.exercises.why_gpus.dependencies import draw_independence
from gpuedu.figures import style
from gpuedu.figures.bars import Bar, plot_bars
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, Mark, plot_curves
from gpuedu.hardware import Record, records
from gpuedu.units import format_quantity, format_time

SHARES = (0.5, 0.9, 0.99, 0.999)
WORKERS = tuple(int(n) for n in np.unique(np.geomspace(1, 4096, 61).round()))
BATCHES = tuple(int(n) for n in np.unique(np.geomspace(1, 4096, 61).round()))
SIDE = 4096
BYTES_PER_THREAD = 16
FLOP_PER_ELEMENT, BYTES_PER_ELEMENT = 300, 8
ELEMENTS = tuple(float(n) for n in np.geomspace(1e3, 1e7, 41))
_COLOURS = (style.BLUE, style.RED, style.GREEN, style.INK)
_MOST = 1e30


def drawable(value: Any) -> float:
    """The value where a logarithmic axis can show it, else nan.

    >>> drawable(2), drawable(0), drawable(-1.0), drawable(math.inf), drawable("2")
    (2.0, nan, nan, nan, nan)
    """
    if not isinstance(value, Real) or not 1 / _MOST < value < _MOST:
        return math.nan
    return float(value)


def draw_parallel_cpu(times: Mapping[str, Any]) -> Any:
    """The same saxpy four ways, in nanoseconds per element."""
    names = {
        "python_ns": "pure Python",
        "numpy_ns": "NumPy",
        "one_core_ns": "Numba, one core",
        "all_cores_ns": f"your saxpy, {_cores(times)} cores",
    }
    slowest = drawable(times["python_ns"])
    bars = []
    for place, (key, name) in enumerate(names.items()):
        ns = drawable(times[key])
        factor = (
            f", {slowest / ns:,.3g} times as fast as pure Python" if place and slowest > 0 else ""
        )
        colour = style.BLUE if place else style.QUIET
        bars.append(Bar(name, ns, f"{ns:.3g} ns{factor}", colour))
    caption = Caption(
        title="saxpy, four ways, on this machine",
        x="time per element in ns (shorter is faster; each step is ten times)",
        source=f"Measured on this machine just now: {times['n']:,} float32 elements (pure Python: "
        "fewer), the fastest of many runs.",
        alt="Bar chart of nanoseconds per element: "
        + "; ".join(f"{bar.name} {bar.text}" for bar in bars)
        + ".",
    )
    return plot_bars(bars, caption=caption)


def _cores(times: Mapping[str, Any]) -> int:
    """How many cores were measured; AnswerError where ``times`` is no result of ``measure``."""
    keys = {"python_ns", "numpy_ns", "one_core_ns", "all_cores_ns", "cores", "n"}
    if not isinstance(times, Mapping) or not keys <= set(times):
        raise AnswerError(
            "there are no times to draw",
            remedy='run `times = measure("parallel-cpu", saxpy)` first',
        )
    return int(times["cores"])


def draw_amdahl(amdahl: Callable[..., Any], amdahl_limit: Callable[..., Any]) -> Any:
    """The learner's speed-up against workers, for four parallel shares."""
    curves, levels, said = [], [], []
    for p, colour in zip(SHARES, _COLOURS, strict=True):
        speedups = tuple(drawable(amdahl(p, n)) for n in WORKERS)
        limit = drawable(amdahl_limit(p))
        bound = f"limit {limit:,.4g}" if limit > 0 else "no limit to draw"
        curves.append(Curve(f"p = {p:g}: {bound}", tuple(map(float, WORKERS)), speedups, colour))
        levels.append(Level("" if curves[-1].drawn else f"p = {p:g}: {bound}", limit, colour))
        most = f"{speedups[-1]:,.4g}" if speedups[-1] > 0 else "no number above 0"
        said.append(f"p = {p:g}: {most} on {WORKERS[-1]:,} workers, {bound}")
    caption = Caption(
        title="The serial part decides, however many workers you add",
        x="workers n (each step is ten times)",
        y="speed-up (times as fast)",
        source="Computed by your functions; dashed: your limits.",
        alt="Curves of the speed-up against the number of workers. " + "; ".join(said) + ".",
    )
    return plot_curves(curves, levels, caption=caption)


def draw_count_the_work(linear_work: Callable[..., Any], intensity: Callable[..., Any]) -> Any:
    """Intensity of a linear layer against the batch, beside what a device asks for."""
    gpu = machines.large_gpu()
    ridge = gpu.bf16_flop_per_s / gpu.bytes_per_s
    values = tuple(_intensity(linear_work, intensity, batch) for batch in BATCHES)
    curve = Curve("your layer", tuple(map(float, BATCHES)), values, style.BLUE)
    crossing = next(
        (n for n in range(1, SIDE + 1) if _intensity(linear_work, intensity, n) >= ridge), 0
    )
    said = f"from batch {crossing} on\narithmetic is the limit"
    marks = [Mark(said, float(crossing), ridge, (9, -24))] if crossing > 1 else []
    level = Level(
        f"{gpu.name}: {ridge:.0f} FLOP per byte (data sheet)", ridge, style.RED, at_left=True
    )
    caption = Caption(
        title="A larger batch uses each weight more often",
        x=f"batch size, for a {SIDE} x {SIDE} linear layer in 16 bits",
        y="intensity (FLOP per byte)",
        source="Curve: your functions. Dashed: peak of dense bf16 over memory bandwidth, both "
        f"from the data sheet of the {gpu.name}.",
        alt=f"Arithmetic intensity against batch size: {values[0]:.3g} FLOP per byte at batch 1, "
        f"{values[-1]:.4g} at {BATCHES[-1]:,}. The {gpu.name} needs {ridge:.0f} to be kept busy"
        + (f", reached from batch {crossing}." if crossing else ", never reached."),
    )
    return plot_curves([curve], [level], marks, caption=caption)


def _intensity(linear_work: Callable[..., Any], intensity: Callable[..., Any], batch: int) -> float:
    """The learner's intensity at one batch size; nan where ``linear_work`` gave no pair."""
    work = linear_work(batch, SIDE, SIDE, 2)
    if not isinstance(work, tuple | list) or len(work) != 2:
        return math.nan
    if any(math.isnan(drawable(part)) for part in work):
        return math.nan
    return drawable(intensity(*work))


def draw_littles_law(
    bytes_in_flight: Callable[..., Any], threads_needed: Callable[..., Any]
) -> Any:
    """Bytes that must be under way, from a CPU's core to a large GPU."""
    memories = machines.memories()
    bars = []
    for place, memory in enumerate(memories):
        under_way = drawable(bytes_in_flight(memory.latency_s, memory.bytes_per_s))
        threads = drawable(threads_needed(memory.latency_s, memory.bytes_per_s, BYTES_PER_THREAD))
        many = f"{threads:,.0f} threads" if threads > 0 else "no number of threads"
        if place < 2 and under_way > 0:  # a CPU's core waits for cache lines, not for threads
            many = f"{under_way / 64:,.0f} cache lines of 64 bytes"
        bars.append(
            Bar(
                f"{memory.name}\n{memory.latency_s * 1e9:.0f} ns x "
                f"{format_quantity(memory.bytes_per_s, 'B/s')}",
                under_way,
                f"{format_quantity(under_way, 'B')} = {many}",
                style.ORANGE if place < 2 else style.BLUE,
            )
        )
    caption = Caption(
        title="Latency times bandwidth: the bytes that must be under way",
        x=f"bytes in flight (threads: at {BYTES_PER_THREAD} bytes each; each step is ten times)",
        source="Computed by your functions. Latencies: round numbers of the size that "
        "microbenchmarks report. GPU bandwidths: data sheets.",
        alt="Bar chart of bytes in flight: "
        + "; ".join(f"{bar.name.splitlines()[0]} {bar.text}" for bar in bars)
        + ".",
    )
    return plot_bars(bars, caption=caption, row_in=0.5)


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
    return Curve(f"{record.device}{whose}, recorded", n, time_s, style.PINK, dots=True)


def _recorded_note(taken: Sequence[Record]) -> str:
    """Where recorded times come from, or that there are none."""
    if not taken:
        return "There are no recorded times of this yet."
    return "Triangles: recorded on " + ", ".join(f"{r.device}, {r.date}" for r in taken) + "."


def _time_curve(name: str, start_s: float, each_s: float, colour: str) -> Curve:
    return Curve(name, ELEMENTS, tuple(start_s + n * each_s for n in ELEMENTS), colour)


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
        title="Too little work, and the launch and the copies eat the gain",
        x=f"elements n, {FLOP_PER_ELEMENT} FLOP and {BYTES_PER_ELEMENT} bytes each",
        y="time",
        source=f"Computed from data sheets: a desktop CPU of {machines.CPU_CORES} cores, {gpu}, "
        f"PCIe 5.0 x16; a launch of 5 µs. Circles: your functions.\n{recorded}",
        alt=f"Time against the number of elements for {', '.join(c.name for c in curves)}. "
        "Your functions say: " + "; ".join(f"{name} {text}" for name, text in said.items()) + ".",
    )
    return plot_curves(named, (), marks, caption=caption, format_y=format_time)


def _is_on_axis(n: Any) -> bool:
    return ELEMENTS[0] / 10 <= drawable(n) <= ELEMENTS[-1] * 10


def _say_point(n: Any) -> str:
    """The learner's break-even in words."""
    if isinstance(n, Real) and n == math.inf:
        return "never faster"
    return f"faster from n = {n:,.6g}" if drawable(n) > 0 else "no number above 0"


PICTURES: dict[str, Callable[..., Any]] = {
    "why-gpus/loops": texts.loops_text,
    "why-gpus/facts": texts.facts_text,
    "why-gpus/latency-throughput": sketches.draw_latency_throughput,
    "why-gpus/chip": sketches.draw_chip,
    "why-gpus/stack": sketches.draw_stack,
    "why-gpus/layer": sketches.draw_layer,
    "why-gpus/energy": sketches.draw_energy,
    "parallel-cpu": draw_parallel_cpu,
    "amdahl": draw_amdahl,
    "who-is-independent": draw_independence,
    "count-the-work": draw_count_the_work,
    "littles-law": draw_littles_law,
    "break-even": draw_break_even,
}
