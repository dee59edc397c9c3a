"""The real streams: what they ask of PyTorch, told by a stand-in for its CUDA part, and a GPU's run."""

from __future__ import annotations

import contextlib
import itertools
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from gpuedu.clock import Kernel, StreamDevice, VirtualClock
from gpuedu.clock.cuda_streams import CudaStreamDevice
from gpuedu.errors import AnswerError


class Log(list):
    """What was asked of the stand-in, in order."""


@pytest.fixture
def log(monkeypatch):
    log, numbers, ticks = Log(), itertools.count(), itertools.count()

    class Stream:
        def __init__(self):
            self.name = f"stream {next(numbers)}"

        def wait_event(self, event):
            log.append((self.name, "waits for", event.name))

        def synchronize(self):
            log.append(("host", "waits for", self.name))

    class Event:
        def __init__(self, enable_timing=False):
            self.name, self.is_timer = f"event {next(numbers)}", enable_timing

        def record(self, stream):
            self.at_ms = float(next(ticks))
            if not self.is_timer:
                log.append((self.name, "marks", stream.name))

        def synchronize(self):
            log.append(("host", "waits for", self.name))

        def query(self):
            return True

        def elapsed_time(self, other):
            return other.at_ms - self.at_ms

    @contextlib.contextmanager
    def stream(real):
        log.append(("on", real.name))
        yield

    cuda = SimpleNamespace(
        Stream=Stream, Event=Event, stream=stream, default_stream=Stream, synchronize=lambda: None
    )
    monkeypatch.setattr(torch, "cuda", cuda)
    return log


def double(device, values):
    """Copy in, double, copy out; two streams and the events between them."""
    copying, computing = device.stream("copying"), device.stream("computing")
    ready, done = device.event(), device.event()
    batch = device.host_buffer(values.nbytes, "batch", pinned=False, values=values)
    x, out = device.buffer(values.nbytes, "x"), device.host_buffer(values.nbytes, pinned=False)
    device.copy(x, batch, copying)
    ready.record(copying)
    computing.wait_event(ready)
    device.launch(Kernel("double", 1e-3, lambda v: 2 * v), reads=[x], writes=[x], stream=computing)
    done.record(computing)
    copying.wait_event(done)
    device.copy(out, x, copying)
    copying.synchronize()
    return out.read()


VALUES = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)


def test_one_program_runs_on_both(log):
    with VirtualClock() as clock:
        simulated = double(device := StreamDevice(clock), VALUES)
        assert device.races == ()
    real = double(CudaStreamDevice("cpu"), VALUES)
    assert np.array_equal(simulated, real)
    assert np.array_equal(real, 2 * VALUES)


def test_what_is_asked_of_the_streams(log):
    double(CudaStreamDevice("cpu"), VALUES)
    assert log == [
        ("on", "stream 1"),
        ("event 3", "marks", "stream 1"),
        ("stream 2", "waits for", "event 3"),
        ("on", "stream 2"),
        ("event 4", "marks", "stream 2"),
        ("stream 1", "waits for", "event 4"),
        ("on", "stream 1"),
        ("host", "waits for", "stream 1"),
    ]


def test_the_timeline_is_in_seconds_from_the_first_mark(log):
    device = CudaStreamDevice("cpu")
    assert device.timeline.intervals == ()
    double(device, VALUES)
    lanes = [(one.lane, one.kind, one.duration_s) for one in device.timeline.intervals]
    assert lanes == [
        ("copy to device", "copy", 1e-3),
        ("compute", "kernel", 1e-3),
        ("copy to host", "copy", 1e-3),
    ]
    assert device.timeline.intervals[0].start_s == 0.0


def test_the_default_stream_and_kernels_with_two_results(log):
    device = CudaStreamDevice("cpu")
    x, y = device.buffer(8, "x"), device.buffer(8, "y")
    device.copy(x, device.host_buffer(8, pinned=False, values=np.array([1.0])))
    both = Kernel("both", 1e-3, lambda v: (v + 1, v * 0))
    device.launch(both, reads=[x], writes=[x, y])
    device.launch(Kernel("nothing", 1e-3))
    event = device.event()
    event.record()
    event.synchronize()
    device.synchronize()
    assert event.query()
    assert (x.values.item(), y.values.item()) == (2.0, 0.0)
    assert device.buffer(8).values is None


def test_what_is_refused(log):
    device = CudaStreamDevice("cpu")
    host = device.host_buffer(8, "h", pinned=False)
    with pytest.raises(AnswerError, match="memory of the host"):
        device.launch(Kernel("k", 1.0), reads=[host])
    with pytest.raises(AnswerError, match="from host to device"):
        device.copy(host, host)
    with pytest.raises(ValueError, match="'h' has 8 bytes, got 4"):
        host.write(np.zeros(1, np.float32))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_on_a_gpu():
    device = CudaStreamDevice()
    assert np.array_equal(double(device, VALUES), 2 * VALUES)
    copy_in, kernel, copy_out = device.timeline.intervals
    assert copy_in.end_s <= kernel.start_s <= kernel.end_s <= copy_out.start_s
