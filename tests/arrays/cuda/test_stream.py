from __future__ import annotations

import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.simt.host.errors import CudaValueError, SimulatedTimeWarning


def test_a_stream_is_current_inside_with():
    stream, other = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(priority=-1)
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null
    with stream:
        assert cp.cuda.get_current_stream() is stream
        with other, stream:
            assert cp.cuda.get_current_stream() is stream
        assert cp.cuda.get_current_stream() is stream
        stream.synchronize()
    assert cp.cuda.get_current_stream().ptr == 0
    assert stream.is_non_blocking and other.priority == -1 and stream.done
    assert stream != other and len({stream, other, cp.cuda.Stream.null}) == 3


def test_a_stream_can_be_used_until_another_is():
    stream = cp.cuda.Stream().use()
    try:
        assert cp.cuda.get_current_stream() == stream
    finally:
        cp.cuda.Stream.null.use()
    assert cp.cuda.Stream(ptds=True) == cp.cuda.Stream.ptds
    assert cp.cuda.ExternalStream(1234).ptr == 1234 and "1234" in repr(cp.cuda.ExternalStream(1234))


def test_callbacks_are_called():
    told = []
    stream = cp.cuda.Stream()
    stream.add_callback(lambda *args: told.append(args), "done")
    stream.launch_host_func(told.append, "host")
    assert told == [(stream, 0, "done"), "host"]


def test_events_take_this_computers_time_and_say_so():
    start, end = cp.cuda.Event(), cp.cuda.Stream.null.record()
    start.record()
    cp.cuda.Stream().wait_event(start)
    stream = cp.cuda.Stream()
    assert stream.record(end) is end and end.done
    end.synchronize()
    with pytest.warns(SimulatedTimeWarning, match="nothing about a GPU"):
        assert cp.cuda.get_elapsed_time(start, end) >= 0


@pytest.mark.parametrize(
    "event", [cp.cuda.Event(), cp.cuda.Stream.null.record(cp.cuda.Event(disable_timing=True))]
)
def test_events_without_a_time(event):
    with pytest.raises(CudaValueError):
        cp.cuda.get_elapsed_time(event, event)


def test_graphs_are_refused_by_name():
    with pytest.raises(NotImplementedError, match=r"cupy\.cuda\.Stream\.begin_capture"):
        cp.cuda.Stream().begin_capture()
