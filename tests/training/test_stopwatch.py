"""Marks on a GPU are events: none of them waits before the times are read."""

from __future__ import annotations

import torch

from gpuedu.training.stopwatch import Stopwatch


def test_on_a_gpu_marks_are_events_in_the_current_stream(monkeypatch):
    log = []

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self, stream):
            log.append(("record", stream))

        def synchronize(self):
            log.append("wait")

        def elapsed_time(self, end):
            return 2500.0  # milliseconds

    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: f"stream of {device}")
    watch = Stopwatch(torch.device("cuda:1"))
    start, end = watch.mark(), watch.mark()
    assert log == [("record", "stream of cuda:1")] * 2
    assert watch.seconds(start, end) == 2.5
    assert log[-1] == "wait"
