"""A GPU's utilization while a block of code runs: the figure that ``nvidia-smi`` shows.

It says less than its name: ``gpu`` is the share of time in which at least one kernel ran, be it on
one multiprocessor or on all of them; ``memory`` is the share of time in which device memory was
read or written, not how much of it was used. Each reading covers the driver's own sample period,
between 1/6 of a second and 1 second, depending on the GPU: over a shorter block it shows what came
before it. Source: NVIDIA, NVML API Reference Guide, ``nvmlUtilization_t``.
"""

from __future__ import annotations

import contextlib
import statistics
import threading
import time
from dataclasses import dataclass
from typing import Any

from gpuedu.hardware.gpus import find_gpus


@dataclass(frozen=True)
class Utilization:
    """Shares of time, from 0 to 1; ``time_s`` counts from the start of the watch."""

    time_s: float
    gpu: float
    memory: float


class UtilizationWatch:
    """Samples a GPU's utilization in a thread while its ``with`` block runs.

    If there is no GPU, nothing is sampled, ``mean`` is None and ``note`` says why; the block runs
    all the same.

    Args:
        every_s: time between two samples. The driver renews its figure far less often.
        gpu: which one, counted among those that ``CUDA_VISIBLE_DEVICES`` leaves.

    >>> with UtilizationWatch() as watch:
    ...     total = sum(range(1000))
    >>> watch.mean is None or 0 <= watch.mean.gpu <= 1
    True
    """

    def __init__(self, *, every_s: float = 0.02, gpu: int = 0) -> None:
        self.samples: tuple[Utilization, ...] = ()
        self.note = ""
        self._every_s = every_s
        self._gpu = gpu
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def mean(self) -> Utilization | None:
        """The mean of the samples, at the time of the last one; None without samples."""
        if not self.samples:
            return None
        return Utilization(
            self.samples[-1].time_s,
            statistics.fmean(one.gpu for one in self.samples),
            statistics.fmean(one.memory for one in self.samples),
        )

    def __enter__(self) -> UtilizationWatch:
        self.samples, self.note = (), ""
        self._over.clear()
        found = find_gpus()
        if self._gpu >= len(found.found):
            self.note = f"no GPU {self._gpu} here: {found.note or f'{len(found.found)} in all'}"
            return self
        try:
            import pynvml

            pynvml.nvmlInit()
        except Exception as fault:
            self.note = f"NVIDIA's management library does not answer: {fault}"
            return self
        uuid = found.found[self._gpu].uuid
        self._thread = threading.Thread(target=self._watch, args=(pynvml, uuid), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _watch(self, pynvml: Any, uuid: str) -> None:
        """Sample until the block is over; once at least, and once at its end."""
        start_s = time.perf_counter()
        try:
            handle = self._handle(pynvml, uuid)
            is_over = False
            while not is_over:
                is_over = self._over.wait(self._every_s) if self.samples else False
                rates = pynvml.nvmlDeviceGetUtilizationRates(handle)
                self.samples += (
                    Utilization(time.perf_counter() - start_s, rates.gpu / 100, rates.memory / 100),
                )
        except Exception as fault:
            # Some GPUs, and slices of one, do not tell.
            self.note = f"this GPU does not report its utilization: {fault}"
        finally:
            with contextlib.suppress(Exception):
                pynvml.nvmlShutdown()

    def _handle(self, pynvml: Any, uuid: str) -> Any:
        if uuid:
            return pynvml.nvmlDeviceGetHandleByUUID(uuid)
        return pynvml.nvmlDeviceGetHandleByIndex(self._gpu)
