"""The table: correct kernels that run on the machine and on a GPU, with what each must give."""

from __future__ import annotations

from tests.gpu.case import Case
from tests.gpu.kernels import lanes, streams, tiles

CASES: tuple[Case, ...] = (*streams.CASES, *tiles.CASES, *lanes.CASES)

__all__ = ["CASES"]
