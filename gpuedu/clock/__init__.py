"""Simulated clocks, which time is judged by, and the stopwatch, which shows it.

``AsyncDevice`` is the smallest: a host and one queue. ``VirtualClock`` is the general one: threads
and generators on it wait, share resources and are recorded on a timeline; the learner's code meets
it through ``lend`` in place of ``threading``, ``queue`` and ``time``. Built on it are
``StreamDevice`` (streams, engines, races), ``SlowDisk``, and ``simulate_loading`` (the workers of a
data loader). ``GraphDevice`` captures launches in a graph and replays them.
"""

from gpuedu.clock.buffers import Buffer, Kernel
from gpuedu.clock.device import AsyncDevice, DeviceEvent
from gpuedu.clock.device_tensors import DeviceTensor
from gpuedu.clock.disk import SlowDisk
from gpuedu.clock.graphs import CUDAGraph, GraphDevice
from gpuedu.clock.lending import lend
from gpuedu.clock.loading import Loading, LoadingRun, simulate_loading
from gpuedu.clock.moments import Moment, Waiting
from gpuedu.clock.races import Race
from gpuedu.clock.resources import Channel, Resource
from gpuedu.clock.stopwatch import Timing, time_launch
from gpuedu.clock.streams import Stream, StreamDevice, StreamEvent
from gpuedu.clock.timeline import Interval, Timeline
from gpuedu.clock.transfers import Link
from gpuedu.clock.virtual import VirtualClock
from gpuedu.clock.wall import WallClock

__all__ = [
    "AsyncDevice",
    "Buffer",
    "CUDAGraph",
    "Channel",
    "DeviceEvent",
    "DeviceTensor",
    "GraphDevice",
    "Interval",
    "Kernel",
    "Link",
    "Loading",
    "LoadingRun",
    "Moment",
    "Race",
    "Resource",
    "SlowDisk",
    "Stream",
    "StreamDevice",
    "StreamEvent",
    "Timeline",
    "Timing",
    "VirtualClock",
    "Waiting",
    "WallClock",
    "lend",
    "simulate_loading",
    "time_launch",
]
