"""Some of the warps that run together, and their part of a value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpuedu.simt.machine.views import View
from gpuedu.trace import WARP_SIZE


@dataclass(frozen=True, eq=False)
class Warps:
    """Some warps of a chunk of shape (B, T): ``number`` is (R,), row times warps of a row + warp.

    >>> warps = Warps(np.array([1, 2]), (2, 64))
    >>> warps.of(np.array([[5], [6]])).tolist()
    [[5], [6]]
    >>> warps.of(np.arange(128).reshape(2, 64))[:, :2].tolist()
    [[32, 33], [64, 65]]
    """

    number: np.ndarray
    shape: tuple[int, int]

    def of(self, value: Any) -> Any:
        """A value of the chunk's threads as (R, 32), or what broadcasts to that."""
        if isinstance(value, View):
            return self._of_view(value)
        if not np.ndim(value) or value.shape == (1, 1):
            return value
        per_row = self.shape[1] // WARP_SIZE
        if value.shape[1] == 1:
            return value[self.number // per_row]
        number = self.number if value.shape[0] > 1 else self.number % per_row
        return value.reshape(-1, WARP_SIZE).take(number, axis=0)

    def _of_view(self, view: View) -> View:
        parts = {
            name: tuple(map(self.of, getattr(view, name)))
            for name in ("shape", "lead", "lead_shape")
        }
        own = {name: self.of(getattr(view, name)) for name in ("offset", "outside", "wrapped")}
        return replace(view, **parts, **own)
