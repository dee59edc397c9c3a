"""Copies over the link when kernels get NumPy arrays, and when they get device arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from gpuedu.figures import style
from gpuedu.figures.caption import Caption, write_caption
from gpuedu.units import MB

ELEMENTS, LAUNCHES = 1_000_000, 3
_THREADS = 256
_SHOWN = 20_000
"""Elements that are really copied; the account is scaled to ELEMENTS, and is exact, since every
copy is of a whole array."""


@dataclass(frozen=True)
class Traffic:
    """Bytes over the link in both directions, and in how many copies."""

    to_device_bytes: int
    to_host_bytes: int
    copies: int

    @property
    def size_bytes(self) -> int:
        """Both ways together."""
        return self.to_device_bytes + self.to_host_bytes


def count_copies(elements: int = ELEMENTS) -> tuple[Traffic, Traffic]:
    """The traffic of three launches of saxpy: with NumPy arrays, and with device arrays.

    Counted by the SIMT machine's host API, which copies when ``numba.cuda`` does.

    >>> by_numpy, by_device = count_copies(1000)
    >>> by_numpy.size_bytes, by_device.size_bytes
    (72000, 12000)
    """
    return _account(_launch_with_numpy, elements), _account(_launch_with_device, elements)


def _account(launch: Callable[..., None], elements: int) -> Traffic:
    from gpuedu.simt.host.transfers import Direction, watched_transfers

    arrays = tuple(np.ones((3, _SHOWN), np.float32))
    with watched_transfers() as own, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that NumPy arrays are copied is what is shown here
        launch(_saxpy_on_machine(), *arrays)
    scale = elements / _SHOWN
    sums = {
        way: round(scale * sum(one.size_bytes for one in own if one.direction is way))
        for way in (Direction.HOST_TO_DEVICE, Direction.DEVICE_TO_HOST)
    }
    return Traffic(*sums.values(), len(own))


@cache
def _saxpy_on_machine() -> Any:
    """``out = a * x + y`` for the SIMT machine, on every tier: its host API counts copies.

    A thread for each element; no two write the same one.
    """
    from gpuedu.simt.host import cuda

    @cuda.jit
    def saxpy(a, x, y, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = a * x[i] + y[i]

    return saxpy


def _launch_with_numpy(saxpy: Any, x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    for _ in range(LAUNCHES):
        saxpy[-(-x.size // _THREADS), _THREADS](np.float32(2), x, y, out)


def _launch_with_device(saxpy: Any, x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    from gpuedu.simt.host import cuda

    d_x, d_y, d_out = cuda.to_device(x), cuda.to_device(y), cuda.device_array_like(out)
    for _ in range(LAUNCHES):
        saxpy[-(-x.size // _THREADS), _THREADS](np.float32(2), d_x, d_y, d_out)
    d_out.copy_to_host(out)


def draw_copies() -> Any:
    """Megabytes over the link, both ways of calling the same kernel, from 0."""
    names = ("device arrays", "NumPy arrays")
    traffic = count_copies()[::-1]
    texts = [f"{one.size_bytes / MB:.0f} MB in {one.copies} copies" for one in traffic]
    ax = style.new_axes(1.9)
    for place, (one, color) in enumerate(zip(traffic, (style.BLUE, style.ORANGE), strict=True)):
        size_mb = one.size_bytes / MB
        ax.barh(place, size_mb, height=0.62, color=color)
        ax.text(size_mb + 1, place, texts[place], va="center", fontsize=9.5, color=style.INK)
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0, labelcolor=style.INK)
    ax.grid(axis="y", visible=False)
    ax.set_xlim(0, 1.4 * max(one.size_bytes for one in traffic) / MB)
    caption = Caption(
        title=f"{LAUNCHES} launches of saxpy: what crosses the link",
        x="MB between host and device, both ways",
        source=f"Counted: x, y and out of {ELEMENTS:,} float32 each. With NumPy arrays, every "
        "launch copies all three there, and all three back.",
        alt="; ".join(map(": ".join, zip(names, texts, strict=True))) + ".",
    )
    return write_caption(ax, caption)
