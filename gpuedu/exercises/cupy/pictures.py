"""Pictures of the lesson cupy, most of them made from the learner's own code, right or wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuedu.clock import AsyncDevice, Event
from gpuedu.exercises.cupy.play import watch_pipeline
from gpuedu.exercises.cupy.recorded import draw_recorded_cupy
from gpuedu.exercises.cupy.standins import (
    elementwise_on_machine,
    kernel_refusals_told,
    reduction_on_machine,
    require_raw_kernel,
)
from gpuedu.exercises.cupy.twins import gelu_chain, logsumexp_naive, squared_distances_large
from gpuedu.exercises.cupy.watching import Copy, Launch, on_host, watch
from gpuedu.exercises.kernels.launching import run_kernel
from gpuedu.figures import style
from gpuedu.figures.caption import Caption
from gpuedu.figures.curves import Curve, Level, plot_curves
from gpuedu.figures.journey import Kind, Step, plot_journey
from gpuedu.figures.kernels.accesses import plot_accesses
from gpuedu.figures.launch_bytes import Program, plot_launch_bytes
from gpuedu.figures.offsets import Offsets, plot_offsets
from gpuedu.figures.queues import plot_queues

QUERIES, POINTS, FEATURES = 64, 96, (2, 4, 8, 16, 32, 64, 128)
ROOM = 8
PIPELINE = (6, 5, 3)
ELEMENTS, RUN_ELEMENTS = 1_000_000, 8_000
"""Elements that are told of, and elements that run: bytes grow in proportion."""
CHAIN_STEPS = ("0.5 x", "x**3", "0.04 *", "x +", "0.8 *", "tanh", "1 +", "product")
"""What the launches of the chain do, in order."""
ROWS = tuple(range(-300, 301, 10))
PIXELS, BLOCKS, THREADS = 1024, 4, 64
_COUNTED = "Counted by the arrays that stand for the device, not timed."


def draw_no_loops(squared_distances: Callable[..., Any], vote: Callable[..., Any]) -> Any:
    """Peak memory of the version with a large temporary and of the learner's, by features."""
    large = [_peak(squared_distances_large, d) for d in FEATURES]
    own = [_peak(squared_distances, d) for d in FEATURES]
    caption = Caption(
        title="The most memory at a time, in arrays of shape (m, n)",
        x="features d",
        y="arrays of shape (m, n)",
        source=f"m = {QUERIES}, n = {POINTS}, float32; on top of the inputs. {_COUNTED}",
        alt=f"With {FEATURES[-1]} features the large version needs {large[-1]:.0f} times the "
        f"result, yours {own[-1]:.1f} times; with {FEATURES[0]} features {large[0]:.1f} "
        f"and {own[0]:.1f}.",
    )
    x = tuple(map(float, FEATURES))
    return plot_curves(
        [
            Curve("given version", x, tuple(large), style.ORANGE, dots=True),
            Curve("yours", x, tuple(own), style.BLUE, dots=True),
        ],
        [Level(f"room for {ROOM}", ROOM, style.QUIET, at_left=True)],
        caption=caption,
        format_y=lambda value: f"{value:g}",
    )


def _peak(function: Callable[..., Any], features: int) -> float:
    """Peak memory of a call, in units of its result."""
    from gpuedu.arrays import cupy as cp

    rng = np.random.default_rng(features)
    queries, points = (
        cp.asarray(rng.normal(0, 1, (many, features)).astype(np.float32))
        for many in (QUERIES, POINTS)
    )
    return watch(function, cp, queries, points).extra_bytes / (QUERIES * POINTS * 4)


def draw_journey(pipeline: Callable[..., Any]) -> Any:
    """Launches and copies of a pipeline for a few rows, in order."""
    n, d, c = PIPELINE
    rng = np.random.default_rng(3)
    x, w = rng.normal(0, 1, (n, d)).astype(np.float32), rng.normal(0, 1, (d, c)).astype(np.float32)
    watched = watch_pipeline(pipeline, x, w)
    steps = [_step(one) for one in watched.steps]
    hidden = sum(copy.hidden for copy in watched.copies)
    copies, launches = len(watched.copies), len(watched.launches)
    told = f"{launches} launches, {copies} copies, {hidden} of them hidden"
    caption = Caption(
        title=f"{n} rows: {told}",
        x="steps, in order",
        source=_COUNTED,
        alt=f"The steps of the function in order: {told}.",
    )
    return plot_journey(steps, caption=caption)


def _step(one: Launch | Copy) -> Step:
    if isinstance(one, Launch):
        return Step(Kind.LAUNCH)
    if one.hidden:
        return Step(Kind.HIDDEN, one.to_device)
    return Step(Kind.TO_DEVICE if one.to_device else Kind.TO_HOST)


