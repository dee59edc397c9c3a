"""``cp.fft``: Fourier transforms of device arrays; the table in ``functions.txt`` has them."""

from __future__ import annotations

from typing import Any

from gpuedu.arrays import special, table
from gpuedu.arrays.lists import cupy_names, missing

globals().update(table.functions_of("fft") | special.computed("fft"))


def __getattr__(name: str) -> Any:
    raise missing("cupy.fft", name)


def __dir__() -> list[str]:
    return sorted(set(globals()) & cupy_names("cupy.fft"))
