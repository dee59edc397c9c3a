"""littles-law: its picture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gpuedu.exercises.why_gpus import machines
from gpuedu.exercises.why_gpus.pictures import drawable
from gpuedu.figures import style
from gpuedu.figures.bars import Bar, plot_bars
from gpuedu.figures.caption import Caption
from gpuedu.units import format_quantity

BYTES_PER_THREAD = 16


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
        title="Latency times bandwidth: the bytes that must be in flight",
        x=f"bytes in flight (threads: at {BYTES_PER_THREAD} bytes each; each step is a factor of "
        "ten)",
        source="Computed by your functions. Latencies: round numbers of the size that "
        "microbenchmarks report. GPU bandwidths: data sheets.",
        alt="Bytes in flight, on a logarithmic axis: "
        + "; ".join(f"{bar.name.splitlines()[0]} {bar.text}" for bar in bars)
        + ".",
    )
    return plot_bars(bars, caption=caption, row_in=0.5)


PICTURE = draw_littles_law
