"""``cupyx.profiler.benchmark``: how long a function takes on this computer, and only that."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuedu.arrays.errors import NotInStandInError
from gpuedu.arrays.lists import missing


@dataclass(frozen=True)
class Benchmark:
    """Times of one function: ``cpu_times`` is (repeats,) float64, seconds of this computer."""

    name: str
    cpu_times: np.ndarray

    @property
    def gpu_times(self) -> np.ndarray:
        """Times on a GPU, which are not known here.

        Raises:
            NotInStandInError: Always.
        """
        raise NotInStandInError(
            f"there is no GPU here to run {self.name}, so its times on one are not known",
            remedy="cpu_times are this computer's; count launches and bytes instead",
        )

    def __str__(self) -> str:
        times_us = self.cpu_times * 1e6
        return (
            f"{self.name:<20s}: this computer's CPU: {times_us.mean():9.3f} us   "
            f"(min: {times_us.min():9.3f} / max: {times_us.max():9.3f}); no GPU"
        )

    __repr__ = __str__


def benchmark(
    func: Callable[..., Any],
    args: tuple = (),
    kwargs: Mapping[str, Any] | None = None,
    n_repeat: int = 10000,
    *,
    name: str | None = None,
    n_warmup: int = 10,
    max_duration: float = math.inf,
    devices: tuple | None = None,
) -> Benchmark:
    """Time ``func(*args, **kwargs)``, repeated until ``max_duration`` seconds have passed.

    The times are those of this computer, which also does the device's work: they say nothing about
    a GPU.
    """
    if not callable(func):
        raise ValueError("`func` should be a callable object.")
    for _ in range(n_warmup):
        func(*args, **(kwargs or {}))
    times_s: list[float] = []
    while len(times_s) < n_repeat and sum(times_s) < max_duration:
        start = time.perf_counter()
        func(*args, **(kwargs or {}))
        times_s.append(time.perf_counter() - start)
    return Benchmark(name or getattr(func, "__name__", repr(func)), np.array(times_s))


@contextmanager
def time_range(message: str, *_: Any, **__: Any) -> Iterator[None]:
    """Name a part of the program for a profiler; there is none here."""
    yield


@contextmanager
def profile() -> Iterator[None]:
    """Profile the block; there is nothing to start here."""
    yield


def __getattr__(name: str) -> Any:
    raise missing("cupyx.profiler", name)
