"""Simulated clocks, on which time is judged, and the stopwatch, with which it is shown."""

from gpuedu.clock.device import AsyncDevice, Event
from gpuedu.clock.stopwatch import Timing, time_launch

__all__ = ["AsyncDevice", "Event", "Timing", "time_launch"]
