"""parallel-cpu: its picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuedu.errors import AnswerError
from gpuedu.exercises.why_gpus.pictures import drawable
from gpuedu.figures import style
from gpuedu.figures.bars import Bar, plot_bars
from gpuedu.figures.caption import Caption


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
        color = style.BLUE if place else style.QUIET
        bars.append(Bar(name, ns, f"{ns:.3g} ns{factor}", color))
    caption = Caption(
        title="saxpy, four ways, on this machine",
        x="time per element in ns (less is faster; each step is a factor of ten)",
        source=f"Measured on this machine just now: {times['n']:,} float32 elements (pure Python: "
        "fewer), the fastest of many runs.",
        alt="Nanoseconds per element, on a logarithmic axis: "
        + "; ".join(f"{bar.name} {bar.text}" for bar in bars)
        + ".",
    )
    return plot_bars(bars, caption=caption)


def _cores(times: Mapping[str, Any]) -> int:
    """Cores that were measured; AnswerError where ``times`` is no result of ``measure``."""
    keys = {"python_ns", "numpy_ns", "one_core_ns", "all_cores_ns", "cores", "n"}
    if not isinstance(times, Mapping) or not keys <= set(times):
        raise AnswerError(
            "there are no times to draw",
            remedy='run `times = measure("parallel-cpu", saxpy)` first',
        )
    return int(times["cores"])


PICTURE = draw_parallel_cpu