def draw_asynchrony() -> Any:
    """Four steps of a loop: with a value asked for in each, and with one at the end."""
    programs = [
        ("float(loss) in each step", _loop_events(wait_each=True)),
        ("float(loss) after the last step", _loop_events(wait_each=False)),
    ]
    ends = [1e3 * events[-1].end_s for _, events in programs]
    caption = Caption(
        title="Who asks for a value waits, and then the device waits for the host",
        x="simulated time (ms); a step: 1 ms to prepare on the host, a kernel of 1.5 ms",
        source="A simulated device with one queue. Not a measurement.",
        alt=f"Two timelines of host and device, four steps each. With a wait in each step host and "
        f"device take turns, {ends[0]:.1f} ms; with one wait at the end the kernels follow each "
        f"other, {ends[1]:.1f} ms.",
    )
    return plot_queues(programs, caption=caption)


def _loop_events(*, wait_each: bool) -> Sequence[Event]:
    device = AsyncDevice([1.5e-3], launch_s=1e-3)
    for _ in range(4):
        device.launch()
        if wait_each:
            device.sync()
    if not wait_each:
        device.sync()
    return device.events


def draw_elementwise(gelu: Any) -> Any:
    """Bytes moved by each launch of the chain, and by the learner's kernel."""
    from gpuedu.arrays import cupy as cp

    x = cp.asarray(np.linspace(-3, 3, RUN_ELEMENTS, dtype=np.float32))
    kernel = elementwise_on_machine(gelu)
    with kernel_refusals_told():
        own = watch(kernel, x)
    programs = [
        _program("array operations", watch(gelu_chain, cp, x).launches, CHAIN_STEPS),
        _program("your kernel", own.launches),
    ]
    caption = Caption(
        title="What moves through memory for a million elements",
        x="MB read and written",
        source=f"A piece is a launch. {_COUNTED}",
        alt="; ".join(f"{one.name}: {one.told}" for one in programs) + ".",
    )
    return plot_launch_bytes(programs, caption=caption)


def _program(name: str, launches: Sequence[Launch], steps: Sequence[str] = ()) -> Program:
    """A program of launches, which ``steps`` name where they are given."""
    scale = ELEMENTS // RUN_ELEMENTS
    names = steps or [one.name for one in launches]
    pairs = zip(names, launches, strict=True)
    return Program(name, tuple((says, one.moved_bytes * scale) for says, one in pairs))


def draw_reduction(logsumexp: Any) -> Any:
    """What the naive kernel and the learner's give for rows around c, minus c."""
    from gpuedu.arrays import cupy as cp

    base = np.random.default_rng(4).normal(0, 1, 64)
    offsets = np.array(ROWS, np.float64)
    rows = cp.asarray((base + offsets[:, None]).astype(np.float32))
    kernel = reduction_on_machine(logsumexp)
    with kernel_refusals_told():
        own = on_host(kernel(rows, axis=1), "logsumexp").astype(np.float64)
    naive = logsumexp_naive()(rows, axis=1).get().astype(np.float64)
    level = float(np.log(np.exp(base).sum()))
    lines = [
        _line("naive", naive - offsets, style.ORANGE, "-"),
        _line("yours", own - offsets, style.BLUE, "--"),
    ]
    good = {line.name: len(line.finite) for line in lines}
    caption = Caption(
        title="Rows of 64 numbers around c",
        x="c",
        y="result minus c",
        source=f"Computed by your kernel on the machine. A right line lies at {level:.2f}.",
        alt=f"Of {len(ROWS)} rows, the naive kernel gives a finite number for {good['naive']}, "
        f"yours for {good['yours']}.",
    )
    return plot_offsets(lines, level=level, caption=caption)


def _line(name: str, y: np.ndarray, colour: str, dashes: str) -> Offsets:
    return Offsets(name, tuple(map(float, ROWS)), tuple(map(float, y)), colour, dashes)


def draw_raw_kernel(normalise: Any) -> Any:
    """What one warp of the learner's kernel reads of the pixels."""
    require_raw_kernel(normalise)
    pixels, out = np.ones(PIXELS, np.uint8), np.zeros(PIXELS, np.float32)
    numbers = np.float32(0.5), np.float32(0.25), np.int32(PIXELS)
    trace = run_kernel(normalise, BLOCKS, THREADS, pixels, out, *numbers)
    return plot_accesses(trace, trace.launch.arguments[0].name)


PICTURES: dict[str, Callable[..., Any]] = {
    "cupy/detours": draw_journey,
    "cupy/asynchrony": draw_asynchrony,
    "cupy/recorded": draw_recorded_cupy,
    "no-loops": draw_no_loops,
    "stay-on-device": draw_journey,
    "elementwise": draw_elementwise,
    "reduction": draw_reduction,
    "raw-kernel": draw_raw_kernel,
}
