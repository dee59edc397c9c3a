from __future__ import annotations

import pytest

from gpuedu.simt.host import cuda
from gpuedu.simt.host.errors import SimulatedTimeWarning
from tests import asynchronous


def test_streams_have_handles_and_never_wait():
    one, other = cuda.stream(), cuda.stream()
    assert int(one) != int(other) and int(cuda.default_stream()) == 0
    assert (int(cuda.legacy_default_stream()), int(cuda.per_thread_default_stream())) == (1, 2)
    assert int(cuda.external_stream(1234)) == 1234 and cuda.external_stream(1).external
    one.synchronize()
    with one.auto_synchronize() as inside:
        assert inside is one
    cuda.synchronize()


def test_callbacks_come_with_status_and_argument():
    seen, stream = [], cuda.stream()
    stream.add_callback(lambda *given: seen.append(given), "x")
    assert seen == [(stream, 0, "x")]


def test_a_stream_can_be_awaited():
    stream = cuda.stream()

    async def wait():
        return await stream.async_done()

    assert asynchronous.run(wait()) is stream


def test_events_tell_whose_time_it_is():
    start, end = cuda.event(), cuda.event()
    start.record()
    end.record(cuda.stream())
    assert start.query()
    end.synchronize()
    end.wait(cuda.stream())
    with pytest.warns(SimulatedTimeWarning, match="nothing about a GPU"):
        forward = cuda.event_elapsed_time(start, end)
    with pytest.warns(SimulatedTimeWarning) as told:
        backward = end.elapsed_time(start)
    assert forward == -backward > 0 and told[0].filename == __file__


def test_times_that_cannot_be_told():
    start, end, untimed = cuda.event(), cuda.event(), cuda.event(timing=False)
    end.record()
    untimed.record()
    with pytest.raises(ValueError, match="not recorded"):
        start.elapsed_time(end)
    with pytest.raises(ValueError, match="without timing"):
        end.elapsed_time(untimed)
