"""Marks in time that never make a training loop wait, on the CPU and on a GPU."""

from __future__ import annotations

import time
from typing import Any

import torch


class Stopwatch:
    """Marks moments, and says later how far apart they are.

    On a GPU a mark is an event in the current stream: the device notes when it reaches it, and the
    host goes on. ``seconds`` waits for the later of two events, so ask for it when the run is over.

    >>> watch = Stopwatch(torch.device("cpu"))
    >>> watch.seconds(watch.mark(), watch.mark()) >= 0
    True
    """

    def __init__(self, device: torch.device) -> None:
        self.device = device

    def mark(self) -> Any:
        """This moment."""
        if self.device.type != "cuda":
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record(torch.cuda.current_stream(self.device))
        return event

    def seconds(self, start: Any, end: Any) -> float:
        """From one mark to the other, in seconds."""
        if self.device.type != "cuda":
            return end - start
        end.synchronize()
        return start.elapsed_time(end) / 1e3
