"""A slow disk: items that take time to read, on a virtual or a real clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gpuedu.clock.virtual import VirtualClock
from gpuedu.clock.wall import WallClock


class SlowDisk:
    """Items by index, each of which takes time to read.

    What it simplifies: a read costs the same whatever was read before it, and reads beyond
    ``channels`` wait in the order in which they came.

    Args:
        clock: whose time reading takes.
        items: what is read.
        time_s: how long each read takes, in seconds; one number for all, or one for each item.
        channels: how many reads run at a time; the others wait.
        faults: exceptions that reading an index raises, after its time.

    >>> clock = VirtualClock()
    >>> with clock:
    ...     disk = SlowDisk(clock, ["a", "b"], time_s=0.01)
    ...     [disk.read(i) for i in range(len(disk))], clock.now()
    (['a', 'b'], 0.02)
    """

    def __init__(
        self,
        clock: VirtualClock | WallClock,
        items: Sequence[Any],
        time_s: float | Sequence[float],
        *,
        channels: int = 1,
        faults: Mapping[int, BaseException] | None = None,
    ) -> None:
        self._clock, self._items = clock, items
        self._times_s = [time_s] * len(items) if isinstance(time_s, (int, float)) else list(time_s)
        if len(self._times_s) != len(items):
            raise ValueError(f"{len(items)} items, but {len(self._times_s)} times")
        self._channels = clock.places(channels)
        self._faults = dict(faults or {})
        self.asked: list[int] = []

    def __len__(self) -> int:
        """How many items there are."""
        return len(self._items)

    def read(self, index: int) -> Any:
        """The item, after its time; IndexError outside 0 ... len - 1."""
        if not 0 <= index < len(self):
            raise IndexError(f"the disk has items 0 to {len(self) - 1}, asked for {index}")
        self.asked.append(index)
        with self._channels:
            self._clock.work(self._times_s[index], "read", lane="disk", label=str(index))
        if index in self._faults:
            raise self._faults[index]
        return self._items[index]

    def __getitem__(self, index: int) -> Any:
        """The same, which makes this a dataset."""
        return self.read(index)
