"""Recorded times of the kernels of the lesson memory, and of copies with a stride."""

from __future__ import annotations

from typing import Any

from gpuedu.exercises.kernels.recorded import draw_recorded
from gpuedu.exercises.kernels.recorded_panels import Bars, Lines
from gpuedu.units import GB

_WANTED = (
    Bars(
        "coalescing",
        "A copy, 8 elements per thread",
        "copies",
        {
            "blocked: a run each": {"kernel": "blocked"},
            "striped: neighbors": {"kernel": "striped"},
        },
    ),
    Bars(
        "layouts",
        "The squared speed of particles",
        "layouts",
        {
            "array of structs": {"kernel": "array of structs"},
            "struct of arrays": {"kernel": "struct of arrays"},
        },
        shows_time=True,
    ),
    Bars(
        "transposes",
        "A transpose",
        "transposes",
        {
            "naive": {"kernel": "naive"},
            "tile, 32 columns": {"kernel": "tiled"},
            "tile, 33 columns": {"kernel": "padded"},
        },
    ),
    Lines(
        "copy-by-stride",
        "A copy of every s-th float32",
        "copies with a stride",
        {"": {}},
        field="stride",
        x="stride s, in elements",
        y="GB/s, wanted",
        unit="GB/s",
        value=lambda row: row["median"] / GB,
    ),
)


def draw_recorded_memory() -> Any:
    """Copies, layouts and transposes as GPUs ran them; a sentence where none was recorded."""
    return draw_recorded("Global memory", "these kernels", _WANTED)
