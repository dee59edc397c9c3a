"""Numbers that know how long the chain of steps behind them is."""

from __future__ import annotations

from typing import Any

import numpy as np


class Tracked:
    """A number with the length of the longest chain of operations that it depends on."""

    def __init__(self, value: float, depth: int = 0) -> None:
        self.value = value
        self.depth = depth

    def _after(self, other: Any, value: float) -> Tracked:
        depth = other.depth if isinstance(other, Tracked) else 0
        return Tracked(value, max(self.depth, depth) + 1)

    def __add__(self, other):
        return self._after(other, self.value + value_of(other))

    def __mul__(self, other):
        return self._after(other, self.value * value_of(other))

    def __truediv__(self, other):
        return self._after(other, self.value / value_of(other))

    def __rsub__(self, other):
        return self._after(other, value_of(other) - self.value)

    def __rmul__(self, other):
        return self * other

    def __radd__(self, other):
        return self + other

    def tanh(self):
        """`np.tanh` calls this on an object."""
        return self._after(0, float(np.tanh(self.value)))


class Links(list):
    """A list of places; reading it is a step that depends on the index."""

    def __getitem__(self, place):
        if not isinstance(place, Tracked):
            return super().__getitem__(place)
        return Tracked(super().__getitem__(int(place.value)), place.depth + 1)


def value_of(number: Any) -> float:
    """The plain number, tracked or not."""
    return number.value if isinstance(number, Tracked) else number


def depth_of(numbers: Any) -> int:
    """The longest chain behind any of the numbers in an array or list, or behind one number."""
    return max(getattr(number, "depth", 0) for number in np.ravel(np.array(numbers, dtype=object)))


def tracked(values: Any) -> np.ndarray:
    """An array of numbers that nothing is known to precede."""
    values = np.asarray(values, dtype=np.float64)
    made = np.empty(values.shape, dtype=object)
    for place in np.ndindex(values.shape):
        made[place] = Tracked(float(values[place]))
    return made
