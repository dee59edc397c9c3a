"""Recorded times of launches, and of copies between host and device."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.kernels.recorded import draw_recorded
from gpuedu.exercises.kernels.recorded_panels import Bars, Lines
from gpuedu.units import GB, format_size

_WANTED = (
    Bars(
        "launch-latency",
        "One launch of a kernel that does nothing (PyTorch: one number)",
        "launches",
        {
            f"{library}, {short}": {"library": library, "mode": mode}
            for library in ("Numba", "CuPy RawKernel", "PyTorch")
            for short, mode in (("queued", "one after another"), ("waited for", "each waited for"))
        },
    ),
    Lines(
        "host-device-copies",
        "One copy to the device",
        "copies to the device",
        {memory: {"memory": memory, "direction": "to device"} for memory in ("pinned", "pageable")},
        field="size_bytes",
        x="size",
        y="GB/s",
        unit="GB/s",
        value=lambda row: row["size_bytes"] / row["median"] / GB,
        format_x=format_size,
    ),
)


def draw_recorded_cupy() -> Any:
    """What a launch and a copy cost on GPUs; a sentence where none was recorded."""
    return draw_recorded("Launches and copies", "launches and copies", _WANTED)
